"""The description says of every call who may make it, and what can come of it."""

import re
from typing import Any

from flask.testing import FlaskClient

from ladder.people.tickets import SCOPES
from web.api.description import GROUPS
from web.api.operations import Operation

PRIVATE = {
    "/account": "read",
    "/account/bots": "read",
    "/account/quota": "read",
    "/account/bots/{bot_id}": "read",
    "/account/bots/{bot_id}/versions": "read",
    "/account/bots/{bot_id}/versions/{version_id}/build": "read",
    "/account/bots/{bot_id}/versions/{version_id}/package": "read",
    "/bots/{bot_id}/log/{match_id}/output": "read",
    "/bots/{bot_id}/log": "read",
    "/fairness/workers": "tournaments",
    "/operator/queue": "admin",
    "/operator/matches": "admin",
    "/operator/bots": "admin",
    "/operator/versions": "admin",
    **dict.fromkeys(("/operator/ladders", "/operator/hosts", "/operator/builds"), "admin"),
    **dict.fromkeys(("/operator/uses", "/operator/bans"), "admin"),
}


def operations() -> list[Operation]:
    return [operation for group in GROUPS for operation in group.operations]


def calls(client: FlaskClient) -> list[tuple[str, str, dict[str, Any]]]:
    """Path, method and description of every call."""
    document = client.get("/api/v1/openapi.json").get_json()
    assert document["openapi"] == "3.1.0"
    return [
        (path, method, call)
        for path, calls in document["paths"].items()
        for method, call in calls.items()
    ]


def test_every_call_is_described_once(client: FlaskClient) -> None:
    described = calls(client)
    assert len(described) == len(operations())
    assert len({call["operationId"] for _, _, call in described}) == len(described)
    assert all(call["summary"] and call["responses"] for _, _, call in described)


def test_the_page_that_explains_the_api_is_there(client: FlaskClient) -> None:
    about = client.get("/api/v1/openapi.json").get_json()["info"]["description"]
    page = re.search(r"(?<= )/docs/\w+", about)
    assert page is not None
    assert client.get(page[0]).status_code == 200


def test_whoever_changes_something_needs_a_token() -> None:
    for operation in operations():
        if operation.path == "/matches/{match_id}/analysis":
            assert operation.scope is None, "anybody may ask for an analysis"
        elif operation.method == "POST":
            operates = operation.path.startswith("/operator/")
            scopes = ("admin",) if operates else ("bots", "tournaments")
            assert operation.scope in scopes, operation.path
        else:
            assert operation.scope == PRIVATE.get(operation.path), operation.path


def test_scopes_and_errors_are_told(client: FlaskClient) -> None:
    for _, method, call in calls(client):
        codes = set(call["responses"])
        private = "security" in call
        assert private == ({"401", "403"} <= codes)
        if private:
            assert call["security"][0]["token"][0] in SCOPES
        assert (method == "post") == ({"409"} <= codes)
        if "requestBody" in call:
            assert {"400", "413", "415", "422"} <= codes


def test_nothing_given_is_without_a_bound(client: FlaskClient) -> None:
    """Texts have a length, numbers and lists a size; whatever else is sent is refused."""
    document = client.get("/api/v1/openapi.json").get_json()
    for name in (
        *("NewVersion", "NewTournament", "GivenClock", "Annulment"),
        *("NewChallenge", "Reason", "LadderChange"),
    ):
        schema = document["components"]["schemas"][name]
        assert schema["additionalProperties"] is False
        for field, described in schema["properties"].items():
            kinds = described.get("type", [])
            if "string" in kinds:
                assert "maxLength" in described or "enum" in described, field
            if "integer" in kinds:
                assert "maximum" in described, field
            if "array" in kinds:
                assert "maxItems" in described, field
