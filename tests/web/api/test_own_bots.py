"""What authors do by the API, and what they don't get to see of others."""

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.bots.availability import pause_for
from ladder.config import PUBLIC_GATEWAY
from referee.gateway.credentials import token_hash
from tests.ladder.bots.authors import bot_row, more_versions
from tests.web.accounts.visitors import make
from tests.web.api.programs import Arena, Program, problem

SECRET = "0123456789abcdef"


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the site have a gateway."""
    monkeypatch.setenv(PUBLIC_GATEWAY, "gateway.example:50052")


def test_whose_token_it_is(ana: Program, arena: Arena) -> None:
    answer = ana.get("/account")
    assert answer.get_json() == {"id": arena.ana.id, "name": "ana", "role": "author"}
    assert answer.headers["Cache-Control"] == "no-store"


def test_no_cache_keeps_an_error_that_the_next_token_does_not_get(
    ana: Program, client: FlaskClient
) -> None:
    for answer in (ana.get("/account/bots/999"), client.get("/api/v1/account")):
        assert answer.status_code in (404, 401)
        assert "no-store" in answer.headers["Cache-Control"]


ON_VERSIONS = ("versions/1/withdraw", "versions/1/retry")


def test_a_bot_by_address(ana: Program, session: Session) -> None:
    answer = ana.post(
        "/bots", name="rum", version="1", address="bot.example:443", secret=SECRET, slots=3
    )
    made = answer.get_json()
    assert (answer.status_code, made["state"], made["gateway_token"]) == (201, "submitted", None)
    bot = ana.get(f"/account/bots/{made['bot_id']}").get_json()
    assert (bot["name"], bot["slots"]) == ("rum", 3)
    (version,) = bot["versions"]
    assert (version["state"], version["address"]) == ("submitted", "bot.example:443")
    assert SECRET not in str(bot)
    withdrawn = ana.post(f"/bots/{bot['id']}/versions/{version['id']}/withdraw").get_json()
    assert withdrawn["versions"][0]["reason"] == "Its author withdrew it."
    again = ana.post(f"/bots/{bot['id']}/versions/{version['id']}/retry")
    assert again.status_code == 201
    assert again.get_json()["state"] == "submitted"
    newest, old = ana.get(f"/account/bots/{bot['id']}").get_json()["versions"]
    assert (newest["id"], newest["name"]) == (again.get_json()["version_id"], "1")
    assert old["state"] == "rejected"
    code, detail, _ = problem(ana.post(f"/bots/{bot['id']}/versions/{newest['id']}/retry"))
    assert (code, detail) == (409, "Version 1 was not rejected: it is submitted.")


def test_a_package_is_sent_as_a_form(ana: Program) -> None:
    code, detail, field = problem(ana.post("/bots/upload", package="rum.zip"))
    assert (code, field) == (422, "package")
    assert detail.startswith("Choose a package: a .zip or .tar.gz ")


def test_a_site_without_a_gateway_says_what_to_do(
    ana: Program, arena: Arena, session: Session
) -> None:
    code, detail, field = problem(ana.post("/bots", name="rum", version="1"))
    assert (code, field) == (422, "address")
    assert detail.startswith("This site has no gateway: give the address (HOST:PORT) ")
    assert [bot["id"] for bot in ana.get("/account/bots").get_json()["bots"]] == [arena.own]
    code, same, _ = problem(ana.post(f"/bots/{arena.own}/gateway-token"))
    assert (code, same) == (422, detail)
    assert bot_row(session, arena.own).gateway_token_hash is None


@pytest.mark.usefixtures("gateway")
def test_a_bot_through_the_gateway(ana: Program, session: Session) -> None:
    made = ana.post("/bots", name="rum", version="1").get_json()
    assert bot_row(session, made["bot_id"]).gateway_token_hash == token_hash(made["gateway_token"])
    new = ana.post(f"/bots/{made['bot_id']}/gateway-token").get_json()["gateway_token"]
    assert bot_row(session, made["bot_id"]).gateway_token_hash == token_hash(new)


def test_pause_resume_retire(ana: Program, arena: Arena) -> None:
    path = f"/bots/{arena.own}"
    for step, is_open in (("open-to-people", True), ("close-to-people", False)):
        assert ana.post(f"{path}/{step}").get_json()["open_to_people"] is is_open
    for step, state in (("pause", "paused"), ("resume", "active"), ("retire", "retired")):
        assert ana.post(f"{path}/{step}").get_json()["state"] == state
    code, detail, _ = problem(ana.post(f"{path}/resume"))
    assert (code, detail) == (409, "zorro is retired: submit a bot with another name.")
    assert [bot["state"] for bot in ana.get("/account/bots").get_json()["bots"]] == ["retired"]


@pytest.mark.usefixtures("gateway")
def test_own_bots_page_by_page(ana: Program, arena: Arena) -> None:
    made = [ana.post("/bots", name=name, version="1").get_json()["bot_id"] for name in ("a", "b")]
    newest = ana.get("/account/bots", limit=1).get_json()
    oldest = ana.get("/account/bots", limit=2, before=newest["next"]).get_json()
    told = [row["id"] for page in (newest, oldest) for row in page["bots"]]
    assert told == [*reversed(made), arena.own]
    assert oldest["next"] is None
    assert problem(ana.get("/account/bots", limit=0))[0] == 422


def test_all_versions_page_by_page(ana: Program, session: Session, arena: Arena) -> None:
    more_versions(session, arena.own, 2)
    path = f"/account/bots/{arena.own}/versions"
    newest = ana.get(path, limit=2).get_json()
    oldest = ana.get(path, limit=2, before=newest["next"]).get_json()
    assert [row["name"] for page in (newest, oldest) for row in page["versions"]] == ["3", "2", "1"]
    assert oldest["next"] is None
    assert problem(ana.get(f"/account/bots/{arena.bots[0]}/versions"))[0] == 404


def test_what_an_admin_has_paused_is_not_resumed(
    ana: Program, session: Session, arena: Arena
) -> None:
    pause_for(session, arena.own, "An admin paused it: too loud", bar=True)
    session.commit()
    bot = ana.get(f"/account/bots/{arena.own}").get_json()
    assert (bot["barred"], bot["pause_reason"]) == (True, "An admin paused it: too loud")
    code, detail, _ = problem(ana.post(f"/bots/{arena.own}/resume"))
    assert code == 409
    assert "only an admin can resume it" in detail


@pytest.mark.usefixtures("gateway")
@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": "rum"}, "version"),
        ({"name": "", "version": "1"}, "name"),
        ({"name": "r" * 41, "version": "1"}, "name"),
        ({"name": "<b>", "version": "1"}, "name"),
        ({"name": None, "version": "1"}, "name"),
        ({"name": 7, "version": "1"}, "name"),
        ({"name": "rum", "version": "1", "slots": 65}, "slots"),
        ({"name": "rum", "version": "1", "slots": "2"}, "slots"),
        ({"name": "rum", "version": "1", "slots": True}, "slots"),
        ({"name": "rum", "version": "1", "slots": 10**30}, "slots"),
        ({"name": "rum", "version": "1", "address": "127.0.0.1:443"}, "address"),
        ({"name": "rum", "version": "1", "address": "unix:/tmp/bot"}, "address"),
        ({"name": "rum", "version": "1", "address": "bot.example:443"}, "secret"),
        ({"name": "rum", "version": "1", "address": "bot.example:443", "secret": "a\0"}, "secret"),
        ({"name": "rum", "version": "1", "language": "\ud800"}, "language"),
        ({"name": "rum", "version": "1", "adress": "bot.example:443"}, "adress"),
    ],
)
def test_what_makes_no_submission(ana: Program, given: dict[str, object], field: str) -> None:
    code, _, at_fault = problem(ana.post("/bots", **given))
    assert (code, at_fault) == (422, field)


def test_the_log_is_for_the_author(
    client: FlaskClient, session: Session, ana: Program, stranger: Program, arena: Arena
) -> None:
    assert ana.get(f"/bots/{arena.own}/log").get_json() == {"next": None, "entries": []}
    assert problem(stranger.get(f"/bots/{arena.own}/log"))[0] == 401
    other = Program.of(client, session, make(session, "eva"), "read", "bots")
    answers = {problem(other.get(f"/bots/{bot}/log")) for bot in (arena.own, *arena.bots, 999)}
    assert {code for code, _, _ in answers} == {404}, "whether there is such a bot or not"
    assert {detail.rstrip("0123456789.") for _, detail, _ in answers} == {"You have no bot "}


def test_the_bots_of_others_stay_as_they_are(
    client: FlaskClient, session: Session, ana: Program, arena: Arena
) -> None:
    admin = Program.of(client, session, make(session, "boss", "admin"), "read", "bots", "admin")
    for program in (ana, admin):
        for step in ("pause", "resume", "retire", "gateway-token", *ON_VERSIONS):
            assert problem(program.post(f"/bots/{arena.bots[0]}/{step}"))[0] == 404
    assert bot_row(session, arena.bots[0]).state == "active"


def test_a_token_to_read_changes_nothing(
    client: FlaskClient, session: Session, arena: Arena
) -> None:
    reader = Program.of(client, session, arena.ana, "read")
    assert problem(reader.post(f"/bots/{arena.own}/pause")) == (
        403,
        "The token lacks the scope bots: create one that has it on your account's page.",
        None,
    )
    writer = Program.of(client, session, arena.ana, "bots")
    assert problem(writer.get(f"/bots/{arena.own}/log"))[0] == 403
    assert bot_row(session, arena.own).state == "active"
