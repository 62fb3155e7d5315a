"""GraphML, read as a stream of events: no document type, no entities, no nesting that costs memory."""

from typing import Any
from xml.parsers import expat

from core.datasets.guard import decoding
from core.errors import InputError

MAX_TEXT = 10_000
_TYPES = {"int": float, "long": float, "float": float, "double": float, "boolean": str, "string": str}


class _Reader:
    """Collects nodes, edges and their values while the parser calls it."""

    def __init__(self, label: str):
        self.label = label
        self.keys: dict[str, tuple[str, Any]] = {}
        self.nodes: list[tuple[str, dict]] = []
        self.edges: list[list] = []
        self.inside: dict | None = None
        self.weight_of: list | None = None
        self.key: str | None = None
        self.text: list[str] = []
        self.root = self.depth = 0
        self.directed = False

    def refuse(self, *_):
        raise InputError(
            f"{self.label} declares a document type or entities, which GraphML does not need; remove them."
        )

    def start(self, tag: str, values: dict):
        tag = tag.rsplit("}", 1)[-1]
        self.depth += 1
        if self.depth > 50:
            raise InputError(f"{self.label} nests its elements too deeply for a graph.")
        if self.depth == 1 and tag != "graphml":
            raise InputError(f"{self.label} is not GraphML; its outermost element must be graphml.")
        if tag == "key":
            self.keys[values.get("id", "")] = (
                values.get("attr.name", values.get("id", "")),
                _TYPES.get(values.get("attr.type", "string"), str),
            )
        elif tag == "graph":
            self.directed |= values.get("edgedefault") == "directed"
        elif tag == "node":
            self.inside = {}
            self.nodes.append((values.get("id", ""), self.inside))
        elif tag == "edge":
            self.weight_of = [values.get("source", ""), values.get("target", ""), 1.0]
            self.edges.append(self.weight_of)
        elif tag == "hyperedge":
            raise InputError(f"{self.label} has hyperedges; only edges between two nodes are accepted.")
        elif tag == "data":
            self.key, self.text = values.get("key"), []

    def characters(self, text: str):
        if self.key is not None and len(self.text) < MAX_TEXT:
            self.text.append(text[:MAX_TEXT])

    def end(self, tag: str):
        tag = tag.rsplit("}", 1)[-1]
        self.depth -= 1
        if tag == "data" and self.key is not None:
            name, kind = self.keys.get(self.key, (self.key, str))
            text = "".join(self.text).strip()[:MAX_TEXT]
            try:
                value = kind(text)
            except ValueError:
                raise InputError(f"{self.label} gives {name} a value that is not a number.") from None
            if self.weight_of is not None:
                if name.lower() in ("weight", "value"):
                    self.weight_of[2] = value
            elif self.inside is not None:
                self.inside[name] = value
            self.key = None
        elif tag == "node":
            self.inside = None
        elif tag == "edge":
            self.weight_of = None


def read_graphml(label: str, data: bytes) -> tuple[list[tuple[str, dict]], list[list], bool]:
    """Nodes `(id, values)`, edges `[source, target, weight]`, and whether the edges have a direction.

    Raises:
        InputError: not GraphML, damaged, with a document type or entities, or with hyperedges.
    """
    reader = _Reader(label)
    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = reader.refuse
    parser.ExternalEntityRefHandler = parser.UnparsedEntityDeclHandler = reader.refuse
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.characters
    parser.buffer_text = True
    with decoding(label, "well-formed GraphML is accepted"):
        parser.Parse(data, True)
    return reader.nodes, reader.edges, reader.directed
