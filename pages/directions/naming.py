"""What samples and features are called on the page."""

from pages.directions.shown import Fitted


def has_names(fitted: Fitted) -> bool:
    """Whether the samples have names of their own, and not just numbers."""
    return any(name != str(i + 1) for i, name in enumerate(fitted.dataset.names))


def sample_name(fitted: Fitted, index: int, word: str = "") -> str:
    """A sample's name, or `word` and the number it has in the mixer, with its label."""
    own, label = fitted.dataset.names[index], fitted.dataset.labels
    name = f"{word} {index}".strip() if own == str(index + 1) else own
    return name if label is None else f"{name} · {label[index]}"


def feature_names(fitted: Fitted) -> list[str]:
    """Names of the entries of a sample."""
    return list(fitted.dataset.features or [f"entry {i + 1}" for i in range(fitted.dataset.d)])
