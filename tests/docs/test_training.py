"""docs/train-a-bot.md: its files train a network, and the bot made of it plays and is uploaded."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import missing
from tests.docs.pages import Block, blocks, type_into_shell
from tests.ladder.cli.client.sites import running

PAGE = "train-a-bot.md"
ROUNDS = "10"  # and not as many as the page says, for which one would wait


def commands(shell: list[Block], word: str) -> list[str]:
    """The lines of the block in which a word stands."""
    (block,) = (block for block in shell if word in block.text)
    return block.text.splitlines()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all files of the page, and weights after a few rounds."""
    folder = tmp_path_factory.mktemp("learned")
    for block in blocks(PAGE):
        if block.language == "python":
            assert block.name is not None
            (folder / block.name).write_text(block.text)
        elif block.language == "toml":
            (folder / "santiago.toml").write_text(block.text)
    [command] = commands(SHELL, "train.py")
    short = re.sub(r"\d+$", ROUNDS, command)
    said = type_into_shell(short, folder, OPENBLAS_NUM_THREADS="1")
    assert re.search(rf"^round {ROUNDS}: 163,200 decisions, [\d,]+ games over$", said, re.M)
    return folder


SHELL = [block for block in blocks(PAGE) if block.language == "sh"]


def test_the_weights_are_finite_and_small(trained: Path) -> None:
    with np.load(trained / "weights.npz") as file:
        assert all(np.isfinite(file[name]).all() for name in file)
    assert (trained / "weights.npz").stat().st_size < 300_000


def test_the_bot_beats_random_after_a_few_rounds(trained: Path) -> None:
    two, three = commands(SHELL, "--seats 3")
    assert "learned beats random at " in type_into_shell(two.replace(" 20 ", " 8 "), trained)
    assert "faulted" not in type_into_shell(three.replace(" 18 ", " 3 "), trained)


def test_its_package_is_tried_and_uploaded(trained: Path, tmp_path: Path) -> None:
    if shutil.which("bwrap") is None:
        missing("bubblewrap")
    pack, attempt = commands(SHELL, "bot try")
    assert "learned-1.zip: learned 1 for python, " in type_into_shell(pack, trained)
    said = type_into_shell(f"{attempt} --no-check", trained)
    assert "faulted" not in said
    submit, status = commands(SHELL, "bot submit")
    with running(tmp_path) as site:
        environ = {"SANTIAGO_SITE": site.url, "SANTIAGO_API_TOKEN": site.author}
        assert "learned" in type_into_shell(submit, trained, **environ)
        assert "learned" in type_into_shell(status, trained, **environ)
