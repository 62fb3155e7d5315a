"""Scripts and styles of the components, read once; one component is a few small files in a row."""

import re
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
LIBRARY = ("payload", "colour", "image", "plot", "bars", "draw", "sound", "dom", "link")  # shared by all components


@cache
def script(*names: str) -> str:
    """Files of `js/` as one module. Streamlit sends it with every rerun, so comments and indents are left out."""
    text = "\n".join((_HERE / "js" / f"{name}.js").read_text(encoding="utf-8") for name in names)
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


@cache
def style(*names: str) -> str:
    """Files of `css/` as one sheet. It keeps its line ends, by which Streamlit tells a sheet from a file name."""
    text = "\n".join((_HERE / "css" / f"{name}.css").read_text(encoding="utf-8") for name in names)
    lines = (line.strip() for line in re.sub(r"/\*.*?\*/", "", text, flags=re.S).splitlines())
    return "\n".join(line for line in lines if line)
