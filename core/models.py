"""What every model family keeps to, and the list of families."""

import importlib.util
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import torch

from core.basis import Basis
from core.datasets.dataset import Dataset
from core.device import pick
from core.errors import InputError
from core.progress import CallbackRun, Progress, Run
from core.settings import Settings, setting

__all__ = ["Model", "Settings", "families", "family", "register", "setting"]


class Model:
    """Something fitted that encodes and decodes: scikit-learn's manners on the outside.

    A family is a subclass with the class attributes below, `_fit`, `encode`, `decode`, `bases`, `arrays` and
    `_load`, decorated with `@register`. Attributes that end in `_` exist after fitting.

    Attributes:
        family: `folder.name`, such as `directions.pca`; the folder is the one under `core/`.
        title: what the page calls it.
        summary: one sentence, what kind of directions it finds.
        source: the paper, with year.
        Settings: its settings class.
        affine: whether `decode` is `mean + code @ directions` of its one basis, so that a browser can mix it live.
        iterative: whether it trains by many steps (and can be stopped and resumed).
        parallel: whether several GPUs may share its training: it descends by one `core.training.train` on
            `self.device`, with a loss that is a mean over the batch.
        smallest: how many samples it needs; a model of a single signal needs one.
    """

    family: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str] = ""
    source: ClassVar[str] = ""
    Settings: ClassVar[type[Settings]]
    affine: ClassVar[bool] = False
    iterative: ClassVar[bool] = False
    parallel: ClassVar[bool] = False
    smallest: ClassVar[int] = 2

    def __init__(self, settings: Settings | None = None, *, device: str | torch.device | None = None, **values: Any):
        """Settings as an object or as keyword values; see the family's `Settings`."""
        if settings is not None and values:
            raise TypeError("give settings or keyword values, not both")
        self.settings = settings if settings is not None else self.Settings.of(values)
        self.device = pick(str(device)) if device is not None else pick()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings as plain values, as scikit-learn's estimators have them."""
        return self.settings.as_dict()

    def fit(
        self,
        dataset: Dataset,
        *,
        seed: int = 0,
        on_progress: Callable[[Progress], Any] | None = None,
        run: Run | None = None,
    ) -> Self:
        """Fit to a dataset. The same seed on the same device gives the same numbers.

        Args:
            dataset: `(N, *shape)` samples, finite.
            seed: of everything drawn at random.
            on_progress: called with each `Progress`; returning True stops the training and keeps what it has.
            run: instead of `on_progress`, the run that is told, asked to stop, and given checkpoints.

        Raises:
            InputError: the data does not suit the family or the settings (one clear sentence).
        """
        run = run or (CallbackRun(on_progress) if on_progress else Run())
        if len(dataset) < self.smallest:
            raise InputError("A basis needs at least two samples; this data has one.")
        self.shape_ = dataset.shape
        self.seed_ = int(seed)
        self._fit(dataset, seed=int(seed), run=run)
        return self

    def _fit(self, dataset: Dataset, *, seed: int, run: Run) -> None:
        raise NotImplementedError

    def encode(self, samples: np.ndarray) -> np.ndarray:
        """Codes `(N, K)` of samples `(N, *shape)` or `(N, D)`."""
        raise NotImplementedError

    def decode(self, codes: np.ndarray) -> np.ndarray:
        """Flat samples `(N, D)` of codes `(N, K)`."""
        raise NotImplementedError

    def bases(self) -> dict[str, Basis]:
        """The bases inside, by bank name; a model of one basis calls it `directions`."""
        raise NotImplementedError

    def mean_code(self) -> np.ndarray:
        """The code `(K,)` of a typical sample; zero unless a family says otherwise."""
        return np.zeros(sum(b.k for b in self.bases().values()), dtype=np.float32)

    def draw_directions(self, size: float = 2.0) -> np.ndarray:
        """What each direction adds to a sample, `(K, D)`, to draw directions that live in a latent space.

        Args:
            size: how far a typical sample moves along each direction, in units of `scale`. For affine models the
                directions themselves come back, whatever the size.
        """
        if self.affine:
            return next(iter(self.bases().values())).directions
        centre = self.mean_code()
        scale = np.concatenate([b.scale for b in self.bases().values()])
        return self.decode(centre + size * np.diag(scale)) - self.decode(centre[None])

    def arrays(self) -> dict[str, np.ndarray]:
        """All that was fitted, as named arrays; `core.store` writes them, `_load` takes them back."""
        raise NotImplementedError

    def _load(self, arrays: dict[str, np.ndarray]) -> None:
        raise NotImplementedError

    @classmethod
    def most(cls, dataset: Dataset) -> int | None:
        """The largest number of directions that it can find in this data, None when the data sets no limit."""
        return None

    @classmethod
    def from_arrays(
        cls, settings: dict[str, Any], arrays: dict[str, np.ndarray], shape: tuple[int, ...], *, device: Any = None
    ) -> Self:
        """A fitted model out of what `arrays` gave.

        Raises:
            InputError: settings or arrays that are not this family's.
        """
        model = cls(cls.Settings.of(settings), device=device)
        model.shape_ = tuple(shape)
        try:
            model._load(arrays)
        except (KeyError, ValueError, RuntimeError, IndexError) as error:
            why = f"there is none called {error}" if type(error) is KeyError else error
            raise InputError(f"These arrays do not make a model of the family {cls.family}: {why}.") from error
        return model

    def seconds(self, dataset: Dataset) -> float:
        """A rough guess of the time to fit on one core; pages send anything over two seconds to a run."""
        return 60.0 if self.iterative else 1.0


_families: dict[str, type[Model]] = {}


def register(cls: type[Model]) -> type[Model]:
    """Class decorator: list a family under its name.

    Raises:
        ValueError: the name is taken by another class.
    """
    if _families.setdefault(cls.family, cls) is not cls:
        raise ValueError(f"the family {cls.family} is registered twice")
    return cls


def families(folder: str | None = None) -> dict[str, type[Model]]:
    """All families by name, or those of one folder under `core/`, in the order of the folder's module `families`.

    A new family needs no list to be edited: every package under `core/` that has a module `families` is imported,
    and importing it registers what it holds.
    """
    import core

    found: dict[str, type[Model]] = {}
    for info in pkgutil.iter_modules(core.__path__):
        wanted = info.ispkg and (folder is None or info.name == folder)
        if wanted and importlib.util.find_spec(f"core.{info.name}.families"):
            listing = vars(importlib.import_module(f"core.{info.name}.families"))
            modules = [m.__name__ for m in listing.values() if inspect.ismodule(m)]
            here = [c for n, c in _families.items() if n.startswith(info.name + ".")]
            here.sort(key=lambda c: modules.index(c.__module__) if c.__module__ in modules else len(modules))
            found |= {c.family: c for c in here}
    return found | {n: c for n, c in _families.items() if folder is None and n not in found}


def family(name: str) -> type[Model]:
    """The family of that name.

    Raises:
        InputError: there is none.
    """
    if name not in _families:  # its own folder first: a worker that trains one family need not import them all
        families(name.partition(".")[0])
    if name not in _families:
        raise InputError(f"There is no family {name!r}; there are {', '.join(families())}.")
    return _families[name]
