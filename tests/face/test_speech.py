"""Speech in, controls, codes, visemes and the idle pose; the shipped model on sentences it never heard."""

import io
import json
import os
import stat

import numpy as np
import pytest
import soundfile
from scipy.ndimage import gaussian_filter1d
from scipy.signal import correlate, stft, welch

from core.errors import InputError
from core.face.clip.writing import write_mp4
from core.face.network.mel import FRAMES, RATE, filters, mel_windows
from core.face.photo.mesh import stored
from core.face.speech import sound
from core.face.speech.alignment import warp
from core.face.speech.controls import CONTROLS, FACTORS, MOVES, to_codes, to_factors
from core.face.speech.idle import idle
from core.face.speech.model import ARRAYS, CARD, FOLDER, MouthNetwork, SpeechModel, load_speech_model
from core.face.speech.sentences import english
from core.face.speech.synthesisers import espeak, has_espeak
from core.face.speech.train import ridge, scores
from core.face.speech.visemes import Segment, parts, targets

needs_espeak = pytest.mark.skipif(not has_espeak(), reason="espeak-ng is not installed (apt-get install espeak-ng)")
JAW, WIDE, ROUND, FUNNEL, PRESSED, BITE = range(6)


def tone(seconds=1.0, rate=RATE, amount=0.3):
    t = np.arange(round(seconds * rate)) / rate
    return (amount * np.sin(2 * np.pi * (300 * t + 200 * t**2))).astype(np.float32)


def wav(wave, rate, form="WAV", subtype=None):
    out = io.BytesIO()
    soundfile.write(out, wave, rate, format=form, subtype=subtype)
    return out.getvalue()


# -- sound in ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "subtype"), [("WAV", "FLOAT"), ("FLAC", "PCM_24"), ("OGG", "VORBIS"), ("MP3", None)])
def test_sound_files_of_every_kind_become_speech_at_16_khz(form, subtype):
    rate = 96_000 if form in ("WAV", "FLAC") else 44_100
    stereo = np.stack([tone(1.0, rate), tone(1.0, rate)], axis=1)
    wave, notes = sound.read_speech(f"a.{form.lower()}", wav(stereo, rate, form, subtype))
    assert abs(len(wave) - RATE) < 0.06 * RATE and len(notes) == 2
    wanted = tone()[2000:14_000]
    shift = int(correlate(wave, wanted, mode="valid").argmax())  # an mp3 begins with a little silence
    assert 1900 < shift < 3200 and np.corrcoef(wave[shift : shift + 12_000], wanted)[0, 1] > 0.99


def test_the_sound_of_a_clip_and_of_a_recording():
    picture = np.zeros((16, 16, 3), np.uint8)
    wave, _ = sound.read_speech("a.mp4", write_mp4([picture] * 25, sound=tone()))
    assert (
        len(wave) == pytest.approx(RATE, abs=1100) and np.corrcoef(wave[2000:14_000], tone()[2000:14_000])[0, 1] > 0.99
    )
    with pytest.raises(InputError, match="no sound"):
        sound.read_speech("a.mp4", write_mp4([picture] * 2))


def test_for_a_finished_clip_the_sound_stays_as_it_was():
    both = np.stack([tone(0.5, 44_100), -0.5 * tone(0.5, 44_100)], axis=1)
    wave, rate = sound.faithful("a.wav", wav(both, 44_100, subtype="FLOAT"))
    assert rate == 44_100 and (wave == both).all()
    wave, rate = sound.faithful("a.mp4", write_mp4([np.zeros((16, 16, 3), np.uint8)] * 10, sound=both, rate=44_100))
    assert rate == 48_000 and wave.shape[1] == 1 and abs(len(wave) - 19_200) < 3000


def test_what_is_no_sound_is_refused():
    for name, data in (("a.wav", b""), ("a.wav", b"RIFF1234WAVE"), ("a.mp3", bytes(400)), ("a.mp4", b"\0\0\0\x20ftyp")):
        with pytest.raises(InputError) as refusal:
            sound.read_speech(name, data)
        assert str(refusal.value).endswith(".")


def test_silence_is_told_and_level_is_made_even():
    wave, notes = sound.read_speech("a.wav", wav(np.zeros((960, 2)), 96_000))
    assert any("silent" in n for n in notes) and not sound.levelled(wave).any()
    for amount in (0.02, 0.9):
        quiet = np.concatenate([np.zeros(RATE), tone(1.0, amount=amount), np.zeros(RATE)])
        made = sound.levelled(quiet)[RATE : 2 * RATE]
        assert 10 * np.log10(np.mean(made.astype(float) ** 2)) == pytest.approx(sound.LOUDNESS, abs=0.3)


def test_mel_windows_against_scipys_stft():
    """The front end that the model reads, computed another way: SciPy's short-time transform of the same speech."""
    wave = (tone() + 0.05 * np.random.default_rng(0).normal(size=RATE)).astype(np.float64)
    emphasised = np.append(wave[0], wave[1:] - 0.97 * wave[:-1])
    padded = np.pad(emphasised, 400, mode="reflect")
    _, _, spectrum = stft(padded, RATE, "hann", 800, 600, boundary=None, padded=False)
    magnitude = np.abs(spectrum) * 400  # SciPy divides by the window's sum
    level = 20 * np.log10(np.maximum(filters() @ magnitude, 1e-5)) - 20
    wanted = np.clip(8 * (level + 100) / 100 - 4, -4, 4)
    got = mel_windows(wave)
    assert got.shape == (25, 1, 80, FRAMES)
    for i in (5, 12):
        first = int(3.2 * (i - 2))
        assert np.abs(got[i, 0] - wanted[:, first : first + 16]).max() < 1e-3


# -- typed text --------------------------------------------------------------------------------------------------------


def test_without_espeak_one_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert "apt-get install espeak-ng" in sound.missing_speaker() and sound.voices() == []
    with pytest.raises(InputError, match="espeak-ng"):
        sound.speak("hello")


def test_text_reaches_the_program_as_it_is_and_only_through_its_input(tmp_path, monkeypatch):
    """A program of our own stands in: it writes down what it was given, and fails or speaks."""
    program = tmp_path / "espeak-ng"
    speech = tmp_path / "out.wav"
    speech.write_bytes(wav(tone(0.5, 22_050), 22_050, subtype="PCM_16"))
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\ncat > {tmp_path}/text\ncat {speech}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    nasty = "$(touch /tmp/x); `ls` -v de 'Grüße' \x07"
    wave = sound.speak(nasty, voice="en-gb+f3", pace=120, pitch=40)
    assert (tmp_path / "text").read_text() == "$(touch /tmp/x); `ls` -v de 'Grüße'"
    arguments = (tmp_path / "arguments").read_text().split("\n")[:-1]
    assert arguments == ["--stdin", "--stdout", "-b", "1", "-v", "en-gb+f3", "-s", "120", "-p", "40"]
    assert len(wave) == pytest.approx(RATE / 2, abs=4)
    program.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(InputError, match="cannot speak with the voice"):
        sound.speak("hello")
    for wrong in (dict(text=""), dict(text=" . "), dict(text="a" * 2001), dict(pace=10), dict(pitch=100)):
        with pytest.raises(InputError):
            sound.speak(**{"text": "hello", **wrong})
    for voice in ("--help", "en us", "../../etc", "en;ls", ""):
        with pytest.raises(InputError, match="voice"):
            sound.speak("hello", voice=voice)


@needs_espeak
def test_typed_text_is_spoken():
    wave = sound.speak("Hello there, how are you?")
    assert 0.8 < len(wave) / RATE < 4 and not sound.is_silent(wave)
    assert "en-us" in dict(sound.voices())


# -- phonemes to controls ----------------------------------------------------------------------------------------------


def test_long_sounds_reach_their_targets():
    """A sound much longer than the reach of its neighbours is at its own target in its middle."""
    for ipa in ("m", "f", "w", "ʃ", "iː", "ɑː", "uː"):
        wanted = [parts(ipa)[0][name][0] for name in CONTROLS]
        got = targets([Segment(0, 1, "s"), Segment(1, 3, ipa), Segment(3, 4, "t")], np.array([2.0]))[0]
        assert np.abs(got - wanted).max() < 0.01, ipa
    assert np.abs(targets([Segment(0, 1, "ɑː")], np.array([3.0]))).max() < 0.01  # a rest afterwards


def test_the_table_is_what_phonetics_says():
    def at(ipa):
        return dict(zip(CONTROLS, targets([Segment(0, 2, ipa)], np.array([1.0]))[0], strict=True))

    assert at("iː")["jaw open"] < at("ɛ")["jaw open"] < at("æ")["jaw open"] < at("a")["jaw open"]
    assert at("uː")["lips round"] > at("oː")["lips round"] > at("ɔː")["lips round"] > at("ɑ")["lips round"] + 0.3
    assert at("iː")["lips wide"] > 0.6 > 0.2 > at("uː")["lips wide"]
    for ipa in "pbm":
        assert at(ipa)["lips pressed"] > 0.95 and at(ipa)["jaw open"] < 0.1
    for ipa in "fv":
        assert at(ipa)["lip to teeth"] > 0.95 and at(ipa)["lips pressed"] < 0.05
    glide = targets([Segment(0, 2, "aʊ")], np.array([0.5, 1.5]))
    assert glide[0, JAW] > 0.8 and glide[1, ROUND] > 0.6


def test_neighbours_colour_each_other():
    """Coarticulation: /t/ takes the lips of its vowels, /p/ does not give up its closure."""
    around = {
        v: targets([Segment(0, 0.2, v), Segment(0.2, 0.28, "t"), Segment(0.28, 0.5, v)], np.array([0.24]))[0]
        for v in "iu"
    }
    assert around["u"][ROUND] > 0.5 > 0.1 > around["i"][ROUND]
    closed = [
        targets([Segment(0, 0.2, v), Segment(0.2, 0.28, "p"), Segment(0.28, 0.5, v)], np.array([0.24]))[0]
        for v in "iua"
    ]
    assert min(c[PRESSED] for c in closed) > 0.9


def test_phonemes_move_to_where_a_stretched_voice_says_them():
    """Warping a sound against itself, played slower in its middle, finds the known stretch."""
    rng = np.random.default_rng(0)
    events = np.cumsum(rng.uniform(0.08, 0.2, 20))
    n = round(events[-1] * 80)
    rows = gaussian_filter1d(rng.normal(size=(n, 12)), 3, axis=0)
    place = np.interp(np.arange(n), [0, n // 3, 2 * n // 3, n], [0, n // 3, n, 4 * n // 3])
    other = np.stack([np.interp(np.arange(4 * n // 3), place, column) for column in rows.T], axis=1)
    found = warp(rows, other)
    assert np.abs(found - place)[2:-2].max() < 3 and (np.diff(found) >= 0).all()


# -- controls to codes -------------------------------------------------------------------------------------------------


def test_codes_of_an_orthonormal_bank_are_projections():
    rng = np.random.default_rng(0)
    moves = {name: rng.normal(size=(30, 3)) for made in MOVES.values() for name in made}
    moves["mouthClose"] = rng.normal(size=(30, 3))
    q = np.linalg.qr(rng.normal(size=(90, 5)))[0].T
    controls = rng.random((7, 6))
    amounts = [[(a * controls[:, i], m) for m, a in MOVES[name].items()] for i, name in enumerate(CONTROLS)]
    wanted = sum(a[:, None] * moves[m].ravel() for made in amounts for a, m in made)
    wanted = (
        wanted
        + (MOVES["jaw open"]["jawOpen"] * controls[:, JAW] * controls[:, PRESSED])[:, None]
        * moves["mouthClose"].ravel()
    )
    assert np.allclose(to_codes(controls, moves, q), wanted @ q.T, atol=1e-5)
    slanted = rng.normal(size=(5, 90))
    weights = rng.random(90)
    codes = to_codes(controls, moves, slanted, weights=weights)
    rest = wanted - codes @ slanted
    assert np.abs((rest * weights) @ slanted.T).max() < 1e-3 * np.abs((wanted * weights) @ slanted.T).max()


def test_a_bank_that_can_make_the_controls_makes_them():
    table = dict(zip(CONTROLS, np.eye(6), strict=True))
    controls = np.random.default_rng(1).random((4, 6))
    assert np.allclose(to_codes(controls, table, 2 * np.eye(6)), controls / 2, atol=1e-6)
    with pytest.raises(InputError, match="6 numbers"):
        to_codes(controls[:, :5], table, np.eye(6))
    with pytest.raises(InputError, match="None of these"):
        to_codes(controls, {"browDown": np.ones(6)}, np.eye(6))
    with pytest.raises(InputError, match="coordinates"):
        to_codes(controls, {"jawOpen": np.ones(5)}, np.eye(6))


def test_on_the_mesh_of_a_photograph_lips_meet_part_and_narrow():
    """The controls of single sounds, through the shipped mouth bank, at the lips' own landmarks."""
    arrays = stored()
    moves = dict(zip(arrays["names"].tolist(), arrays["moves"], strict=True))
    directions = arrays["directions.mouth"]

    def lips(*controls):
        moved = arrays["shape"] + (to_codes(np.array([controls]), moves, directions)[0] @ directions).reshape(-1, 3)
        return moved[14, 1] - moved[13, 1], moved[308, 0] - moved[78, 0]  # the gap in the middle (y is down), the width

    gap, width = lips(*[0.0] * 6)
    assert lips(0.15, 0.1, 0, 0, 1, 0)[0] < gap + 0.005  # a /p/ over a jaw that is on its way
    assert lips(0.9, 0.1, 0, 0, 0, 0)[0] > gap + 0.15
    assert lips(0.1, 0, 0.95, 0.3, 0, 0)[1] < width - 0.05 < width + 0.03 < lips(0.1, 0.8, 0, 0, 0, 0)[1]


def test_factors_of_the_parametric_head():
    one = dict(zip(CONTROLS, to_factors(np.eye(6)), strict=True))
    assert FACTORS[int(one["jaw open"].argmax())] == "mouth open" and one["lips round"].argmax() == 1
    assert one["lips wide"].argmax() == 2 and not one["lips pressed"].any()
    every = to_factors(np.random.default_rng(0).random((200, 6)))
    assert every.min() >= 0 and every.max() <= 1 and every[:, 1:].sum(1).max() <= 1 + 1e-9


# -- the model ---------------------------------------------------------------------------------------------------------


def test_silence_closes_the_mouth_and_length_is_kept():
    model = load_speech_model()
    for n in (1, 639, 640, 641, RATE):
        made = model.controls(np.zeros(n, np.float32))
        assert made.shape == (-(-n * 25 // RATE), 6) and not made.any()
    murmur = np.concatenate([np.zeros(RATE, np.float32), tone(0.3), np.zeros(RATE, np.float32)])
    made = model.controls(murmur)
    assert made[3:20].max() < 0.12 and made[-18:-3].max() < 0.12  # pauses in a sound that is none
    for wrong in (np.zeros(0), np.full(10, np.nan), np.zeros((10, 2))):
        with pytest.raises(InputError):
            model.controls(wrong)


def test_loudness_does_not_matter():
    model = load_speech_model()
    wave, _ = sound.read_speech("s.flac", (FOLDER.parents[1] / "samples" / "speech.flac").read_bytes())
    full, quiet = model.controls(wave), model.controls(wave * 0.05)
    assert np.abs(full - quiet).max() < 0.02
    curves = model.curves(wave, fps=50)
    assert curves.fps == pytest.approx(50) and curves.names == CONTROLS and len(curves.times) == 2 * len(full) - 1


@needs_espeak
def test_lips_close_on_bilabials_and_open_on_open_vowels_in_a_sentence_never_trained_on():
    model = load_speech_model()
    text = "Mama, papa, a barn, a palm, and a map."
    assert text not in english()[0]
    for voice in ("en-us", "en-us+f4"):
        wave, rate, segments = espeak(text, voice, pace=130)
        made = model.controls(sound.as_speech(wave, rate).astype(np.float32))

        def frames(kinds, made=made, segments=segments):
            found = [s for s in segments if s.ipa and s.ipa[0] in kinds and s.end - s.begin > 0.04]
            return made[[min(int((s.begin + s.end) / 2 * 25), len(made) - 1) for s in found]]

        closed, opened = frames("mbp"), frames("ɑaæ")
        assert len(closed) >= 5 and len(opened) >= 4
        assert np.median(closed[:, PRESSED]) > 0.6 > 0.25 > np.median(opened[:, PRESSED])
        assert np.median(opened[:, JAW]) > np.median(closed[:, JAW]) + 0.2


@needs_espeak
def test_held_out_sentences_and_voice_are_read_better_than_by_loudness():
    from core.face.speech.corpus import gathered, utterance
    from core.face.speech.train import energy

    _, held = english()
    heard = [utterance(*espeak(text, "en-us+f4")) for text in held[:8]]
    windows, wanted = gathered(heard)
    made = scores(load_speech_model().of_windows(windows), wanted)
    cheat = scores(ridge(energy, windows, wanted)(windows), wanted)  # fitted to the very answers
    assert made["mean"]["R2"] > 0.5 > cheat["mean"]["R2"]
    for name in CONTROLS:
        assert made[name]["correlation"] > max(0.6, cheat[name]["correlation"]), name


def test_the_card_says_what_was_measured():
    card = json.loads((FOLDER / CARD).read_bytes())
    assert tuple(card["controls"]) == CONTROLS and "licence" in card and "limits" in card
    assert sum(f.stat().st_size for f in FOLDER.iterdir()) < 1_000_000
    for name, ways in card["measured"].items():
        assert ways["this model"]["mean"]["R2"] > ways["loudness only (ridge)"]["mean"]["R2"], name


def test_a_damaged_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="missing or damaged"):
        load_speech_model(tmp_path)
    (tmp_path / CARD).write_bytes((FOLDER / CARD).read_bytes())
    (tmp_path / ARRAYS).write_bytes((FOLDER / ARRAYS).read_bytes()[:-100])
    with pytest.raises(InputError, match="missing or damaged"):
        load_speech_model(tmp_path)


def test_a_tiny_training_learns_and_repeats_itself():
    from core.face.speech.train import fit
    from core.training import TrainSettings

    rng = np.random.default_rng(0)
    loud = rng.normal(size=(300, 6, 16))
    windows = np.repeat(loud, 14, axis=1)[:, :80].astype(np.float16)  # six wide bands, one for each control
    wanted = 1 / (1 + np.exp(-2 * loud[:, :, 6:10].sum(2))).astype(np.float32)
    settings = TrainSettings(steps=60, batch=32, lr=1e-2)
    made = [SpeechModel(fit(windows, wanted, width=16, settings=settings), {}).of_windows(windows) for _ in range(2)]
    assert (made[0] == made[1]).all()
    before = scores(SpeechModel(MouthNetwork(16), {}).of_windows(windows), wanted)["mean"]["R2"]
    assert scores(made[0], wanted)["mean"]["R2"] > 0.2 > before + 0.15


# -- idle --------------------------------------------------------------------------------------------------------------


def test_idle_is_gentle_slow_and_repeatable():
    curves = idle(200, seed=3)
    assert (curves.values == idle(200, seed=3).values).all() and (curves.values != idle(200, seed=4).values).any()
    pose = curves.bank("pose")
    assert not pose[0].any() and np.abs(pose).max() < 12
    assert pose.std(0) == pytest.approx([2.2, 1.4, 1.0], rel=0.3)
    f, power = welch(pose, 25, nperseg=2048, axis=0)
    assert power[(f > 0.02) & (f < 0.8)].sum(0) == pytest.approx(power.sum(0), rel=0.03)
    assert not idle(10, amount=0, blinks=False).values.any()


def test_blinks_are_whole_and_at_human_intervals():
    for fps in (25.0, 30.0):
        blink = idle(300, fps=fps, seed=1).values[:, 3]
        shut = blink > 0.99
        starts = np.flatnonzero(shut & ~np.roll(shut, 1))
        gaps = np.diff(starts) / fps
        assert 50 < len(starts) < 110 and gaps.min() > 1.9 and gaps.max() < 6.2
        assert blink.min() == 0 and blink[0] == 0 and (blink > 0.01).mean() < 0.12
    with pytest.raises(InputError):
        idle(0)
