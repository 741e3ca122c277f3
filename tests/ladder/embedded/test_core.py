"""The compiled core serves the bots of a clone as long as it was made of the same source."""

import shutil
from pathlib import Path

from ladder.embedded.hosting import compiled_core
from tests.conftest import PROJECT


def test_only_a_core_of_the_same_source_serves_bots(tmp_path: Path) -> None:
    assert compiled_core(tmp_path / "nothing") == {}
    for package in ("referee", "sample_bots"):
        unwanted = shutil.ignore_patterns("__pycache__", "node_modules", "cpp")
        shutil.copytree(PROJECT / package, tmp_path / package, ignore=unwanted)
    assert compiled_core(tmp_path) == {"PYTHONPATH": str(tmp_path)}
    (tmp_path / "referee/rules/city.py").write_text("# another rule\n")
    compiled_core.cache_clear()
    assert compiled_core(tmp_path) == {}
