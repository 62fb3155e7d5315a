"""Importing this module registers every family of the page *Facial motion*."""

from core.face.small import model, personal  # noqa: F401
