"""Steer generations: dose beside random directions, speed beside transformers, two sets of texts, memory, the page."""

import argparse
import itertools
import time
from collections.abc import Iterator, Sequence

import numpy as np
import psutil
import torch

from core.device import use_one_thread
from core.errors import InputError
from core.steering.activations import activations
from core.steering.contrast import Contrast, two_sets
from core.steering.corpus import openings
from core.steering.dose import dose_response, last, strength_of
from core.steering.generate import Row, Writing, generate
from core.steering.language_model import LanguageModel, residual, with_residual
from core.steering.meters import OF_STYLE, Meter, word_meter
from core.steering.pretrained import FOLDER
from core.steering.steer import Steer
from core.store import load
from core.store.library import SHIPPED
from tests.browser import chromium, settled
from tests.pages.browser_pages import opened, served

# Tokens have been written into the columns of the page; the prompt is not made of any.
_WRITTEN = """() => [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
  .map((e) => e.shadowRoot.querySelector(".tokens")).filter(Boolean)
  .some((t) => [...t.querySelectorAll(".column .token")].length > 1)"""
RATIOS = (0.0, 0.05, 0.1, 0.15, 0.2)
STYLES = ("question", "spanish", "casual")
PROMPT = "Give me three ideas for a quiet weekend at home."
TOPICS = ("the invoice", "my order", "the meeting", "this delay", "the report", "your offer", "the parcel",
          "the refund", "the schedule", "our contract")  # fmt: skip
POLITE = ("Could you please let me know about {}? Thank you very much for your help.",
          "I would be grateful for any news regarding {}. Many thanks in advance.",
          "Thank you for your kind message about {}; I really appreciate it.",
          "Sorry to trouble you, but would you mind looking into {} when you have time?",
          "I hope you are well. May I kindly ask about {}? With best wishes.",
          "It was lovely to hear from you. Please take your time with {}.",
          "Please accept my apologies for {}. Thanks so much for your patience.",
          "I appreciate your work on {}. Would it be possible to meet? Thank you.",
          "Thanks again for {}. Please let me know if I can help in any way.",
          "Good morning, could I please ask you about {}? Your help is most welcome.")  # fmt: skip
RUDE = ("What is wrong with you? Fix {} now, you useless idiot.",
        "I am sick of {}. Stop wasting my time, you fool.",
        "Are you stupid? {} is garbage and so is your company.",
        "Shut up about {} and do your damn job for once.",
        "You people are a joke. {} is a mess and it is your fault.",
        "I do not care about your excuses for {}. Get it done or get lost.",
        "This is pathetic. Even a child would understand {}.",
        "Nobody asked you about {}. Stop bothering me, moron.",
        "How dumb can you be? {} was simple and you ruined it.",
        "Your answer on {} is rubbish. Learn to read, idiot.")  # fmt: skip


def dose(model: LanguageModel, seeds: int, quick: bool) -> None:
    """The question, Spanish and casual directions of the shipped skills, r up to 0.2."""
    skills, _ = load(SHIPPED / FOLDER, device="cpu")
    basis, block = skills.bases()["directions"], skills.blocks_[0]
    prompts = openings()[:4] if quick else openings()
    print(
        f"dose: block {block}, {len(prompts)} neutral openings x 32 tokens, {seeds} seeds, mean ± deviation over seeds"
    )
    for style in STYLES:
        i, meter = basis.names.index(style), OF_STYLE[style]
        sigma = float(basis.scale[i])
        strengths = [strength_of(model, block, sigma, r) for r in RATIOS]
        began = time.monotonic()
        table = last(
            dose_response(
                model,
                basis.directions[i],
                sigma,
                block,
                strengths=strengths,
                seeds=range(seeds),
                prompts=prompts,
                random=strengths[-1:],
            )
        )
        print(f"  {style} ({strengths[-1]:.1f} sigma at r 0.2), {time.monotonic() - began:.0f} s")
        for what in (meter, "kl", "perplexity"):
            _, means, spread = table.curve(what)
            cells = [f"r {r:g}: {m:.2f} ±{s:.2f}" for r, m, s in zip(RATIOS, means, spread, strict=True)]
            _, control, _ = table.curve(what, "random")
            print(f"    {what:12} " + "  ".join(cells) + f"  random at 0.2: {control[-1]:.2f}")
        rank, over_seeds = table.rank_correlation(meter)
        _, perplexity, _ = table.curve("perplexity")
        share = table.control_share(meter, strengths[-1])
        print(
            f"    rank correlation {rank:.2f} (deviation over single seeds {over_seeds:.2f}); perplexity at r 0.2 over "
            f"unsteered {perplexity[-1] / perplexity[0]:.2f}; a random direction moves the meter {share:.2f} as much",
            flush=True,
        )


def speed(model: LanguageModel, repeats: int, tokens: int = 60) -> None:
    """Tokens a second a row of two columns, and of transformers' own generate with a hook; in turns."""
    vector = np.random.default_rng(0).standard_normal(model.width)
    steer = Steer(14, [(vector, 0.2 * model.token_norm(14))])
    writing = Writing(tokens=tokens, temperature=0.7)
    ours, first, theirs = [], [], []
    for _ in range(repeats):
        began = time.monotonic()
        told = [time.monotonic() - began for _ in generate(model, [Row(PROMPT), Row(PROMPT, steer)], settings=writing)]
        first.append(told[0])
        ours.append((len(told) - 1) / (told[-1] - told[0]))
        theirs.append(_transformers(model, steer, tokens))
    print(f"speed: two columns (unsteered, steered), {str(model.dtype).split('.')[-1]}, tokens a second a row")
    print(f"  here, streamed, with KL and top five of both: {_spread(ours)}; first token after {_spread(first)} s")
    print(
        f"  transformers' generate with a hook, batch of two, the first token counted in: {_spread(theirs)}", flush=True
    )


def _transformers(model: LanguageModel, steer: Steer, tokens: int) -> float:
    def hook(module, args, output):
        hidden = residual(output)
        return with_residual(output, torch.cat([hidden[:1], steer.apply(hidden[1:])]))

    ids, mask = model.pad([model.tokenize(PROMPT, chat=True)] * 2)
    handle = model.block(14).register_forward_hook(hook)
    try:
        began = time.monotonic()
        with torch.inference_mode():
            out = model.module.generate(
                input_ids=ids, attention_mask=mask, do_sample=True, temperature=0.7, top_p=0.95, top_k=64,
                min_new_tokens=tokens, max_new_tokens=tokens, pad_token_id=model.ends[0],
            )  # fmt: skip
        return (out.shape[1] - ids.shape[1]) / (time.monotonic() - began)
    finally:
        handle.remove()


def opening() -> None:
    """Seconds from the address typed into a browser to the first written token, on a server just started and again."""
    with served() as (address, _), chromium() as browser:
        for what in ("the model still on the disk", "the model loaded"):
            began = time.monotonic()
            page = opened(browser, f"{address}/steering")
            page.wait_for_function(_WRITTEN, timeout=120_000)
            first = time.monotonic() - began
            settled(page, 120_000)
            page.get_by_text("Written:").first.wait_for(timeout=120_000)
            said = page.get_by_text("Written:").first.inner_text().splitlines()[0]
            print(f"opening the page, {what}: first token after {first:.1f} s; {said}", flush=True)
            page.context.close()


def sets(model: LanguageModel) -> None:
    """A direction from 100 polite and 100 rude messages, its held-out AUC, and what it does to texts."""
    polite = [p.format(t) for p, t in itertools.product(POLITE, TOPICS)]
    rude = [p.format(t) for p, t in itertools.product(RUDE, TOPICS)]
    began = time.monotonic()
    contrast = Contrast()
    contrast.language_model = model
    contrast.fit(two_sets(polite, rude, ("polite", "rude")), seed=0)
    seconds, found = time.monotonic() - began, contrast.auc_
    basis, block = contrast.bases()["directions"], contrast.blocks_[0]
    print(f"sets: 100 polite and 100 rude messages in {seconds:.0f} s; held-out AUC {found.auc:.3f} "
          f"(95 of 100 shuffles stay below {found.chance:.3f}, p {found.p:.3f})")  # fmt: skip
    meters: dict[str, Meter] = {
        "polite": word_meter(
            "please thank thanks kind kindly appreciate grateful welcome hope sorry lovely best wishes"
        ),
        "rude": word_meter(
            "stupid idiot useless pathetic garbage damn rubbish dumb moron fool sick shut hate joke mess"
        ),
    }
    sigma = float(basis.scale[0])
    strengths = [strength_of(model, block, sigma, r) for r in (-0.25, 0.0, 0.25)]
    table = last(
        dose_response(
            model, basis.directions[0], sigma, block, strengths=strengths, seeds=(0, 1), meters=meters, random=False
        )
    )
    for name in meters:
        _, means, _ = table.curve(name)
        print(
            f"  {name} words: "
            + ", ".join(f"r {r:+g}: {m:.2f} %" for r, m in zip((-0.25, 0, 0.25), means, strict=True))
        )


def memory(model: LanguageModel, texts: int, block: int) -> None:
    """Memory while a stream of texts of 200 tokens is read."""
    words = [w for t in openings() for w in t.lower().split()]
    rng = np.random.default_rng(0)

    def stream() -> Iterator[str]:
        for _ in range(texts):
            yield model.detokenize(model.tokenize(" ".join(rng.choice(words, 220)))[:200])

    process, seen = psutil.Process(), []
    began = time.monotonic()

    def note(report) -> None:
        seen.append((report.step, process.memory_info().rss))

    read = activations(model, stream(), blocks=block, on_progress=note)
    seconds = time.monotonic() - began
    early = max(rss for step, rss in seen if step <= max(texts // 10, 256))
    most = max(rss for _, rss in seen)
    print(
        f"memory: {len(read):,} texts of 200 tokens, block {block}, {seconds:.0f} s "
        f"({200 * len(read) / seconds:,.0f} tokens a second); resident after a tenth at most {early / 2**20:,.0f} MB, "
        f"at the end {most / 2**20:,.0f} MB; what is returned has {read.samples.nbytes / 2**20:.0f} MB",
        flush=True,
    )


def _spread(values: Sequence[float]) -> str:
    return f"{np.mean(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def main(argv: Sequence[str]) -> int:
    """Print the tables; without a language model, one sentence that says how to get it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks steering", description=__doc__)
    parser.add_argument("--only", choices=("dose", "speed", "opening", "sets", "memory"), help="one table")
    parser.add_argument("--quick", action="store_true", help="one seed, four openings, 300 texts")
    parser.add_argument("--seeds", type=int, default=None, help="seeds of the dose table (5)")
    parser.add_argument("--texts", type=int, default=None, help="texts of the memory table (1000)")
    parser.add_argument(
        "--block", type=int, default=1, help="block that the memory table reads; later ones take longer"
    )
    args = parser.parse_args(argv)
    use_one_thread()
    try:
        model = LanguageModel.load()
    except InputError as error:
        print(error)
        return 0
    if args.only in (None, "speed"):
        speed(model, 1 if args.quick else 3)
    if args.only in (None, "opening"):
        opening()
    if args.only in (None, "sets"):
        sets(model)
    if args.only in (None, "dose"):
        dose(model, args.seeds or (1 if args.quick else 5), args.quick)
    if args.only in (None, "memory"):
        memory(model, args.texts or (300 if args.quick else 1000), args.block)
    return 0
