"""Numbers as people read them: three significant digits, shares in percent with one decimal."""

import math


def number(value: float, digits: int = 3) -> str:
    """A number with `digits` significant digits; powers of ten only where plain digits would be long."""
    value = float(value)
    if not math.isfinite(value):
        return "not defined" if math.isnan(value) else ("infinite" if value > 0 else "minus infinite")
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size >= 6 or size < -3:
        mantissa, power = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa}e{int(power)}"
    rounded = round(value, digits - 1 - size)
    return f"{rounded:,.{max(digits - 1 - math.floor(math.log10(abs(rounded))), 0)}f}"


def percent(share: float) -> str:
    """A share in percent with one decimal."""
    return f"{100 * share:z.1f}%" if math.isfinite(share) else "not defined"
