"""Numbers that tell what a basis is worth. Pure functions on arrays; they know no model.

Where a function takes them, the order is basis `(K, D)`, codes `(N, K)`, samples `(N, ...)`.
"""

from core.diagnostics.arrays import halves
from core.diagnostics.codes import (
    active,
    code_correlation,
    dead_directions,
    energy_count,
    excess_kurtosis,
    hoyer,
    l0,
    use,
)
from core.diagnostics.compare import (
    Match,
    Stability,
    control_basis,
    match,
    matched_correlation,
    matched_cosine,
    principal_angles,
    stability,
)
from core.diagnostics.energy import (
    energy_order,
    explained_energy,
    explained_share,
    reconstruction_error,
    span_energy,
)
from core.diagnostics.geometry import (
    coherence,
    cosines,
    effective_rank,
    gram,
    orthogonality_error,
    participation_ratio,
    span_variances,
)
from core.diagnostics.groups import Group, describe_groups
from core.diagnostics.look import attribution, extremes, most_correlated, most_similar, quantile_groups
from core.diagnostics.privileged import Privileged, privileged
from core.diagnostics.steps import contributions, error_path, first_counts, own_order, partial_codes
from core.diagnostics.summary import LABELS, summary
from core.diagnostics.verdict import verdict

__all__ = [
    "LABELS",
    "Group",
    "Match",
    "Privileged",
    "Stability",
    "active",
    "attribution",
    "code_correlation",
    "coherence",
    "contributions",
    "control_basis",
    "cosines",
    "dead_directions",
    "describe_groups",
    "effective_rank",
    "energy_count",
    "energy_order",
    "error_path",
    "excess_kurtosis",
    "explained_energy",
    "explained_share",
    "extremes",
    "first_counts",
    "gram",
    "halves",
    "hoyer",
    "l0",
    "match",
    "matched_correlation",
    "matched_cosine",
    "most_correlated",
    "most_similar",
    "orthogonality_error",
    "own_order",
    "partial_codes",
    "participation_ratio",
    "principal_angles",
    "privileged",
    "quantile_groups",
    "reconstruction_error",
    "span_energy",
    "span_variances",
    "stability",
    "summary",
    "use",
    "verdict",
]
