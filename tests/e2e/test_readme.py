"""What the README tells a newcomer to do works as it stands there."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
TIMEOUT = 60.0


def test_the_bot_of_the_readme_plays(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "my_bot.py").write_text(code)
    (line,) = re.findall(r"^    \.venv/bin/santiago (play .*my_bot\.py.*)$", README, re.MULTILINE)
    line = line.replace(".venv/bin/python", sys.executable).replace("--games 20", "--games 2")
    ended = subprocess.run(
        [sys.executable, "-m", "ladder.cli.main", *shlex.split(line)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert ended.returncode == 0, ended.stderr
    assert "my-bot" in ended.stdout
    assert len(list((tmp_path / "my-games").iterdir())) == 2


def test_its_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "docs" / "operate.md"):
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name} links to {link}, which is not there"
