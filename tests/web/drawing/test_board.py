"""The board as the server draws it: whole, in all forms and languages, and within its tiles."""

import gzip
import re
from struct import unpack
from typing import Any
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import escape
from sqlalchemy.orm import Session

from ladder.matches import reading
from tests.web.arena import AnyMove, play_next, register, tournament
from web import limits
from web.drawing.board import Moment
from web.drawing.geometry import FORMS, TALL, WIDE, Form
from web.drawing.poster import SIZE, PosterLine, png, poster
from web.drawing.shapes import tag, words
from web.languages import LANGUAGES
from web.viewer.boards import poster_symbols
from web.viewer.stills import still
from web.words import words_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def match_id(session: Session) -> int:
    cup = tournament(session, register(session, ["ana", "luz"]))
    return play_next(session, cup, [AnyMove(1), AnyMove(2)])


def drawn(client: FlaskClient, match_id: int, query: str = "") -> ElementTree.Element:
    answer = client.get(f"/matches/{match_id}/board.svg{query}")
    assert answer.mimetype == "image/svg+xml"
    return ElementTree.fromstring(answer.text)


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [each for each in root.iter() if name in each.get("class", "").split()]


def test_all_of_the_town_is_there(client: FlaskClient, match_id: int) -> None:
    root = drawn(client, match_id)
    town = {"citizen": 9, "building": 12, "stop": 10, "track-ship": 7, "pawn": 2}
    assert {name: len(of_class(root, name)) for name in town} == town


def test_the_ring_of_a_portrait_lies_around_its_sky(client: FlaskClient, match_id: int) -> None:
    for citizen in of_class(drawn(client, match_id), "citizen"):
        (ring,), (sky,) = of_class(citizen, "ring"), of_class(citizen, "sky")
        assert [ring.get(name) for name in ("cx", "cy", "r")] == [
            sky.get(name) for name in ("cx", "cy", "r")
        ]


def test_the_planks_lie_on_the_pier(client: FlaskClient, match_id: int) -> None:
    (pier,) = of_class(drawn(client, match_id), "pier")
    (rect,) = pier.iter(f"{SVG}rect")
    top, height = float(rect.attrib["y"]), float(rect.attrib["height"])
    planks = [float(re.split("[ h]", each.attrib["d"])[1]) for each in of_class(pier, "plank")]
    assert planks
    assert all(top < plank < top + height for plank in planks)


def test_a_picture_holds_all_its_symbols_and_no_variable(
    client: FlaskClient, match_id: int
) -> None:
    for theme in ("light", "dark"):
        text = client.get(f"/matches/{match_id}/board.svg?theme={theme}&at=30").text
        assert "var(" not in text
        assert "light-dark" not in text
        assert set(re.findall(r'href="#([^"]+)"', text)) <= set(re.findall(r' id="([^"]+)"', text))


def test_a_moment_shows_the_state_of_its_frame(client: FlaskClient, match_id: int) -> None:
    frames: list[dict[str, Any]] = client.get(f"/api/v1/matches/{match_id}/frames").get_json()[
        "frames"
    ]
    for at in (0, 1, len(frames) // 2, len(frames) - 1):
        root, state = drawn(client, match_id, f"?at={at}"), frames[at]["state"]
        shown = {
            each.get("data-owner"): each.get("class")
            for each in of_class(root, "owner")
            if "absent" not in each.get("class", "")
        }
        assert shown == {thing: f"owner seat-{seat}" for thing, seat in state["owners"].items()}
        piles = {
            each.get("data-supply"): int(each.findtext(f"{SVG}text") or "")
            for each in of_class(root, "pile")
        }
        assert piles == state["supply"]
        pawns = [player["pawn"] for player in state["players"]]
        hidden = ["absent" in each.get("class", "") for each in of_class(root, "pawn")]
        assert hidden == [pawn is None for pawn in pawns]
        places = {
            each.get("data-building"): each.get("data-pawn") for each in of_class(root, "building")
        }
        for pawn, each in zip(pawns, of_class(root, "pawn"), strict=True):
            assert pawn is None or each.get("transform") == places[pawn], "where scripts put it"


def test_messengers_get_a_picture_of_the_end(
    app: Flask, client: FlaskClient, match_id: int
) -> None:
    page = client.get(f"/de/matches/{match_id}", base_url="https://arena.example").text
    named = dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', page))
    address = f"/de/matches/{match_id}/board.png"
    assert named["og:image"] == f"https://arena.example{address}"
    assert named["og:image:alt"].startswith("Der Spielplan von Partie")
    assert "ana" in named["og:image:alt"]
    answer = client.get(address)
    assert answer.mimetype == "image/png"
    size = unpack(">8x4x4sII", answer.data[:24])
    assert size == (b"IHDR", int(named["og:image:width"]), int(named["og:image:height"]))
    assert len(answer.data) < 250_000
    again = {"If-None-Match": answer.headers["ETag"]}
    assert client.get(address, headers=again).status_code == 304
    with app.test_request_context(environ_base={"REMOTE_ADDR": "127.0.0.1"}):
        for _ in range(119):
            limits.LARGE_ANSWER.count_visitor()
    assert client.get(address).status_code == 200, "it was drawn before"
    assert client.get(address.replace("/de/", "/fr/")).status_code == 429
    limits.init_app(app, "unix:///nowhere")
    assert client.get("/matches/99/board.png").status_code == 404


def test_a_picture_tells_names_and_points_with_a_font_of_its_own(
    session: Session, match_id: int
) -> None:
    end = still(reading.replay(session, match_id), None, "en")
    moment = Moment(end.game["setup"], end.labels, end.frame)
    long = "a-name-of-forty-letters-which-is-as-long"
    lines = (PosterLine(0, long, 2, "31 VP"), PosterLine(1, "luz", 1, "44 VP"))
    text = poster(moment, "Match 7", lines, poster_symbols())
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(re.findall(r' id="([^"]+)"', text))
    assert re.findall(r"<text[^>]*>([^<]*)</text>", text)[-4:] == [
        "luz", "44 VP", "a-name-of-fort…", "31 VP",
    ]  # fmt: skip
    assert "drop-shadow" not in text
    blank, worded = (
        png(tag("svg", part, xmlns=SVG[1:-1], viewBox="0 0 120 63"))
        for part in ("", words(9, 40, "é", 20))
    )
    assert blank != worded


def test_other_pages_have_the_sites_own_picture(client: FlaskClient) -> None:
    found = re.search(r'og:image" content="http://localhost([^"]+)"', client.get("/rules").text)
    assert found
    assert unpack(">8x4x4sII", client.get(found[1]).data[:24]) == (b"IHDR", *SIZE)


def test_no_moment_means_the_last(client: FlaskClient, match_id: int) -> None:
    last = client.get(f"/matches/{match_id}/board.svg").data
    assert last == client.get(f"/matches/{match_id}/board.svg?at=99999").data
    assert last != client.get(f"/matches/{match_id}/board.svg?at=0").data


def test_lists_have_thumbnails_which_are_files_of_their_own(
    client: FlaskClient, match_id: int
) -> None:
    address = f"/matches/{match_id}/board.svg?form=small"
    for page in ("/matches", "/bots/1/matches", "/tournaments/1", "/authors/1"):
        images = re.findall(r"<img [^>]*>", client.get(page).text)
        assert images, page
        for image in images:
            assert f'src="{address}"' in image
            assert re.search(r'width="\d+" height="\d+".*loading="lazy"', image)
    packed = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert len(packed.data) < 10_000
    text = client.get(address).text
    assert gzip.decompress(packed.data).decode() == text
    assert set(re.findall(r'href="([^"]+)"', text)) == {
        f"#{name}" for name in re.findall(r'<symbol id="([^"]+)"', text)
    }
    assert "color-scheme: light dark" in text


def test_what_the_browser_has_is_not_sent_again(client: FlaskClient, match_id: int) -> None:
    answer = client.get(f"/matches/{match_id}/board.svg?at=3")
    assert "max-age=" in answer.headers["Cache-Control"]
    again = {"If-None-Match": answer.headers["ETag"]}
    assert client.get(f"/matches/{match_id}/board.svg?at=3", headers=again).status_code == 304


@pytest.mark.parametrize("path", ["/matches/99/board.svg", "/matches/1/board.svg?form=round"])
def test_what_is_not_there_is_refused(client: FlaskClient, match_id: int, path: str) -> None:
    assert match_id == 1
    assert client.get(path).status_code in {400, 404}


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_no_text_is_too_small_to_read(
    client: FlaskClient, match_id: int, code: str, form: Form
) -> None:
    wish = {"Accept-Language": code}
    text = client.get(f"/matches/{match_id}/board.svg?form={form.name}", headers=wish).text
    scales = {"flags": form.flags.scale}
    root = ElementTree.fromstring(text)
    for part in root.iter(f"{SVG}g"):
        scale = scales.get(part.get("class", ""), 1)
        for line in part.findall(f"{SVG}text"):
            size = float(line.get("font-size", "")) * scale
            assert size >= form.least, (code, "".join(line.itertext()), size)


def test_words_stand_out_from_what_is_behind_them(client: FlaskClient, match_id: int) -> None:
    for theme in ("light", "dark"):
        text = client.get(f"/matches/{match_id}/board.svg?theme={theme}").text
        rules = dict(
            re.findall(
                r"([^{}]+?) \{([^}]*)\}", text.partition("</style>")[0].partition("<style>")[2]
            )
        )

        def colour(selector: str, kind: str = "fill", rules: dict[str, str] = rules) -> str:
            found = re.search(rf"(?<![\w-]){kind}: (#\w+)", rules[f" {selector}"])
            assert found, selector
            return found[1]

        edge = colour(".flags .label, .track text", "stroke")
        for words_on, behind in (
            (colour(".flags .label, .track .label"), edge),
            (colour(".board .track-ship.here text"), edge),
            (colour(".back .name"), colour(".back .card")),
            (colour(".market text"), colour(".square")),
            (colour(".board text"), colour(".card")),
        ):
            assert contrast(words_on, behind) >= 4.5, (theme, words_on, behind)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21, as WCAG counts it."""
    dark, light = sorted(luminance(one) for one in (one, other))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    linear = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return sum(share * x for share, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("form", [WIDE, TALL], ids=lambda form: form.name)
def test_a_drive_passes_the_stops_in_order(form: Form) -> None:
    along = [form.road.along(stop)[0] for stop in form.stops]
    assert along[0] == 0
    assert along == sorted(along)


def test_what_people_wrote_is_text() -> None:
    line = words(1, 2, "<b>&", 12)
    assert line == '<text x="1" y="2" font-size="12">&lt;b&gt;&amp;</text>'
    assert tag("g", class_='"><script>') == '<g class="&#34;&gt;&lt;script&gt;"></g>'


def test_the_rules_show_each_tile_with_what_it_does(client: FlaskClient) -> None:
    for code in LANGUAGES:
        page = client.get("/rules", headers={"Accept-Language": code}).text
        assert page.count('class="board tile-alone"') == 21
        for effect in words_of(code).gifts.values():
            assert escape(effect) in page
