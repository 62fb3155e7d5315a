"""*Learned transforms*: what each control changes, on the page and in the address."""

import numpy as np
import pytest
from transforms_app import by_key, clean, metrics, now, open_at

from core.transforms.look import bank_of, held, look, preset_angles
from core.transforms.samples import SAMPLES, sample
from core.transforms.wavelets import classical
from core.ui.brought import Brought
from pages.transforms.view import PARTS, TransformsView

SMALL = {"taps": 4, "levels": 3}


def lost(at) -> float:
    return float(metrics(at)["Energy lost at 64"].split()[0])


def dial(at, i):
    """The slider of an angle; angles that were set otherwise have new sliders."""
    (found,) = [n for n in at.slider if n.key.startswith(f"transforms:angle:{i}:")]
    return found


def test_a_fresh_page_shows_the_symlet_on_the_ecg():
    at = clean(open_at())
    assert now(at) == TransformsView() and at.query_params == {}
    expected = look(sample("wavelets", "ecg").samples, 0, classical("sym4"), 5, 64)
    assert lost(at) == pytest.approx(100 * expected.at, rel=5e-3)
    assert metrics(at)["Vanishing moments"] == "4"


def test_a_dial_moves_the_wavelet_and_undo_brings_it_back():
    at = open_at(wavelets_settings=SMALL)
    first = lost(at)
    dial(at, 0).set_value(20.0)
    at = clean(at.run())
    angles = np.radians(now(at).wavelets["angles"])
    assert angles[0] == pytest.approx(np.radians(20))
    data = sample("wavelets", "ecg").samples
    assert lost(at) == pytest.approx(100 * look(data, 0, bank_of(held(angles)), 3, 64).at, rel=5e-3) != first
    assert dial(at, 1).disabled and dial(at, 1).value == pytest.approx(25, abs=0.1)
    at = clean(by_key(at, "undo").click().run())
    assert lost(at) == first and now(at).wavelets == {}


def test_presets_reset_and_the_low_pass_toggle():
    at = open_at(wavelets_settings=SMALL)
    at = clean(by_key(at, "random").click().run())
    assert len(now(at).wavelets["angles"]) == 2
    at = clean(by_key(at, "preset:db2").click().run())
    assert np.allclose(now(at).wavelets["angles"], np.degrees(preset_angles("db2")))
    assert metrics(at)["Vanishing moments"] == "2"
    at = clean(by_key(at, "wavelets_settings.low_pass").set_value(False).run())
    dial(at, 0).set_value(100.0)
    at = clean(at.run())
    assert metrics(at)["Sum of the low taps"] != "1.4142" and not dial(at, 1).disabled
    at = clean(by_key(at, "reset").click().run())
    assert "angles" not in now(at).wavelets and metrics(at)["Sum of the low taps"] == "1.4142"


@pytest.mark.parametrize("form", ["free", "lifting"])
def test_forms_without_angles_have_no_dials(form):
    at = clean(open_at(wavelets_settings={**SMALL, "form": form}))
    assert not [n for n in at._tree if str(getattr(n, "key", "")).startswith("transforms:angle")]
    assert lost(at) > 0


def test_settings_data_and_seed_are_in_the_address():
    at = open_at(wavelets={"angles": [10.0, 35.0]}, wavelets_settings=SMALL)
    at = clean(by_key(at, "wavelets_settings.keep").set_value(32).run())
    assert now(at).wavelets_settings["keep"] == 32 and now(at).wavelets == {} and "Energy lost at 32" in metrics(at)
    at = clean(by_key(at, "seed").set_value(5).run())
    assert now(at).seed == 5
    at = clean(by_key(at, "data.wavelets").set_value("sample:beats").run())
    assert now(at).data == {"wavelets": "sample:beats"}
    at = clean(by_key(at, "wavelets.sample").set_value(3).run())
    assert now(at).wavelets == {"sample": 3}


def test_parts_keep_their_own_choices():
    at = open_at(wavelets_settings=SMALL, tab="Filters")
    at = clean(by_key(at, "part").set_value("operators").run())
    assert now(at).part == "operators" and now(at).tab == ""
    at = clean(by_key(at, "operators_settings.k").set_value(8).run())
    assert "POD, 8 modes, linear" in metrics(at)
    at = clean(by_key(at, "part").set_value("wavelets").run())
    assert now(at).wavelets_settings == SMALL and now(at).operators_settings == {"k": 8}


def test_choices_inside_tabs():
    at = open_at(part="curves", curves_settings={"k": 3})
    at = clean(by_key(at, "curves.beside").set_value("PLS").run())
    assert now(at).curves == {"beside": "PLS"} and "PLS, 3 functions" in metrics(at)
    at = open_at(part="operators", tab="One pair", operators_settings={"k": 5})
    at = clean(by_key(at, "operators.pair").set_value(2).run())
    assert now(at).operators == {"pair": 2}


def test_a_link_to_somebody_elses_upload_says_so():
    at = open_at(data={"curves": "upload:abc"}, titles={"curves": "mine.csv"}, part="curves")
    assert any("mine" in i.value and "stayed with the session" in i.value for i in at.info)


@pytest.mark.parametrize("part", list(PARTS))
def test_an_upload_is_shown_and_kept_apart_by_part(part):
    at = open_at(part="wavelets", wavelets_settings=SMALL)
    made = sample(part, next(iter(SAMPLES[part])))
    own = Brought()
    own.keep(made.fingerprint, made.noted(title="mine"))
    at.session_state[f"transforms:brought:{part}"] = own
    at.session_state["transforms:history"]["now"] = TransformsView(
        part=part, data={part: f"upload:{made.fingerprint}"}, titles={part: "mine"},
        wavelets_settings=SMALL, spectrogram_settings={"steps": 1, "hop": 256}, curves_settings={"k": 2},
    )  # fmt: skip
    at.query_params["v"] = at.session_state["transforms:history"]["now"].link()
    at.session_state["transforms:history"]["link"] = at.query_params["v"]
    at = at.run()
    assert not at.exception and not at.error
    assert by_key(at, f"data.{part}").value == f"upload:{made.fingerprint}"
    assert "mine (yours)" in by_key(at, f"data.{part}").options
