"""A language model for the tests: the real one where the machine has it, a tiny random Llama everywhere."""

import pytest
import torch

TEXTS = [
    "The cat sat on the mat and looked at the moon.",
    "You are a helpful assistant.",
    "user system 0123456789 ¿qué?",
]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CONTROLS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def make_tiny(blocks=4, width=48, seed=0, tie=True):
    """A random Llama with a byte-level tokenizer of its own: `(module, tokenizer)`."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    raw.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=320, initial_alphabet=alphabet, special_tokens=CONTROLS, show_progress=False, min_frequency=1
        ),
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, bos_token=CONTROLS[1], eos_token=CONTROLS[2], unk_token=CONTROLS[0]
    )
    tokenizer.chat_template = TEMPLATE
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=blocks,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        bos_token_id=1,
        eos_token_id=2,
        tie_word_embeddings=tie,
        initializer_range=0.3,
    )
    return LlamaForCausalLM(config).float(), tokenizer


@pytest.fixture(scope="session")
def tiny():
    """A `LanguageModel` of 4 blocks and width 48 with random weights, float32."""
    from core.steering.language_model import LanguageModel

    return LanguageModel(*make_tiny(), name="tiny")


@pytest.fixture(scope="session")
def real():
    """SmolLM2-135M-Instruct in float32; the test is skipped where this machine has not fetched it."""
    from core.steering.assets import SMOLLM2
    from core.steering.language_model import LanguageModel

    if SMOLLM2.missing():
        pytest.skip(SMOLLM2.missing())
    return LanguageModel.load("smollm2", "cpu", torch.float32)


@pytest.fixture(scope="session")
def writer(request):
    """The real model where the machine has it, else the tiny one."""
    from core.steering.assets import SMOLLM2

    return request.getfixturevalue("tiny" if SMOLLM2.missing() else "real")
