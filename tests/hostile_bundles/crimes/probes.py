"""Looks for everything that a bundle must not reach, by one module after the other."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

_MODULES = ("files", "kernel", "network", "privileges", "processes")


def commit(targets: Mapping[str, Any]) -> Iterator[str]:
    """Yield what each module achieved, after its name."""
    for name in _MODULES:
        for deed in import_module(name).commit(targets):
            yield f"{name}: {deed}"
