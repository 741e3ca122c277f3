"""`python` of tests.forking does what Python does, though it is forked."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("forked_python")
ENDLESS = "import os, time; print(os.getpid(), flush=True); time.sleep(300)"


def ran(*words: str, typed: str = "", folder: Path | None = None) -> tuple[str, int]:
    ended = subprocess.run(
        ["python", *words], input=typed, stdout=subprocess.PIPE, text=True, cwd=folder, timeout=60
    )
    return ended.stdout, ended.returncode


def test_code_modules_and_files_get_their_words(tmp_path: Path) -> None:
    (tmp_path / "said.py").write_text("import sys; print(sys.argv[1:], __name__)")
    for words in (("-c", "from said import *"), ("-m", "said"), ("said.py",)):
        said, code = ran(*words, "one", "two", folder=tmp_path)
        name = "said" if words[0] == "-c" else "__main__"
        assert (said, code) == (f"['one', 'two'] {name}\n", 0)


def test_it_writes_no_bytecode_if_it_is_not_to(tmp_path: Path) -> None:
    """One whose files may have 100 bytes left a module cut off for all that imported it later."""
    (tmp_path / "said.py").touch()
    cached = tmp_path / "__pycache__"
    start = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import said'])"
    for code in ("import said", start):
        assert ran("-B", "-c", code, folder=tmp_path) == ("", 0)
        assert not cached.exists()
    assert ran("-c", "import said", folder=tmp_path) == ("", 0)
    assert cached.exists()


def test_it_reads_what_is_typed_and_ends_with_its_code() -> None:
    assert ran("-c", "print(input())\nraise SystemExit(5)", typed="rum\n") == ("rum\n", 5)
    assert ran("-c", "import os\nos.kill(os.getpid(), 9)") == ("", -signal.SIGKILL)


def test_words_that_it_does_not_know_are_for_the_real_python() -> None:
    assert ran("-V") == (f"Python {sys.version.split()[0]}\n", 0)


def test_so_is_a_path_for_modules_that_is_not_that_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked = "import sys; print('grpc' in sys.modules)"
    assert ran("-c", forked) == ("True\n", 0)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert ran("-c", forked) == ("False\n", 0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_it_ends_with_the_process_that_asked_for_it(number: signal.Signals) -> None:
    with subprocess.Popen(["python", "-c", ENDLESS], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip().isdigit()
        process.send_signal(number)
        assert process.wait(60) == -number
        assert process.stdout.read() == "", "nobody has it open any more"
