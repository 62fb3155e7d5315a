"""What the loaders accept, how much of it, and the choices a person has."""

from dataclasses import dataclass, field

from core.settings import Settings, setting

TABLES = ("csv", "tsv", "parquet", "npy", "npz", "safetensors")
IMAGES = ("png", "jpg", "jpeg", "webp", "tif", "tiff", "gif", "bmp", "zip", "npy", "npz", "safetensors")

ACCEPTED: dict[str, tuple[str, ...]] = {
    "table": TABLES,
    "images": IMAGES,
    "curves": TABLES,
    "audio": ("wav", "flac", "ogg", "mp3"),
    "text": ("txt", "csv", "jsonl"),
    "activations": ("npy", "npz", "safetensors", "csv", "tsv", "parquet"),
}
"""The file endings that each kind of dataset is read from."""


@dataclass(frozen=True)
class Limits:
    """How much a loader takes; everything is checked before the memory is spent.

    Attributes:
        bytes: of one upload, by kind of dataset.
        samples: rows, images, frames or passages.
        features: numbers in one sample.
        elements: numbers in the whole dataset, after decompression.
        files: in one upload or zip.
        unpacked: bytes of all files of a zip together, unpacked.
        pixels: of one image, before it is made smaller.
        channels, rate, seconds: of a sound; what is longer than `seconds` is cut.
        characters: of one passage of text.
        magnitude: the largest number; squares of larger ones leave float32.
    """

    bytes: dict[str, int] = field(
        default_factory=lambda: {
            "table": 400_000_000,
            "images": 200_000_000,
            "curves": 400_000_000,
            "audio": 250_000_000,  # read a second at a time
            "text": 50_000_000,
            "activations": 400_000_000,
        }
    )
    samples: int = 500_000
    features: int = 200_000
    elements: int = 100_000_000
    files: int = 20_000
    unpacked: int = 500_000_000
    pixels: int = 40_000_000
    channels: int = 16
    rate: int = 384_000
    seconds: int = 60
    characters: int = 20_000
    magnitude: float = 1e15


LIMITS = Limits()


@dataclass(frozen=True)
class LoadOptions(Settings):
    """The choices of a load. An empty string, `auto` or 0 is decided from the data; the dataset's notes say how.

    Raises:
        InputError: a value that is not among the choices or out of range.
    """

    missing: str = setting(
        "refuse",
        "What to do with gaps in a table (empty cells, not-a-number, infinity).",
        choices=("refuse", "drop rows", "fill mean", "fill median"),
    )
    label_column: str = setting("", "The column that labels the samples; a single - for none.")
    name_column: str = setting("", "The column that names the samples; a single - for none.")
    text_column: str = setting("", "The column or field that holds the text.")
    header: str = setting("auto", "Whether the first row names the columns.", choices=("auto", "yes", "no"))
    separator: str = setting(
        "", "What separates the cells of a row.", choices=("", ",", ";", "\t", "|", " "), more=True
    )
    array: str = setting("", "Which array of the file holds the samples.", more=True)
    side: int = setting(0, "Side in pixels that images are cropped and resized to.", low=0, high=1024)
    colour: str = setting("auto", "Whether images are read in colour or grey.", choices=("auto", "grey", "colour"))
    patch: int = setting(0, "Side in pixels of the patches that images are cut into.", low=0, high=256)
    patches: int = setting(2000, "How many patches to cut.", low=2, high=200_000)
    frames: str = setting(
        "spectra", "A sound becomes magnitude spectra or windows of its waveform.", choices=("spectra", "waves")
    )
    window: int = setting(512, "Length of one frame of a sound, in samples.", low=16, high=8192)
    scale: str = setting("sqrt", "How magnitudes are compressed.", choices=("linear", "sqrt", "log"), more=True)
    split: str = setting(
        "auto", "Whether a text is cut into paragraphs or lines.", choices=("auto", "paragraphs", "lines")
    )
    seed: int = setting(0, "Seed of the patch positions.", low=0, high=2**31 - 1, more=True)
