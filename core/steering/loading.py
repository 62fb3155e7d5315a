"""Causal language models from the cache, a folder, a GGUF file or the Hugging Face hub; every failure one sentence."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import torch

from core.errors import InputError

DEFAULT = "smollm2"
ROOM = 1.3  # of the weights in memory: what loading needs beside them


def load_model(source: str, dtype: torch.dtype) -> tuple[Any, Any, str, str]:
    """A causal language model on the CPU.

    Args:
        source: `smollm2`, a folder, the path of a GGUF file, or a Hugging Face id.
        dtype: of the weights.

    Returns:
        The transformers model, its tokenizer, a name for people, and a fingerprint of the weights (independent of
        `dtype`).

    Raises:
        InputError: there is no such model, or it is none that writes text.
    """
    from core.steering.assets import SMOLLM2

    if not source:
        raise InputError("Name a language model: smollm2, a Hugging Face id, a folder or a GGUF file.")
    path = _path(source)
    if source == DEFAULT:
        folder = SMOLLM2.check()
        digest = hashlib.sha256(json.dumps(SMOLLM2.sums(), sort_keys=True).encode()).hexdigest()
        return *_from_pretrained(str(folder), dtype, SMOLLM2.title, local=True), SMOLLM2.title, digest
    if path.is_dir():
        files = sorted(path.glob("*.safetensors"))
        if not (path / "config.json").is_file() or not files:
            raise InputError(
                f"The folder {path.name} holds no language model: it needs config.json, *.safetensors and a tokenizer."
            )
        _check_room(sum(f.stat().st_size for f in files), path.name)
        return *_from_pretrained(str(path), dtype, path.name, local=True), path.name, _digest(files)
    if path.is_file() or source.endswith(".gguf"):
        module, tokenizer = load_gguf(path, dtype)
        return module, tokenizer, path.name, _digest([path])
    local = _find(source)
    module, tokenizer = _from_pretrained(source, dtype, source, local=local)
    commit = getattr(module.config, "_commit_hash", None) or "main"
    return module, tokenizer, source, hashlib.sha256(f"{source}@{commit}".encode()).hexdigest()


def _path(source: str) -> Path:
    """What a person has typed as a path, whether there is anything at it or not."""
    try:
        path = Path(source).expanduser()
        path.exists()
        return path
    except (OSError, ValueError, RuntimeError):  # too long, with a zero in it, or at the home of nobody
        raise InputError(
            f"{source[:80]!r} is no folder, no GGUF file and no Hugging Face id (such as owner/model)."
        ) from None


def load_gguf(path: Path, dtype: torch.dtype) -> tuple[Any, Any]:
    """Model and tokenizer of a GGUF file.

    Raises:
        InputError: there is no such file, it is damaged, or it holds something else than a language model.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    _quiet()
    path = Path(path).expanduser()
    if not path.is_file():
        raise InputError(f"There is no file {path.name}; give the path of a GGUF file of a language model.")
    with open(path, "rb") as file:
        if file.read(4) != b"GGUF":
            raise InputError(f"The file {path.name} is no GGUF file; give one that holds a language model.")
    architecture, has_tokens = _gguf_architecture(path)
    if not has_tokens:
        raise InputError(
            f"The GGUF file {path.name} holds no language model (its architecture is {architecture!r}, without a "
            "tokenizer); give one that does."
        )
    _check_room(4 * path.stat().st_size, path.name)
    try:
        return (
            AutoModelForCausalLM.from_pretrained(
                path.parent, gguf_file=path.name, dtype=dtype, quantization_config=GgufConfig(dequantize=True)
            ),
            AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name),
        )
    except InputError:
        raise
    except Exception as error:  # whatever the library trips over, this file is none that it reads
        raise InputError(
            f"The GGUF file {path.name} (architecture {architecture!r}) is damaged or of a form that is not read here; "
            "Llama, Qwen, Gemma, Phi, GPT-2 and their like are."
        ) from error


def _gguf_architecture(path: Path) -> tuple[str, bool]:
    from gguf import GGUFReader

    try:
        reader = GGUFReader(path)
        field = reader.get_field("general.architecture")
        return str(field.contents())[:60], reader.get_field("tokenizer.ggml.tokens") is not None
    except Exception as error:  # the reader meets bytes that somebody made up
        raise InputError(f"The GGUF file {path.name} is damaged or cut short.") from error


def _from_pretrained(where: str, dtype: torch.dtype, name: str, *, local: bool) -> tuple[Any, Any]:
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    _quiet()
    options = dict(local_files_only=local, trust_remote_code=False)
    try:
        config = AutoConfig.from_pretrained(where, **options)
        kinds = list(getattr(config, "architectures", None) or [])
        if not any(k.endswith(("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")) for k in kinds):
            raise InputError(
                f"{name} is no model that writes text (its kind is {', '.join(kinds) or 'unknown'}); take a causal "
                "language model."
            )
        module = AutoModelForCausalLM.from_pretrained(where, dtype=dtype, use_safetensors=True, **options)
        return module, AutoTokenizer.from_pretrained(where, **options)
    except InputError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:160]
        raise InputError(
            f"{name} could not be loaded: it needs config.json, weights as safetensors, and a tokenizer, all of a kind "
            f"that transformers knows ({type(error).__name__}: {reason})."
        ) from error


def _find(name: str) -> bool:
    """Whether a Hugging Face id is in its cache on this machine; if not, whether the hub has it and there is room.

    Raises:
        InputError: not an id, not on the hub, not public, no network, or too large.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )
    from huggingface_hub.utils import validate_repo_id
    from transformers import AutoConfig, AutoTokenizer

    try:
        validate_repo_id(name)
    except HFValidationError:
        raise InputError(
            f"{name[:80]!r} is no folder, no GGUF file and no Hugging Face id (such as owner/model)."
        ) from None
    try:
        AutoConfig.from_pretrained(name, local_files_only=True)
        AutoTokenizer.from_pretrained(name, local_files_only=True)
        return True
    except (OSError, ValueError, LocalEntryNotFoundError):
        pass
    try:
        about = HfApi(endpoint=os.environ.get("HF_ENDPOINT")).model_info(name, files_metadata=True, timeout=10)
    except GatedRepoError:
        raise InputError(f"{name} asks for a permission on Hugging Face; take a model that is public.") from None
    except (RepositoryNotFoundError, EntryNotFoundError):
        raise InputError(f"There is no public model {name} on Hugging Face; check the id (owner/model).") from None
    except Exception as error:  # of the network below: many kinds, all with one meaning
        raise InputError(
            f"Hugging Face cannot be reached from here, and {name} is not on this machine; take smollm2, a folder or a "
            "GGUF file."
        ) from error
    sizes = [f.size or 0 for f in about.siblings or [] if f.rfilename.endswith(".safetensors")]
    if not sizes:
        raise InputError(f"{name} has no weights as safetensors, the one form that is read here.")
    _check_room(sum(sizes), name)
    return False


def _check_room(size: int, name: str) -> None:
    import psutil

    free = psutil.virtual_memory().available
    if size * ROOM > free:
        raise InputError(
            f"{name} needs about {size * ROOM / 2**30:.0f} GB of memory and {free / 2**30:.0f} GB are free; take a "
            "smaller model."
        )


def _quiet() -> None:
    """No bars of the library's own on the terminal, and no advice meant for whoever writes code with it."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()


def _digest(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        with open(path, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
