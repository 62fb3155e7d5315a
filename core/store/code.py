"""Python code that a person takes away beside a model."""

from core.store.card import Card


def snippet(card: Card, path: str = "model.basis.zip") -> str:
    """Python code that loads an exported model with the core package, encodes samples and decodes them again.

    Args:
        path: where the code looks for the exported file (or a model folder).
    """
    if card.kind == "text":
        samples = 'samples = np.array(["a first text", "a second text"])  # put your own texts here'
    else:
        shape = ", ".join(str(n) for n in (2, *card.shape))
        samples = f"samples = np.zeros(({shape}), dtype=np.float32)  # put your own samples here"
    what = " ".join(f"{card.name or card.family} ({card.family})".split())
    return f"""# {what}
import numpy as np

from core.store import load

model, card = load({path!r})
{samples}
codes = model.encode(samples)  # one row of weights for each sample
again = model.decode(codes)  # one flat sample for each row
for bank, basis in model.bases().items():
    print(bank, basis.directions.shape)
print(codes.shape, again.shape)
"""
