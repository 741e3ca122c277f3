"""What is printed of our data shows no secret: logs and tracebacks would keep it."""

import ast
import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SECRET: Final = re.compile(
    r"^    ((?:\w+_)?(?:key|password|secret|token|ticket)s?|dice_seed|invitation)"
    r": (?!Mapped)(?=.*\b(?:str|bytes|Text|Word)\b)",
    re.MULTILINE,
)
SHOWN: Final = {
    ("referee/hosting/settings.py", "HostSettings", "key"): "the name of a file",
    ("referee/seats/player.py", "GameOver", "dice_seed"): "revealed to all",
    ("ladder/ratings/rebuilding.py", "Difference", "key"): "of a row",
    ("ladder/ratings/stored.py", "RatingTable", "keys"): "of a table",
    ("web/search.py", "AskedBot", "key"): "the name of a field",
}
"""Fields that are named like secrets and are none."""


def shown_by(name: str) -> set[tuple[str, str, str]]:
    """Return the fields of a file's classes that are named like secrets and stand in a repr."""
    text = (ROOT / name).read_text()
    secrets = set(SECRET.findall(text))
    return {
        (name, found.name, line.target.id)
        for found in (ast.parse(text).body if secrets else ())
        if isinstance(found, ast.ClassDef)
        for line in found.body
        if isinstance(line, ast.AnnAssign)
        if isinstance(line.target, ast.Name) and line.target.id in secrets
        if "repr=False" not in ast.unparse(line)
    }


def test_no_repr_of_data_shows_a_secret() -> None:
    files = [
        file.relative_to(ROOT).as_posix()
        for package in ("referee", "ladder", "web")
        for file in (ROOT / package).rglob("*.py")
    ]
    assert len(files) > 300
    assert set[tuple[str, str, str]]().union(*map(shown_by, files)) == set(SHOWN)
