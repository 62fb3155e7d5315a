"""The mark that every exported picture and clip carries: that it was synthesised."""

import io
from html import escape
from typing import Any

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from core.errors import InputError

SYNTHETIC = (
    "Synthesised picture: the motion of this face was made by a computer program (Basis Explorer) and was not recorded."
)
SOURCE_TYPE = (
    "http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia"  # IPTC's word for it
)
TITLE = "Synthesised facial motion"
COMMENT = f"{SYNTHETIC} synthetic=true; DigitalSourceType={SOURCE_TYPE}"
_USER_COMMENT, _EXIF = 0x9286, 0x8769


def xmp() -> bytes:
    """An XMP packet with IPTC's digital source type and our sentence, for pictures."""
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" '
        'xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<Iptc4xmpExt:DigitalSourceType>{SOURCE_TYPE}</Iptc4xmpExt:DigitalSourceType>"
        f'<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{escape(SYNTHETIC)}</rdf:li></rdf:Alt></dc:description>'
        '</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
    ).encode()


def marked_png(picture: np.ndarray) -> bytes:
    """A PNG of `(H, W, 3)` uint8 with the mark as text and as XMP; the pixels are unchanged."""
    words = PngInfo()
    words.add_text("Title", TITLE)
    words.add_text("Comment", SYNTHETIC)
    words.add_text("synthetic", "true")
    words.add_itxt("XML:com.adobe.xmp", xmp().decode())
    return _saved(picture, format="PNG", pnginfo=words)


def marked_jpeg(picture: np.ndarray, quality: int = 92) -> bytes:
    """A JPEG of `(H, W, 3)` uint8 with the mark as comment, as EXIF user comment and as XMP."""
    exif = Image.Exif()
    exif[0x010E] = TITLE  # ImageDescription
    exif.get_ifd(_EXIF)[_USER_COMMENT] = b"ASCII\0\0\0" + COMMENT.encode()
    return _saved(picture, format="JPEG", quality=quality, exif=exif, xmp=xmp(), comment=COMMENT.encode())


def _saved(picture: np.ndarray, **how: Any) -> bytes:
    out = io.BytesIO()
    Image.fromarray(checked(picture)).save(out, **how)
    return out.getvalue()


def checked(picture: np.ndarray) -> np.ndarray:
    """The picture, if it is one.

    Raises:
        InputError: not `(H, W, 3)` uint8, or without pixels.
    """
    picture = np.asarray(picture)
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or not picture.size:
        raise InputError("A picture to write needs rows, columns and three colours of whole numbers from 0 to 255.")
    return picture


def is_marked(data: bytes) -> bool:
    """Whether a file of ours (png, jpeg, gif, mp4) still carries the sentence. Other programs may have taken it out."""
    return SYNTHETIC.encode() in data
