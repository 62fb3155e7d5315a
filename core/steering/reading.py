"""What the models of this folder share: they read texts with a language model, and are one basis of what it makes of
them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.basis import Basis
from core.datasets.dataset import Dataset
from core.errors import InputError
from core.linear import LinearModel, flat, measured
from core.models import Settings, setting
from core.progress import Run
from core.steering.activations import POOLINGS, activations
from core.steering.evidence import Evidence, pack, pack_texts, unpack, unpack_texts
from core.steering.language_model import LanguageModel
from core.steering.steer import Steer

TOKENS_A_SECOND = 350  # of reading, on one ordinary core


@dataclass(frozen=True)
class ReadingSettings(Settings):
    """What every model here needs to know to read a text."""

    source: str = setting(
        "smollm2", "What reads the texts: smollm2, a Hugging Face id, a folder or a GGUF file.", title="Language model"
    )
    block: int = setting(14, "Behind which block the residual stream is read and later changed.", low=0, high=1000)
    pooling: str = setting("mean", "One vector a text: the mean of its tokens, or the last one.", choices=POOLINGS)
    chat: bool = setting(False, "Read each text as a message in a chat.", more=True)


class ReadingModel(LinearModel):
    """A basis of a language model's activations, fitted to texts (read with the model) or to activations as they are.

    Attributes:
        basis_: directions `(K, W)`, `(K, B * W)` where several blocks are joined; mean; scale = sigma of each weight.
        blocks_: the blocks that were read.
        codes_: `(N, K)` weights of the texts it was fitted to.
        texts_: their beginnings, N strings; empty when it was fitted to activations.
        labels_: their labels, N strings, or None.
        evidence_: K `Evidence`.
        about_: `model` (name), `fingerprint` (of the language model's weights) and more, plain values.
        language_model: what reads the texts; the server's one of `settings.source` when left out.
    """

    kind_ = "activations"  # of the samples that it encodes, whatever it was fitted to
    language_model: LanguageModel | None = None
    blocks_: list[int]

    def reader(self) -> LanguageModel:
        """The language model that reads the texts.

        Raises:
            InputError: it cannot be had.
        """
        from core.steering.shared import shared

        return self.language_model or shared(self.settings.source)

    def reads(self, dataset: Dataset, blocks: list[int], run: Run) -> Dataset:
        """The activations of a dataset of texts; a dataset of activations comes back as it is."""
        if dataset.kind == "activations":
            given = dataset.extra.get("blocks")
            self.blocks_ = [int(b) for b in given.ravel()] if given is not None else blocks
            self.about_, self.texts_ = {}, []
            if "texts" in dataset.extra:
                self.texts_ = [str(t) for t in dataset.extra["texts"]]
            return dataset
        s, model = self.settings, self.reader()
        several = len(blocks) > 1
        read = activations(
            model, dataset, blocks=blocks if several else blocks[0], pooling=s.pooling, chat=s.chat, run=Longer(run)
        )
        self.blocks_ = blocks
        self.texts_ = [str(t) for t in dataset.samples[read.extra["text"]]]
        self.about_ = {"model": model.name, "fingerprint": model.fingerprint}
        return read

    def keep(self, basis: Basis, read: Dataset) -> None:
        """Take the basis, measure it on what was read, and remember the weights."""
        self.shape_ = read.shape
        codes = basis.encode(read.matrix)
        self.basis_ = measured(basis, codes)
        self.codes_ = codes.astype(np.float32)
        self.labels_ = None if read.labels is None else [str(v) for v in read.labels]
        variance = read.matrix.var(axis=0, dtype=np.float64).sum()
        self.evidence_ = [
            Evidence(share=float(np.square(self.basis_.scale[i]) / variance)) for i in range(self.basis_.k)
        ]

    def describe(self, evidence: list[Evidence]) -> None:
        """Take what was found out of the directions; they are named by it."""
        self.evidence_ = evidence
        names, seen = {}, set()
        for i, e in enumerate(evidence):
            title = e.title or str(i + 1)
            title = title if title not in seen else f"{title} {i + 1}"
            seen.add(title)
            names[i] = title
        self.basis_ = self.basis_.rename(names)

    def encode(self, samples):
        samples = np.asarray(samples)
        if samples.dtype.kind in "OUS":
            samples = self.read_texts(samples.ravel())
        return self.basis_.encode(flat(samples))

    def read_texts(self, texts: Any) -> np.ndarray:
        """Activations `(N, ...)` of texts, read as the model was fitted.

        Raises:
            InputError: there is no such language model, or a text without a word.
        """
        s, model = self.settings, self.reader()
        self.check(model)
        texts = [str(t) for t in texts]
        several = len(self.blocks_) > 1
        blocks = self.blocks_ if several else self.blocks_[0]
        read = activations(model, texts, blocks=blocks, pooling=s.pooling, chat=s.chat)
        if len(read) < len(texts):
            raise InputError("A text without a word in it has no weights; write something first.")
        return read.samples

    def check(self, model: LanguageModel) -> None:
        """Make sure that the directions belong to this language model.

        Raises:
            InputError: another width, or other weights.
        """
        width = self.basis_.d // len(self.blocks_)
        if model.width != width or max(self.blocks_) >= model.blocks:
            raise InputError(
                f"These directions are {width} numbers wide and belong to block {max(self.blocks_)}; {model.name} has "
                f"{model.blocks} blocks of {model.width}."
            )
        mark = self.about_.get("fingerprint")
        if mark and mark != model.fingerprint:
            raise InputError(
                f"These directions were found in {self.about_.get('model', 'another model')}, whose weights are not "
                f"those of {model.name}; fit them anew."
            )

    def slices(self, direction: int) -> dict[int, np.ndarray]:
        """The part `(W,)` of a direction that is added at each block."""
        parts = self.basis_.directions[direction].reshape(len(self.blocks_), -1)
        return dict(zip(self.blocks_, parts, strict=True))

    def steers(self, weights: Any, **more: Any) -> list[Steer]:
        """What has to be done to the model to move its activations by weights `(K,)`, in sigma: a steer a block.

        Args:
            more: of `Steer`. `cap` and `ablate` measure projections from the mean of the texts. Where several blocks
                are joined, each gets its part of the sum, by adding.
        """
        strengths = np.asarray(weights, dtype=np.float64) * self.basis_.scale
        if len(self.blocks_) == 1:
            more.setdefault("centre", np.array(self.basis_.mean))
            return [Steer(self.blocks_[0], list(zip(self.basis_.directions, strengths, strict=True)), **more)]
        parts = (strengths @ self.basis_.directions).reshape(len(self.blocks_), -1)
        return [
            Steer.of_vector(b, part, where=more.get("where", "both"))
            for b, part in zip(self.blocks_, parts, strict=True)
        ]

    def arrays(self):
        found = super().arrays() | {
            "blocks": np.array(self.blocks_, dtype=np.int64),
            "codes": self.codes_,
            "about": pack(self.about_ | {"names": list(self.basis_.names)}, self.evidence_),
        }
        if self.texts_:
            found["texts"] = pack_texts(self.texts_)
        if self.labels_ is not None:
            found["labels"] = pack_texts(self.labels_)
        return found

    def _load(self, arrays):
        super()._load(arrays)
        basis, n = self.basis_, len(arrays["codes"])
        self.codes_ = np.asarray(arrays["codes"], dtype=np.float32)
        self.blocks_ = [int(b) for b in arrays["blocks"]]
        self.about_, self.evidence_ = unpack(arrays["about"])
        names = [str(v) for v in self.about_.pop("names", basis.names)]
        sound = self.codes_.shape == (n, basis.k) and len(self.evidence_) == basis.k == len(names)
        if not sound or not self.blocks_ or min(self.blocks_) < 0 or basis.d % len(self.blocks_):
            raise ValueError("its parts do not fit together")
        self.basis_ = basis.rename(dict(enumerate(names)))
        self.texts_ = unpack_texts(arrays["texts"], n) if "texts" in arrays else []
        self.labels_ = unpack_texts(arrays["labels"], n) if "labels" in arrays else None

    def seconds(self, dataset):
        if dataset.kind != "text":
            return 1.0
        return 10.0 + sum(len(str(t)) for t in dataset.samples) / 4 / TOKENS_A_SECOND


class Longer(Run):
    """A run with one more step behind the steps of the work that it is given to."""

    def __init__(self, run: Run):
        self._run = run

    def progress(self, step, total, metrics=None, preview=None):
        self._run.progress(step, total + 1, metrics, preview)

    def should_stop(self):
        return self._run.should_stop()

    def checkpoint(self, state):
        self._run.checkpoint(state)

    def restore(self):
        return self._run.restore()
