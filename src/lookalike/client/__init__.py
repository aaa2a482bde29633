"""The index behind a server, as `la.Index` would have it."""

from lookalike.client.client import Client

__all__ = ["Client"]
