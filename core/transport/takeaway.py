"""Files of a local spectrum, and code that computes it again."""

import io

import numpy as np

from core.transport.fit import SpectrumSettings
from core.transport.spectrum import LocalSpectrum


def field_npz(spectrum: LocalSpectrum, **more: np.ndarray) -> bytes:
    """The spectrum with everything needed to draw it again (`LocalSpectrum.from_arrays`), and further arrays."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **spectrum.arrays(), **more)
    return buffer.getvalue()


def read_npz(content: bytes) -> LocalSpectrum:
    """The inverse of `field_npz`."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return LocalSpectrum.from_arrays(dict(arrays))


def png(values: np.ndarray) -> bytes:
    """A picture `(1, H, W)` or `(3, H, W)` in 0..1; what is outside is clipped."""
    from PIL import Image

    pixels = np.rint(255 * np.clip(values, 0, 1)).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels[0] if len(pixels) == 1 else np.moveaxis(pixels, 0, -1)).save(buffer, "PNG")
    return buffer.getvalue()


def snippet(
    source: str,
    size: int,
    colour: bool,
    settings: SpectrumSettings,
    seed: int,
    *,
    kind: str = "picture",
    window: tuple[float, float] | None = None,
) -> str:
    """Code that fits the same spectrum and prints its decibels.

    Args:
        source: `made:<name>`, `packaged:<name>`, `sound:<name>`, `outline:<name>`, `solid:<name>` or `file:<name>`.
        size, colour: of a picture.
        kind: of the signal.
        window: start and seconds of what is fitted of a sound.
    """
    first = _source(source, size, colour, kind, window)
    given = {n: v for n, v in settings.as_dict().items() if v != getattr(SpectrumSettings(), n)}
    steps = given.pop("refine", 0)
    options = ", ".join(f"{n}={v!r}" for n, v in given.items())
    picture = kind == "picture"
    measure = "psnr" if picture else "snr"
    quality = "psnr(values, np.clip(spectrum.synthesise(), 0, 1))" if picture else "snr(values, spectrum.synthesise())"
    more = "from core.transport.refine import refine\n" if steps else ""
    moved = f"fitted = refine(values, fitted, settings, steps={steps})\n" if steps else ""
    return (
        f"import numpy as np\n\nfrom core.transport.fit import SpectrumSettings, fit_spectrum, {measure}\n"
        f"{more}{first}"
        f"settings = SpectrumSettings({options})\n"
        f"fitted = fit_spectrum(values, settings, seed={seed})\n"
        f"{moved}"
        "spectrum = fitted.spectrum\n"
        f'print(f"{{spectrum.stored}} numbers, {{{quality}:.1f}} dB")\n'
        "print(np.linalg.norm(spectrum.carriers, axis=1))  # cycles a side\n"
    )


def _source(source: str, size: int, colour: bool, kind: str, window: tuple[float, float] | None) -> str:
    place, _, name = source.partition(":")
    cut = f"signal = window_of(signal, {window[0]:g}, {window[1]:g})\n" if window else ""
    if place == "made":
        return (
            f"from core.transport.samples import MADE\n\nvalues = MADE[{name!r}]({size})[0][None].astype(np.float32)\n"
        )
    if place == "packaged":
        return (
            "from core.transport.samples import photograph\nfrom core.transport.signal import channels_first\n\n"
            f"values = channels_first(photograph({name!r}, {size}, colour={colour}), 2)\n"
        )
    if place == "sound":
        maker = {"glide": "glide", "made speech": "spoken"}[name]
        return (
            f"from core.transport.signal import window_of\nfrom core.transport.sound import {maker}\n\n"
            f"signal = {maker}()\n{cut}values = signal.values\n"
        )
    if place == "outline":
        return "from core.transport.shapes import outline, star\n\nvalues = outline(star()).values\n"
    if place == "solid":
        return f"from core.transport.shapes import solid\n\nvalues = solid({name!r}).values\n"
    head = "from pathlib import Path\n\n"
    read = f"signal = read_upload({name!r}, Path({name!r}).read_bytes())\n"
    uploads = "from core.transport.uploads import read_upload\n\n"
    if kind == "sound":
        return f"{head}from core.transport.signal import window_of\n{uploads}{read}{cut}values = signal.values\n"
    if kind == "solid":
        return f"{head}{uploads}{read}values = signal.values\n"
    pixels = "np.moveaxis(signal.values, 0, -1)" if colour else "signal.values.mean(0)"
    last = f"values = picture_signal({pixels}, longest={size}).values\n"
    outlined = ""
    if kind == "outline":
        outlined = "from core.transport.shapes import mask_outline\n"
        last += "values = mask_outline(values.mean(0) < 0.5).values\n"
    return f"{head}{outlined}from core.transport.signal import picture_signal\n{uploads}{read}{last}"
