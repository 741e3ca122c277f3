"""The fields of the API stay, also if a dataclass of the ladder behind them changes.

`contract.txt` has a line for each field of each call, as of the OpenAPI document. `make test
ARGS="tests/web/api/test_contract.py --regenerate-golden"` writes it anew after a wanted change.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from web.api.description import description

CONTRACT = Path(__file__).parent / "contract.txt"


def lines(document: dict[str, Any]) -> Iterator[str]:
    """A line for each parameter, and for each field of each body and answer."""
    for path, calls in document["paths"].items():
        for method, call in calls.items():
            name = f"{method.upper()} {path}"
            for parameter in call["parameters"]:
                kind = next(fields(document, parameter["schema"]))[1]
                need = "" if parameter["required"] else " (optional)"
                yield f"{name} ?{parameter['name']}: {kind}{need}"
            yield from content(document, f"{name} <", call.get("requestBody", {}))
            for status, answer in call["responses"].items():
                yield f"{name} {status}"
                yield from content(document, f"{name} {status} ", answer)


def content(document: dict[str, Any], prefix: str, told: dict[str, Any]) -> Iterator[str]:
    for media in told.get("content", {}).values():
        for field, kind in fields(document, media["schema"]):
            yield f"{prefix}{field}: {kind}"


def fields(
    document: dict[str, Any], schema: dict[str, Any], at: str = ""
) -> Iterator[tuple[str, str]]:
    """Each field below a schema, as in `bots[].name`, with its type."""
    if "$ref" in schema:
        named = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        schema = {**named, **{key: value for key, value in schema.items() if key != "$ref"}}
    if "anyOf" in schema:
        for one in schema["anyOf"]:
            yield from fields(document, one, at)
        return
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    bounds = [
        f"{key}={schema[key]}"
        for key in ("format", "enum", "minimum", "maximum", "minLength", "maxLength")
        if key in schema
    ]
    yield at, " ".join([" or ".join(kinds), *bounds])
    if "items" in schema:
        yield from fields(document, schema["items"], f"{at}[]")
    for name, inner in schema.get("properties", {}).items():
        need = "" if name in schema.get("required", ()) else "?"
        yield from fields(document, inner, f"{at}.{name}{need}".removeprefix("."))


def test_no_field_changes(regenerate_golden: bool) -> None:
    found = "\n".join(sorted(lines(description()))) + "\n"
    if regenerate_golden:
        CONTRACT.write_text(found)
    assert found == CONTRACT.read_text(), "run with --regenerate-golden if the change is wanted"
