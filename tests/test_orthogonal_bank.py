"""The module that hands out orthonormal directions: signs, gradients, precision, several banks."""

import numpy as np
import pytest
import torch

from core.basis import Basis, OrthogonalBank


def bank(*args, **kwargs):
    torch.manual_seed(0)
    return OrthogonalBank(*args, **kwargs)


@pytest.mark.parametrize(("k", "d"), [(1, 1), (6, 6), (20, 512), (128, 256)])
@pytest.mark.parametrize("sign", ["positive", "lapack"])
def test_orthonormal_in_single_precision(k, d, sign):
    directions = bank(k, d, sign=sign).directions()
    assert directions.dtype == torch.float32
    assert (directions @ directions.T - torch.eye(k)).abs().max() < 1e-5


def test_lapack_signs_are_those_of_plain_qr():
    b = bank(5, 9, sign="lapack")
    weight = b.weight.detach()
    assert torch.equal(b.directions(), torch.linalg.qr(weight)[0].T)
    assert np.allclose(b.directions().detach(), np.linalg.qr(weight.numpy(), mode="reduced")[0].T, atol=1e-5)


def test_an_offset_is_added_before_qr():
    b = bank(3, 6, sign="lapack", offset=0.5)
    assert torch.equal(b.directions(), torch.linalg.qr(b.weight.detach() + 0.5)[0].T)


def test_positive_signs_give_a_positive_diagonal():
    b = bank(5, 9)
    r = b.directions() @ b.weight  # Q^T A
    assert (torch.diagonal(r) > 0).all()
    assert torch.tril(r, -1).abs().max() < 1e-5


def test_an_orthonormal_matrix_comes_back_as_it_is():
    b, wanted = bank(4, 7), torch.tensor(Basis.random(4, 7, seed=2).directions)
    with torch.no_grad():
        b.weight.copy_(wanted.T)
    assert torch.allclose(b.directions(), wanted, atol=1e-5)


def test_positive_signs_are_continuous():
    # Two matrices a hair apart, on either side of where Householder QR flips a sign
    b = bank(1, 2)
    found = []
    for entry in (1e-4, -1e-4):
        with torch.no_grad():
            b.weight.copy_(torch.tensor([[entry], [1.0]]))
        found.append(b.directions().detach())
    assert (found[0] - found[1]).abs().max() < 1e-3


@pytest.mark.parametrize("sign", ["positive", "lapack"])
@pytest.mark.parametrize(("k", "d"), [(3, 6), (4, 4)])
def test_gradient_by_finite_differences(sign, k, d):
    b = bank(k, d, sign=sign).double()
    target = torch.randn(k, d, dtype=torch.float64)

    def loss(weight):
        with torch.no_grad():
            b.weight.copy_(weight)
        return float(((b.directions() - target) ** 3).sum().detach())

    start = b.weight.detach().clone()
    ((b.directions() - target) ** 3).sum().backward()
    numeric = torch.zeros_like(start)
    for i in range(d):
        for j in range(k):
            step = torch.zeros_like(start)
            step[i, j] = 1e-6
            numeric[i, j] = (loss(start + step) - loss(start - step)) / 2e-6
    assert torch.allclose(b.weight.grad, numeric, rtol=1e-5, atol=1e-6)


def test_training_reaches_a_target_span():
    b, target = bank(2, 6), torch.tensor(Basis.random(2, 6, seed=1).directions)
    optimiser = torch.optim.Adam(b.parameters(), lr=0.05)
    for _ in range(200):
        optimiser.zero_grad()
        (-(b.directions() @ target.T).square().sum()).backward()
        optimiser.step()
    cosines = torch.linalg.svdvals(b.directions().detach() @ target.T)
    assert cosines.min() > 0.999
    assert Basis.from_bank(b).orthonormal


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision(dtype):
    b = bank(8, 32)
    with torch.autocast("cpu", dtype=dtype):
        directions = b.directions()
        out = b(torch.ones(2, 8))
    assert directions.dtype == torch.float32
    assert (directions @ directions.T - torch.eye(8)).abs().max() < 1e-5
    assert torch.isfinite(out).all()
    halved = bank(8, 32).to(dtype)
    assert (halved.directions() @ halved.directions().T - torch.eye(8)).abs().max() < 1e-5
    assert halved(torch.ones(2, 8, dtype=dtype)).dtype == dtype
    halved.directions().sum().backward()
    assert torch.isfinite(halved.weight.grad).all()


def test_banks_are_orthogonal_to_each_other():
    b = bank({"mouth": 3, "pose": 2, "expression": 4}, 16)
    d = b.directions()
    assert b.names == [
        *(f"mouth {i}" for i in (1, 2, 3)),
        "pose 1",
        "pose 2",
        *(f"expression {i}" for i in range(1, 5)),
    ]
    mouth, pose, expression = (d[b.rows(n)] for n in ("mouth", "pose", "expression"))
    assert [len(m) for m in (mouth, pose, expression)] == [3, 2, 4]
    for one, other in ((mouth, pose), (mouth, expression), (pose, expression)):
        assert (one @ other.T).abs().max() < 1e-5
    with pytest.raises(KeyError):
        b.rows("ears")


@pytest.mark.parametrize("sign", ["positive", "lapack"])
def test_a_bank_goes_on_from_another(sign):
    first = bank({"mouth": 3, "pose": 2}, 16, sign=sign)
    second = OrthogonalBank({"expression": 4}, 16, sign=sign, after=first)
    both = OrthogonalBank({"mouth": 3, "pose": 2, "expression": 4}, 16, sign=sign)
    with torch.no_grad():
        both.weight.copy_(torch.cat([first.weight, second.weight], dim=1))
    assert torch.equal(second.directions(), both.directions())
    assert second.names == both.names and second.rows("expression") == slice(5, 9)
    assert torch.allclose(second.directions()[:5], first.directions(), atol=1e-6)
    assert set(dict(second.named_parameters())) == {"weight"}
    second.directions()[5:].square().mul(torch.arange(16.0)).sum().backward()
    assert first.weight.grad.abs().max() > 0 and second.weight.grad.abs().max() > 0
    with pytest.raises(ValueError, match="different names"):
        OrthogonalBank({"pose": 1}, 16, after=first)
    with pytest.raises(ValueError, match="do not fit"):
        OrthogonalBank({"expression": 12}, 16, after=first)


def test_forward_is_a_weighted_sum():
    b = bank(3, 5)
    codes = torch.randn(2, 4, 3)
    assert torch.allclose(b(codes), torch.einsum("abk,kd->abd", codes, b.directions()), atol=1e-6)


def test_basis_from_bank():
    b = bank({"mouth": 2, "pose": 1}, 8)
    basis = Basis.from_bank(b, mean=np.ones(8), scale=[1, 2, 3])
    assert basis.names == ("mouth 1", "mouth 2", "pose 1")
    assert np.array_equal(basis.directions, b.directions().detach().numpy())
    assert np.allclose(basis.decode([1, 0, 0]), 1 + basis.directions[0])


def test_state_round_trip():
    one, other = bank({"a": 2}, 6), OrthogonalBank({"a": 2}, 6)
    other.load_state_dict(one.state_dict())
    assert torch.equal(one.directions(), other.directions())


def test_what_does_not_fit_is_refused():
    for banks, d in ((5, 4), (0, 4), ({"a": 3, "b": 2}, 4)):
        with pytest.raises(ValueError, match="do not fit"):
            OrthogonalBank(banks, d)
    with pytest.raises(ValueError, match="sign"):
        OrthogonalBank(2, 4, sign="other")
