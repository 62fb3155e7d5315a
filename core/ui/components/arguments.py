"""Arguments that mixer and gallery share, checked and made plain for the browser."""

from collections.abc import Iterable, Sequence


def texts(values: Sequence[str] | None, k: int, what: str) -> list[str] | None:
    """K texts for the browser.

    Raises:
        ValueError: another number of them.
    """
    if values is None:
        return None
    if len(values) != k:
        raise ValueError(f"{k} directions need {k} {what}, not {len(values)}")
    return [str(v) for v in values]


def indices(order: Iterable[int] | None, k: int) -> list[int] | None:
    """Indices of directions for the browser; None stands for all as they are.

    Raises:
        ValueError: one that is no direction, or is there twice.
    """
    if order is None:
        return None
    order = [int(i) for i in order]
    if len(set(order)) != len(order) or any(not 0 <= i < k for i in order):
        raise ValueError(f"order must hold different indices from 0 to {k - 1}")
    return order
