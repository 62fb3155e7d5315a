"""The dictionary side of sparse coding as pure functions: where atoms start, move, and are given another chance."""

import torch


def unit_rows(rows: torch.Tensor) -> torch.Tensor:
    """Rows scaled to length one; a row of zeros stays as it is."""
    return rows / rows.norm(dim=1, keepdim=True).clamp_min(1e-12)


def first_atoms(x: torch.Tensor, k: int, generator: torch.Generator) -> torch.Tensor:
    """`(K, D)` unit atoms: samples drawn with a chance that grows with their squared length, slightly disturbed.

    The disturbance keeps equal samples from becoming equal atoms. Drawn on the CPU, so that all devices start alike.
    """
    chance = x.square().sum(1).cpu().double() + 1e-12
    drawn = torch.multinomial(chance, k, generator=generator)
    atoms = unit_rows(x[drawn.to(x.device)])
    noise = torch.randn(atoms.shape, generator=generator).to(atoms)
    return unit_rows(atoms + 0.05 * unit_rows(noise))


def descend(dictionary: torch.Tensor, zz: torch.Tensor, zx: torch.Tensor, passes: int = 1) -> torch.Tensor:
    """Block coordinate descent on `tr(D^T ZZ D) / 2 - tr(D^T ZX)` over atoms of at most unit length.

    Args:
        dictionary: `(K, D)`, the start.
        zz: `(K, K)` averaged `z^T z`.
        zx: `(K, D)` averaged `z^T x`.

    Returns:
        `(K, D)` unit atoms; an atom that no code uses (a zero on the diagonal of zz) is left alone.

    Source: Mairal, Bach, Ponce, Sapiro 2010, algorithm 2.
    """
    d = dictionary.clone()
    diagonal = zz.diagonal()
    used = (diagonal > 1e-10).nonzero().flatten().tolist()
    pull = zx / diagonal.clamp_min(1e-10)[:, None]
    share = zz / diagonal.clamp_min(1e-10)[:, None]
    for _ in range(passes):
        for j in used:
            atom = d[j] + pull[j] - share[j] @ d
            d[j] = atom / atom.norm().clamp_min(1e-12)
    return d


def reseed(
    dictionary: torch.Tensor, dead: torch.Tensor, x: torch.Tensor, residual: torch.Tensor, generator: torch.Generator
) -> torch.Tensor:
    """The dictionary with its dead atoms replaced by residuals of badly reconstructed samples.

    Args:
        dictionary: `(K, D)`.
        dead: `(K,)` booleans.
        x, residual: `(N, D)` samples and what is left of them; samples with larger residuals are likelier.
    """
    places = dead.nonzero().flatten()[: len(x)]
    if not len(places):
        return dictionary
    chance = residual.square().sum(1).cpu().double() + 1e-12
    drawn = torch.multinomial(chance, len(places), generator=generator).to(x.device)
    new = dictionary.clone()
    fresh = residual[drawn]
    fresh = torch.where(fresh.norm(dim=1, keepdim=True) > 1e-6, fresh, x[drawn])
    noise = torch.randn(fresh.shape, generator=generator).to(fresh)  # equal samples must not become equal atoms
    new[places] = unit_rows(unit_rows(fresh) + 0.05 * unit_rows(noise))
    return new


def matched_correlation(found: torch.Tensor, planted: torch.Tensor) -> torch.Tensor:
    """`(K,)` absolute correlations of planted atoms with found ones under the best one-to-one assignment."""
    from scipy.optimize import linear_sum_assignment

    correlation = (unit_rows(planted) @ unit_rows(found).T).abs().cpu()
    rows, columns = linear_sum_assignment(-correlation.numpy())
    return correlation[rows, columns]
