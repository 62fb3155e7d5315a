"""Importing this module registers every family of the page *Frequency transport*."""

from core.transport import models  # noqa: F401
