"""What the README tells a newcomer to do works as it stands there."""

import re
import shlex
import sys
from pathlib import Path

from tests.forking import Forked

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_bot_of_the_readme_plays(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "my_bot.py").write_text(code)
    (line,) = re.findall(r"^    \.venv/bin/santiago (play .*my_bot\.py.*)$", README, re.MULTILINE)
    line = line.replace(".venv/bin/python", sys.executable).replace("--games 20", "--games 2")
    env = {"PYTHONPATH": str(ROOT)}
    with Forked("ladder.cli.main", *shlex.split(line), env=env, cwd=tmp_path, piped=True) as play:
        said, errors = play.communicate()
    assert play.returncode == 0, errors
    assert "my-bot" in said
    assert len(list((tmp_path / "my-games").iterdir())) == 2


def test_its_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "docs" / "operate.md"):
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name} links to {link}, which is not there"
