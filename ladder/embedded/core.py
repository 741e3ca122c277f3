"""The compiled core of a clone, which the bots of the embedded service play with.

A wheel may have it within (`santiago --version` says so). In a clone `make demo` compiles it, if a
C compiler is there, into a folder of the environment: a whole copy of what bots import. The service
itself and tests run the source.
"""

import filecmp
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from referee.rules import CORE

_FOLDER: Final = Path(sys.prefix) / "compiled"
_PACKAGES: Final = ("referee", "sample_bots")


@cache
def compiled_core(folder: Path = _FOLDER) -> Mapping[str, str]:
    """Return the environment in which bots play with the compiled core; empty if there is none.

    One that was made of another source than ours does not count. A process compares once.
    """
    if CORE == "compiled" or not all(_is_ours(folder, package) for package in _PACKAGES):
        return {}
    return {"PYTHONPATH": str(folder)}


def _is_ours(folder: Path, package: str) -> bool:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    ours = Path(spec.submodule_search_locations[0])
    found = [path for kind in ("*.py", "*.bin") for path in ours.rglob(kind)]
    sources = [path.relative_to(ours) for path in found]
    _, differing, missing = filecmp.cmpfiles(ours, folder / package, sources, shallow=False)
    return not differing and not missing
