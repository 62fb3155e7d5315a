"""One image file: its size from the header, and its pixels as float32 in 0..1."""

import io
from dataclasses import dataclass

import numpy as np

from core.datasets.guard import decoding
from core.datasets.options import LIMITS
from core.errors import InputError

_FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "GIF", "BMP")
_HINT = "accepted are complete png, jpg, webp, tif, gif and bmp images"
_LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)  # Rec. 601, as image programs use it
_GREY = ("1", "L", "LA", "La", "I", "F", "I;16", "I;16B", "I;16L", "I;16N")


@dataclass(frozen=True)
class Header:
    """Size after rotation, and whether the file is a grey one."""

    height: int
    width: int
    grey: bool


def _open(name: str, data: bytes):
    from PIL import Image

    Image.init()  # all plugins, or an absent one fails the others too
    with decoding(name, _HINT):
        try:
            image = Image.open(io.BytesIO(data), formats=_FORMATS)
        except Image.DecompressionBombError:
            most = LIMITS.pixels // 10**6
            raise InputError(
                f"{name} is an image of far too many pixels; at most {most} million are accepted."
            ) from None
    _check(name, *image.size)
    return image


def _check(name: str, width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise InputError(f"{name} is an image without pixels ({width} x {height}); {_HINT}.")
    if width * height > LIMITS.pixels:
        most = LIMITS.pixels // 10**6
        raise InputError(f"{name} is an image of {width:,} x {height:,} pixels; at most {most} million are accepted.")


def header(name: str, data: bytes) -> Header:
    """Size and colour of an image without decoding its pixels.

    Raises:
        InputError: no image, without pixels, or too large.
    """
    try:
        image = _open(name, data)
    except InputError:
        if data[:4] not in (b"II*\0", b"MM\0*"):
            raise
        page = _tiff_page(name, data)  # kinds of TIFF that Pillow does not know
        return Header(page.imagelength, page.imagewidth, page.samplesperpixel < 3)
    width, height = image.size
    with decoding(name, _HINT):
        turned = image.getexif().get(0x0112, 1) in (5, 6, 7, 8)
    return Header(width, height, image.mode in _GREY) if turned else Header(height, width, image.mode in _GREY)


def pixels(name: str, data: bytes, *, grey: bool, remarks: dict[str, int] | None = None) -> np.ndarray:
    """The pixels `(H, W)` if `grey`, else `(H, W, 3)`, float32 in 0..1, upright.

    Transparent images are laid on white; of several frames the first is taken; 16 bits are divided by 65535.

    Args:
        remarks: counts of what was done, by the words that say it; added to.

    Raises:
        InputError: cut off, damaged, too large, or not finite.
    """
    from PIL import Image, ImageOps

    remarks = {} if remarks is None else remarks

    def remark(what: str) -> None:
        remarks[what] = remarks.get(what, 0) + 1

    try:
        image = _open(name, data)
    except InputError:
        if data[:4] not in (b"II*\0", b"MM\0*"):
            raise
        return _channels(_tiff_pixels(name, data, remark), grey)
    if image.format == "TIFF" and image.mode.startswith("RGB") and _bits(image) > 8:  # Pillow would cut to 8
        return _channels(_tiff_pixels(name, data, remark), grey)
    if image.format == "PNG" and image.mode.startswith("RGB") and data[24] == 16:
        remark("16-bit colour was read with 8 bits")
    with decoding(name, _HINT):
        if getattr(image, "n_frames", 1) > 1:
            remark("only the first frame or page was kept")
            image.seek(0)
        image.load()
        if image.getexif().get(0x0112, 1) not in (0, 1):
            remark("turned upright as the camera noted")
        image = ImageOps.exif_transpose(image)
        mode = image.mode
        if mode.startswith("I") or mode == "F":
            array = np.asarray(image)
        else:
            if mode == "P" and "transparency" not in image.info:
                image = image.convert("RGB")
            elif mode in ("P", "PA", "LA", "La", "RGBa", "RGBA") or "transparency" in image.info:
                image = image.convert("RGBA")
                if image.getchannel("A").getextrema()[0] < 255:
                    remark("transparent parts were laid on white")
                image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
            elif mode not in ("L", "RGB"):
                image = image.convert("L" if mode == "1" else "RGB")
                if mode == "CMYK":
                    remark("converted from CMYK to RGB")
            array = np.asarray(image)
    return _channels(_scaled(name, array, remark), grey)


def _bits(tiff) -> int:
    with decoding("This image", _HINT):
        return max(tiff.tag_v2.get(258, (8,)))


def _scaled(name: str, array: np.ndarray, remark) -> np.ndarray:
    if array.dtype == np.bool_:
        return array.astype(np.float32)
    if array.dtype == np.uint8:
        return array.astype(np.float32) / 255
    if array.dtype == np.uint16:
        remark("16-bit values were divided by 65,535")
        return array.astype(np.float32) / 65535
    values = array.astype(np.float64)
    low, high = float(values.min()), float(values.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise InputError(f"{name} has pixels that are not finite numbers; all must be.")
    if array.dtype.kind in "iu" and low >= 0 and high <= 65535:
        remark("16-bit values were divided by 65,535")
        return (values / 65535).astype(np.float32)
    if low >= 0 and high <= 1:
        return values.astype(np.float32)
    remark("pixel values were stretched to 0 to 1")
    return ((values / 2 - low / 2) / max(high / 2 - low / 2, 1e-30)).astype(np.float32)


def _channels(array: np.ndarray, grey: bool) -> np.ndarray:
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[..., 0]
    if array.ndim == 3 and array.shape[2] == 2:
        array = array[..., 0]
    if grey:
        return array if array.ndim == 2 else luma(array[..., :3])
    return np.repeat(array[..., None], 3, axis=2) if array.ndim == 2 else array[..., :3]


def _tiff_page(name: str, data: bytes):
    import tifffile

    with decoding(name, _HINT):
        page = tifffile.TiffFile(io.BytesIO(data)).pages[0]
        width, height, samples = int(page.imagewidth), int(page.imagelength), int(page.samplesperpixel)
        depth = int(getattr(page, "imagedepth", 1))
    _check(name, width, height)
    if samples > 4 or depth != 1:
        raise InputError(f"{name} has {samples} channels and depth {depth}; accepted are up to 4 channels, depth 1.")
    return page


def _tiff_pixels(name: str, data: bytes, remark) -> np.ndarray:
    page = _tiff_page(name, data)
    with decoding(name, _HINT):
        array = page.asarray()
        if page.planarconfig == 2 and array.ndim == 3:
            array = np.moveaxis(array, 0, -1)
        if array.ndim not in (2, 3) or not array.size or array.dtype.kind not in "biuf":
            raise ValueError("not a plain image")
    return _scaled(name, array, remark)


def luma(pixels: np.ndarray) -> np.ndarray:
    """Brightness `(..., H, W)` of colours `(..., H, W, 3)`.

    Term by term: a matrix product rounds differently from one processor to the next, and the fingerprint with it.
    """
    red, green, blue = (pixels[..., i] * _LUMA[i] for i in range(3))
    return red + green + blue


def resized(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """An image `(H, W[, C])` cropped in the middle to the new shape's proportions, then resized.

    Shrinking averages over the pixels that fall together (Pillow's box-supported bicubic filter), so it does
    not alias.
    """
    from PIL import Image

    if image.shape[:2] == (height, width):
        return image
    h, w = image.shape[:2]
    factor = min(h / height, w / width)
    ch, cw = max(1, min(h, round(height * factor))), max(1, min(w, round(width * factor)))
    top, left = (h - ch) // 2, (w - cw) // 2
    image = image[top : top + ch, left : left + cw]
    planes = [image] if image.ndim == 2 else [image[..., c] for c in range(image.shape[2])]
    done = [
        np.asarray(
            Image.fromarray(np.ascontiguousarray(p, dtype=np.float32)).resize((width, height), Image.Resampling.BICUBIC)
        )
        for p in planes
    ]
    result = done[0] if image.ndim == 2 else np.stack(done, axis=-1)
    return np.clip(result, 0, 1)
