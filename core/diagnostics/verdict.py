"""Where a basis does worse than the random control or than PCA, in one sentence each."""

from collections.abc import Mapping

_SAME = 0.002  # shares that differ by less are the same


def verdict(here: Mapping[str, float], control: Mapping[str, float], pca_energy: float | None = None) -> list[str]:
    """Sentences for what the numbers of `summary` say against a basis; empty when they say nothing.

    Args:
        here, control: numbers of the basis and of random directions of equal number.
        pca_energy: explained energy of PCA with as many directions, if it is known.
    """
    out = []
    mine, random = here["explained_energy"], control["explained_energy"]
    if mine < random - _SAME:
        out.append(f"It explains {mine:.1%} of the energy; random directions of equal number explain {random:.1%}.")
    if pca_energy is not None and mine < pca_energy - _SAME:
        out.append(f"It explains {mine:.1%} of the energy; PCA with as many directions explains {pca_energy:.1%}.")
    if here["coherence"] > control["coherence"] + 0.05:
        out.append(
            f"Two of its directions are more alike (cosine {here['coherence']:.2f}) than any two random ones "
            f"({control['coherence']:.2f})."
        )
    if here["dead"] > control["dead"]:
        count = int(here["dead"])
        out.append(f"{count} of its directions {'is' if count == 1 else 'are'} hardly used at all.")
    if here["hoyer"] <= control["hoyer"]:
        out.append("Its codes are no sparser than those of random directions.")
    if here["kurtosis"] <= here["kurtosis_high"]:
        out.append("Its weights have no heavier tails than a random rotation has, so its axes are not special.")
    return out
