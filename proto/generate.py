"""Writes `referee/wire/*_pb2.py` and `*_pb2.pyi` from `proto/santiago/v1/*.proto`.

`python proto/generate.py` writes them; with `--check` nothing is written, and the exit status is 1
when what is there differs from what would be written.
"""

import re
import sys
import tempfile
from importlib import resources
from pathlib import Path

from grpc_tools import protoc

PROTO = Path(__file__).resolve().parent
SOURCES = PROTO / "santiago" / "v1"
WIRE = PROTO.parent / "referee" / "wire"
HEADER = "# Generated from {source} by proto/generate.py (make proto). Do not edit.\n"
NO_TYPE_CHECK = "# mypy: ignore-errors\n"  # protoc's stubs are not strict


def main(arguments: list[str]) -> int:
    """Generate, or with `--check` compare; returns the exit status."""
    if arguments not in ([], ["--check"]):
        return fail("usage: python proto/generate.py [--check]")
    wanted = generated()
    if arguments:
        return check(wanted)
    write(wanted)
    return 0


def generated() -> dict[str, str]:
    """The text of every file to be in `referee/wire/`, by name."""
    sources = sorted(SOURCES.glob("*.proto"))
    if not sources:
        raise SystemExit(fail(f"There is no .proto file in {shown(SOURCES)}."))
    with tempfile.TemporaryDirectory() as folder:
        compile_into(Path(folder), sources)
        return {
            path.name: flattened(path) for path in sorted(Path(folder, "santiago/v1").iterdir())
        }


def compile_into(folder: Path, sources: list[Path]) -> None:
    """Run protoc; its own messages name the line at fault."""
    well_known = resources.files("grpc_tools") / "_proto"
    options = [f"--proto_path={PROTO}", f"--proto_path={well_known}"]
    outputs = [f"--python_out={folder}", f"--pyi_out={folder}"]
    if protoc.main(["protoc", *options, *outputs, *map(str, sources)]) != 0:
        raise SystemExit(fail("protoc refused the .proto files: see its lines above."))


def flattened(path: Path) -> str:
    """One output of protoc, its imports turned from the package `santiago.v1` to `referee.wire`."""
    source = f"proto/santiago/v1/{path.name.partition('_pb2')[0]}.proto"
    text = re.sub(
        r"^from santiago\.v1 import ", "from referee.wire import ", path.read_text(), flags=re.M
    )
    return HEADER.format(source=source) + (NO_TYPE_CHECK if path.suffix == ".pyi" else "") + text


def present() -> dict[str, str]:
    """What is in `referee/wire/` now."""
    return {path.name: path.read_text() for path in sorted(WIRE.glob("*_pb2.py*"))}


def write(wanted: dict[str, str]) -> None:
    """Make `referee/wire/` hold just the wanted generated files."""
    WIRE.mkdir(exist_ok=True)
    for name in present().keys() - wanted.keys():
        (WIRE / name).unlink()
    for name, text in wanted.items():
        (WIRE / name).write_text(text)


def check(wanted: dict[str, str]) -> int:
    """Compare and name the files that differ; returns the exit status."""
    found = present()
    names = sorted(wanted.keys() | found.keys())
    differing = [name for name in names if wanted.get(name) != found.get(name)]
    if differing:
        return fail(
            f"{', '.join(differing)} in {shown(WIRE)} not up to date: run `make proto` and commit."
        )
    print(f"{shown(WIRE)} is up to date with {shown(SOURCES)}.")
    return 0


def fail(message: str) -> int:
    """Print a line to stderr; returns the exit status 1."""
    print(message, file=sys.stderr)
    return 1


def shown(path: Path) -> str:
    """A path as people write it, from the project's root."""
    return path.relative_to(PROTO.parent).as_posix()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
