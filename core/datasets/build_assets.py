"""Make the files in `assets/samples/` from the packages that ship the data: `python -m core.datasets.build_assets`.

Three files, of numbers and sound only. Their sources and licences are in `assets/README.md`. The packages are not
installed, only unpacked:

    pip download --no-deps sktime==1.2.0 scipy==1.10.1 pysptk==1.0.1 -d DOWNLOADS
    python -m core.datasets.build_assets DOWNLOADS
"""

import io
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np

SAMPLES = Path(__file__).parents[2] / "assets" / "samples"


def tecator(wheel: Path, out: Path) -> None:
    """215 absorbance spectra and fat contents of sktime's `.ts` files (train, then test) as one npz."""
    spectra, fat = [], []
    with zipfile.ZipFile(wheel) as archive:
        for part in ("TRAIN", "TEST"):
            text = archive.read(f"sktime/datasets/data/Tecator/Tecator_{part}.ts").decode()
            for line in text.split("@data", 1)[1].split():
                values, label = line.rsplit(":", 1)
                spectra.append([float(v) for v in values.split(",")])
                fat.append(float(label))
    np.savez_compressed(out, spectra=np.array(spectra, np.float32), fat=np.array(fat, np.float32))


def ecg(wheel: Path, out: Path) -> None:
    """Five minutes of MIT-BIH record 208 out of an older SciPy, in units of the converter (0 mV = 1024, 1 mV = 200)."""
    with zipfile.ZipFile(wheel) as archive:
        content = io.BytesIO(archive.read("scipy/misc/ecg.dat"))
    with np.load(content, allow_pickle=False) as arrays:
        np.savez_compressed(out, counts=arrays["ecg"].astype(np.uint16))


def speech(archive: Path, out: Path) -> None:
    """One sentence of CMU ARCTIC out of pysptk, as lossless FLAC."""
    import soundfile

    with tarfile.open(archive) as tar:
        root = tar.getnames()[0].split("/")[0]
        content = tar.extractfile(f"{root}/pysptk/example_audio_data/arctic_a0007.wav").read()
    wave, rate = soundfile.read(io.BytesIO(content), dtype="int16")
    soundfile.write(out, wave, rate, format="FLAC", subtype="PCM_16")


def main(downloads: str) -> None:
    """Build all three from a folder of downloaded packages."""
    folder = Path(downloads)
    SAMPLES.mkdir(parents=True, exist_ok=True)
    tecator(next(folder.glob("sktime-*.whl")), SAMPLES / "tecator.npz")
    ecg(next(folder.glob("scipy-1.10.1-*.whl")), SAMPLES / "ecg.npz")
    speech(next(folder.glob("pysptk-*.tar.gz")), SAMPLES / "speech.flac")
    for path in sorted(SAMPLES.iterdir()):
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
