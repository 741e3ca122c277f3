"""The .proto files are the documentation of the wire, and follow the style of buf's lint rules."""

import re
from itertools import chain

import pytest
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    ServiceDescriptorProto,
)

from tests.proto.descriptors import SOURCES, comments, files, names

LOWER = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
CAPITALS = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
CAMEL = re.compile(r"[A-Z][a-zA-Z0-9]*")
EACH_FILE = pytest.mark.parametrize("file", files(), ids=lambda file: file.name)


def messages() -> list[DescriptorProto]:
    return list(chain.from_iterable(file.message_type for file in files()))


def enums() -> list[EnumDescriptorProto]:
    return list(chain.from_iterable(file.enum_type for file in files()))


def services() -> list[ServiceDescriptorProto]:
    return list(chain.from_iterable(file.service for file in files()))


def prefix(enum: str) -> str:
    """What the values of an enum begin with: DecisionKind has DECISION_KIND_."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", enum).upper() + "_"


def test_there_are_files() -> None:
    assert SOURCES


@EACH_FILE
def test_package_and_path_agree(file: FileDescriptorProto) -> None:
    assert file.syntax == "proto3"
    assert file.package == "santiago.v1"
    assert re.fullmatch(r"santiago/v1/[a-z_]+\.proto", file.name)


@EACH_FILE
def test_everything_is_explained(file: FileDescriptorProto) -> None:
    said = comments(file)
    assert [name for path, name in names(file) if not said.get(path, "").strip()] == []


@EACH_FILE
def test_comments_are_sentences(file: FileDescriptorProto) -> None:
    said = comments(file)
    assert [name for path, name in names(file) if said[path].strip()[-1] not in ".?"] == []


def test_messages_enums_and_services_are_named_in_camel_case() -> None:
    found = [message.name for message in messages()]
    found += [enum.name for enum in enums()]
    found += [service.name for service in services()]
    assert [name for name in found if not CAMEL.fullmatch(name)] == []


def test_fields_and_oneofs_are_named_in_lower_case() -> None:
    found = [field.name for message in messages() for field in message.field]
    found += [oneof.name for message in messages() for oneof in message.oneof_decl]
    assert [name for name in found if not LOWER.fullmatch(name)] == []


def test_fields_are_numbered_without_gaps() -> None:
    for message in messages():
        gone = [number for gap in message.reserved_range for number in range(gap.start, gap.end)]
        numbers = sorted([*gone, *(field.number for field in message.field)])
        assert numbers == list(range(1, len(numbers) + 1)), message.name


def test_repeated_fields_are_plural() -> None:
    repeated = FieldDescriptorProto.LABEL_REPEATED
    found = {f.name for m in messages() for f in m.field if f.label == repeated}
    assert {name for name in found if not name.endswith("s")} == {
        "legal",
        "silenced",
        "in_round",
        "line",
    }


def test_enum_values_carry_the_name_of_their_enum() -> None:
    for enum in enums():
        for value in enum.value:
            assert CAPITALS.fullmatch(value.name)
            assert value.name.startswith(prefix(enum.name))


def test_the_zero_value_means_that_nothing_is_set() -> None:
    for enum in enums():
        assert [value.name for value in enum.value if value.number == 0] == [
            prefix(enum.name) + "UNSPECIFIED"
        ]


def test_enum_values_are_numbered_without_gaps() -> None:
    for enum in enums():
        assert [value.number for value in enum.value] == list(range(len(enum.value))), enum.name


def test_each_call_has_a_request_and_a_response_of_its_own() -> None:
    for service in services():
        for call in service.method:
            assert call.input_type == f".santiago.v1.{call.name}Request"
            assert call.output_type == f".santiago.v1.{call.name}Response"
