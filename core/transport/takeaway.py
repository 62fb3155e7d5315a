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


def snippet(source: str, size: int, colour: bool, settings: SpectrumSettings, seed: int) -> str:
    """Code that fits the same spectrum and prints its PSNR.

    Args:
        source: `made:<name>`, `packaged:<name>` or `file:<name>`.
    """
    kind, _, name = source.partition(":")
    if kind == "made":
        first = (
            f"from core.transport.samples import MADE\n\nvalues = MADE[{name!r}]({size})[0][None].astype(np.float32)\n"
        )
    elif kind == "packaged":
        first = (
            "from core.transport.samples import photograph\nfrom core.transport.signal import channels_first\n\n"
            f"values = channels_first(photograph({name!r}, {size}, colour={colour}), 2)\n"
        )
    else:
        first = (
            "from pathlib import Path\n\nfrom core.transport.signal import picture_signal\n"
            "from core.transport.uploads import read_picture\n\n"
            f"signal = read_picture({name!r}, Path({name!r}).read_bytes())\n"
            + ("" if colour else "pixels = signal.values.mean(0)\n")
            + ("pixels = np.moveaxis(signal.values, 0, -1)\n" if colour else "")
            + f"values = picture_signal(pixels, longest={size}).values\n"
        )
    given = {n: v for n, v in settings.as_dict().items() if v != getattr(SpectrumSettings(), n)}
    options = ", ".join(f"{n}={v!r}" for n, v in given.items())
    return (
        "import numpy as np\n\nfrom core.transport.fit import SpectrumSettings, fit_spectrum, psnr\n"
        f"{first}"
        f"fitted = fit_spectrum(values, SpectrumSettings({options}), seed={seed})\n"
        "spectrum = fitted.spectrum\n"
        "drawn = np.clip(spectrum.synthesise(), 0, 1)\n"
        'print(f"{spectrum.stored} numbers, {psnr(values, drawn):.1f} dB")\n'
        "print(np.hypot(*spectrum.carriers.T))  # cycles a side\n"
    )
