"""The models of the page *Steer generations*, in the order in which they are listed."""

# ruff: noqa: F401, I001
from core.steering import skills
from core.steering import contrast
