"""A language model's GGUF file as a folder of bfloat16 safetensors."""

from pathlib import Path

from core.assets import Progress


def convert(gguf: Path, folder: Path, progress: Progress) -> None:
    """Write a GGUF file's model as `model.safetensors` (bfloat16), `config.json` and the tokenizer's files.

    The model that transformers makes of a GGUF file refuses to be saved, so its weights move to a fresh one.

    Raises:
        InputError: the file is no language model.
    """
    import torch
    from transformers import AutoModelForCausalLM

    from core.steering.loading import load_gguf

    progress(0.0, "Reading the model (once, about half a minute)")
    module, tokenizer = load_gguf(gguf, torch.float32)
    progress(0.7, "Writing it in bfloat16")
    config = type(module.config).from_dict(
        {k: v for k, v in module.config.to_dict().items() if k != "quantization_config"}
    )
    weights = {name: tensor.to(torch.bfloat16) for name, tensor in module.state_dict().items()}
    with torch.device("meta"):
        plain = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    plain.load_state_dict(weights, assign=True)
    plain.tie_weights()
    plain.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
