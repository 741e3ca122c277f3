"""The descriptors of proto/santiago/v1, with the comments that stand in the sources."""

import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_tools import protoc

PROTO = Path(__file__).parents[2] / "proto"
SOURCES = sorted(path.relative_to(PROTO) for path in PROTO.rglob("*.proto"))


@cache
def files() -> list[FileDescriptorProto]:
    """One descriptor a source file, compiled afresh."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "all.binpb")
        options = [f"--proto_path={PROTO}", f"--descriptor_set_out={out}", "--include_source_info"]
        assert protoc.main(["protoc", *options, *map(str, SOURCES)]) == 0
        return list(FileDescriptorSet.FromString(out.read_bytes()).file)


def comments(file: FileDescriptorProto) -> dict[tuple[int, ...], str]:
    """The comment before each element, by the element's path in the descriptor."""
    return {tuple(place.path): place.leading_comments for place in file.source_code_info.location}


def names(file: FileDescriptorProto) -> Iterator[tuple[tuple[int, ...], str]]:
    """Path and name of everything in a file that has one. No message of ours holds another."""
    for at, message in enumerate(file.message_type):
        assert not message.nested_type
        assert not message.enum_type
        yield from _within((4, at), message.name, [field.name for field in message.field])
    for at, enum in enumerate(file.enum_type):
        yield from _within((5, at), enum.name, [value.name for value in enum.value])
    for at, service in enumerate(file.service):
        yield from _within((6, at), service.name, [call.name for call in service.method])


def _within(
    path: tuple[int, int], outer: str, inner: Sequence[str]
) -> Iterator[tuple[tuple[int, ...], str]]:
    yield path, outer
    yield from (((*path, 2, at), name) for at, name in enumerate(inner))
