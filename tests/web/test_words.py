import inspect
import re
from collections.abc import Iterator
from pkgutil import iter_modules
from random import Random
from string import Formatter

import pytest
from grpc import StatusCode

from ladder.casual import playing
from referee.clock import Clock
from referee.faults import FaultCode, SeatFault, too_late
from referee.hosting import seat, usage
from referee.hosting.client import DidNotStart
from referee.rules import Layout
from referee.rules.pieces import BUILDINGS, CITIZENS, FLOWERS, GOODS, PLAIN_GOODS
from referee.seats import player
from referee.seats.line import LineLost, ending
from referee.seats.player import Invitation
from referee.seats.protocol import Guard, NotProven, accepted, chosen
from referee.ways import Route, Ways
from referee.wire import bot_pb2
from referee.wire.bot_pb2 import Choice
from tests.referee.test_notes import LEGAL
from web import words
from web.drawing.tiles import ICONS
from web.languages import LANGUAGES
from web.words import Words, words_of
from web.words.en import WORDS as ENGLISH

_CODES = sorted(module.name for module in iter_modules(words.__path__) if len(module.name) == 2)
"""The languages that have words of their own by now."""

_NAMED = {
    "building": BUILDINGS,
    "citizen": CITIZENS,
    "good": PLAIN_GOODS,
    "place": (*CITIZENS, "harbour"),
    "code": tuple(code.word for code in FaultCode),
}
"""The fields of phrases that are names of things, which may stand in a form of the language's."""


def test_all_languages_are_those_of_the_site() -> None:
    assert set(_CODES) <= LANGUAGES.keys()
    assert [words_of(code).language for code in _CODES] == _CODES
    assert words_of("nl") is ENGLISH


def test_all_things_of_the_game_have_a_name() -> None:
    faults = {code.word for code in FaultCode}
    things = {*GOODS, *CITIZENS, *BUILDINGS, *FLOWERS, *faults, "harbour"}
    assert things == ENGLISH.names.keys()


def test_all_tiles_say_what_they_give() -> None:
    assert {*CITIZENS, *BUILDINGS} == ENGLISH.gifts.keys() == ICONS.keys()


@pytest.mark.parametrize("part", ["names", "amounts", "gifts", "phrases", "labels"])
@pytest.mark.parametrize("code", _CODES)
def test_each_language_has_the_same_words(code: str, part: str) -> None:
    own, english = getattr(words_of(code), part), getattr(ENGLISH, part)
    assert own.keys() - english.keys() == set()
    assert english.keys() - own.keys() == set()
    for key, said in english.items():
        assert all(own[key]), key
        if part == "amounts":
            assert all(_fields(form) == {"count"} for form in own[key]), key
        elif part == "phrases":
            assert _fields(own[key]) == _fields(said), key
        else:
            assert _fields(own[key]) == set(), key


@pytest.mark.parametrize("code", _CODES)
def test_each_form_that_a_phrase_wants_is_there_and_wanted(code: str) -> None:
    own = words_of(code)
    wanted = {
        f"{thing}.{form}"
        for phrase in own.phrases.values()
        for field, form in _forms(phrase)
        for thing in _NAMED[field]
    }
    assert wanted == {
        form for form in own.forms if not form.endswith(".tile")
    }  # the board wants these


def test_a_phrase_about_the_reader_has_verbs_of_its_own() -> None:
    for say in (ENGLISH.say, words_of("it").say):
        assert "[" not in say("roll", name="ana", dice="") + say("roll", name="ana", dice="")
    assert ENGLISH.say("roll", name="ana", dice="2 rum") == "ana rolls 2 rum"
    assert ENGLISH.say("roll", to_actor=True, name="You", dice="2 rum") == "You roll 2 rum"
    assert ENGLISH.say("deliver.pass", name="[a|b]") == "[a|b] passes"


def _of_the_wire() -> Iterator[str]:
    """What the referee says of a bot: it is late, or its stream, or what it sent, is wrong."""
    yield too_late(2.5).sentence
    yield too_late(5, LineLost("at its address").public).sentence
    yield "it did not accept the game within 2.5 s."
    yield "it says that it is version 2, and version 1 is expected."
    yield str(ending("bot.example:443", StatusCode.UNAVAILABLE, "refused"))
    yield "no bot describes itself at bot.example:443 (no answer): is it running there?"
    game = Invitation("1", 1, 0, 2, Layout.shuffled(Random(1)), Clock(), b"")
    for accept in (
        bot_pb2.Accept(),
        bot_pb2.Accept(proof=b"x"),
        bot_pb2.Accept(proof=b"x", challenge=bytes(16)),
    ):
        with pytest.raises(NotProven) as lost:
            Guard("secret", game).admit(accept)
        yield str(lost.value)
        yield too_late(5, str(lost.value)).sentence
    for decision, index in ((7, len(LEGAL)), (6, 0), (5, 0)):
        yield _of_answer(Choice(decision_id=decision, index=index))
    yield _of_answer(None)
    yield _of_answer(bot_pb2.Accept())
    with pytest.raises(SeatFault) as fault:
        chosen(b"\xff", 7, LEGAL, 5)
    yield str(fault.value)
    nonce = bot_pb2.PlayResponse(accept=bot_pb2.Accept(nonce=bytes(999)))
    with pytest.raises(SeatFault) as fault:
        accepted(nonce.SerializeToString())
    yield str(fault.value)
    for code, details in (
        (StatusCode.OK, ""),
        (StatusCode.UNKNOWN, "ValueError: {x} (bot.py, line 6)"),
        (StatusCode.RESOURCE_EXHAUSTED, "Received message larger than max (5 vs. 4)"),
        (StatusCode.UNKNOWN, "Failed parsing HTTP/2"),
    ):
        yield str(ending("bot.example:443", code, details))


def _of_answer(sent: Choice | bot_pb2.Accept | None) -> str:
    response = bot_pb2.PlayResponse(
        choice=sent if isinstance(sent, Choice) else None,
        accept=sent if isinstance(sent, bot_pb2.Accept) else None,
    )
    with pytest.raises(SeatFault) as fault:
        chosen(response.SerializeToString(), 7, LEGAL, 5)
    return str(fault.value)


def test_what_the_referee_says_of_a_bot_is_said_in_all_languages() -> None:
    of_wire = list(_of_the_wire())
    for code in set(_CODES) - {"en"}:
        said = [words_of(code).fault(sentence) for sentence in of_wire]
        assert not set(said) & set(of_wire), code
        assert len(set(said)) == len(of_wire), code
    assert [ENGLISH.fault(sentence) for sentence in of_wire] == of_wire
    quoted = "Le bot a fermé le flux avant la fin de la partie (UNKNOWN: ValueError: {x} (bot.py,"
    assert words_of("fr").fault(of_wire[-3]).startswith(quoted)
    hostile = "The bot sent too much (it was 5 bytes instead of 4)."
    assert words_of("de").fault(hostile).startswith("Der Bot hat zu viel gesendet (it was")
    assert words_of("de").fault("It sang.") == "It sang."


def test_seconds_of_a_fault_have_the_point_or_comma_of_the_language() -> None:
    late = too_late(2.5, "").sentence
    assert {code: "2,5 s" in words_of(code).fault(late) for code in _CODES} == {
        code: code != "en" for code in _CODES
    }


def test_thousands_in_it_are_written_as_the_language_does() -> None:
    written = {
        "en": "150,000",
        "de": "150.000",
        "es": "150.000",
        "fr": "150\u202f000",
        "it": "150.000",
    }
    for code, number in written.items():
        said = words_of(code).fault("The bundle has more than 150,000 files.")
        assert f" {number} " in said, code
        assert "a, b" in words_of(code).fault("The bundle has more than a, b files."), code


def test_the_hint_at_what_keeps_a_bot_silent_is_translated() -> None:
    strangers = Ways(routes={"bot.example:443": Route("192.0.2.1", 443, "bot.example")})
    for ways, address in (
        (Ways(), "127.0.0.1:9"),
        (Ways(), "bot.example:443"),
        (strangers, "bot.example:443"),
        (Ways(), "gateway:1"),
    ):
        hint = ways.hint(address)
        sentence = f"no bot describes itself at {address} (no answer): {hint}"
        for code in _CODES:
            assert (hint in words_of(code).fault(sentence)) == (code == "en"), (code, hint)


def test_what_a_bot_said_that_did_not_start_stays_as_it_is() -> None:
    for why in (
        "The bot did not start: it ended with exit code 1 before it listened.",
        "The bot did not listen on SANTIAGO_ADDRESS within its start-up time of 2.5 s.",
    ):
        for place in (b"", b' File "bot.py", line 7\n'):
            sentence = str(DidNotStart(why, errors=place + b"ImportError: rum"))
            words, quoted = sentence.split(" (", 1)
            for code in _CODES:
                told, kept = words_of(code).fault(sentence).split(" (", 1)
                assert (told == words) == (code == "en"), code
                assert kept == quoted, code


def test_a_sentence_within_a_sentence_is_looked_at_once() -> None:
    nested = "The bot did not start: " * 40 + "no rum"  # looked at twice, it would take for ever
    assert ENGLISH.fault(nested) == nested


def test_so_is_what_hosts_and_casual_games_say() -> None:
    sources = "".join(inspect.getsource(module) for module in (player, playing, seat, usage))
    others = (
        "failed",
        "exit",
        "memory",
        "threads",
        "files",
        "stopped",
        "banned",
        "left",
        "busy",
        "start",
        "start.silent",
    )
    for phrase in others:
        fields = re.sub(r"\\{\w+\\}", r"\\{[^}]+\\}", re.escape(ENGLISH.phrases[f"why.{phrase}"]))
        assert re.search(fields, sources), phrase
    # test_reasons has those of others.
    elsewhere = r"(?:hint|build|check|cut|package|start\.(?:served|file|mode|over))\b"
    said = sum(re.match(rf"why\.(?!{elsewhere})", phrase) is not None for phrase in ENGLISH.phrases)
    assert said == len(others) + len(list(_of_the_wire()))


def test_a_name_stands_in_the_form_that_its_phrase_wants() -> None:
    german = Words(
        language="de",
        names={"bank": "Bank", "casino": "Casino"},
        amounts={},
        gifts={},
        phrases={"visit": "{name} geht {building:to}", "own": "{building}"},
        labels={},
        forms={"bank.to": "zur Bank"},
    )
    assert german.say("visit", name="Ada", building=german.name("bank")) == "Ada geht zur Bank"
    assert german.say("visit", name="Ada", building=german.name("casino")) == "Ada geht Casino"
    assert german.say("own", building=german.name("bank")) == "Bank"


def test_amounts_count() -> None:
    assert ENGLISH.amount(1, "pesos") == "1 peso"
    assert ENGLISH.amount(2, "pesos") == "2 pesos"
    assert ENGLISH.amount(1, "cigars") == "1 cigar"
    assert ENGLISH.amount(3, "tobacco") == "3 tobacco"
    assert [words_of("fr").amount(count, "sugar") for count in (0, 2)] == [
        "0 canne à sucre",
        "2 cannes à sucre",
    ]


def test_listings() -> None:
    assert ENGLISH.listing([]) == ""
    assert ENGLISH.listing(["a"]) == "a"
    assert ENGLISH.listing(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ("Ignacio", "ana e Ignacio"),
        ("hilda", "ana e hilda"),
        ("hielo", "ana y hielo"),
        ("luz", "ana y luz"),
        ("2 PV", "ana y 2 PV"),
    ],
)
def test_spanish_says_e_before_what_sounds_as_i(last: str, said: str) -> None:
    assert words_of("es").listing(["ana", last]) == said


def test_no_french_phrase_has_a_word_before_a_name_that_would_lose_its_vowel() -> None:
    said = "\n".join(words_of("fr").phrases.values())
    assert not re.findall(r"\b(?:de|que|le|la) \{(?:name|names|other|others)\}", said)


@pytest.mark.parametrize(
    ("code", "building", "forms"),
    [
        ("fr", "church", ("l’Église", "de l’Église", "à l’Église", "son Église")),
        ("fr", "bank", ("la Banque", "de la Banque", "à la Banque", "sa Banque")),
        ("fr", "cafe", ("le Café", "du Café", "au Café", "son Café")),
        ("es", "customs", ("la aduana", "de la aduana", "a la aduana", "su aduana")),
        ("es", "bank", ("el banco", "del banco", "al banco", "su banco")),
        ("it", "church", ("la chiesa", "della chiesa", "alla chiesa", "la propria chiesa")),
        ("it", "cafe", ("il caffè", "del caffè", "al caffè", "il proprio caffè")),
        (
            "it",
            "customs",
            (
                *("l’ufficio doganale", "dell’ufficio doganale", "all’ufficio doganale"),
                "il proprio ufficio doganale",
            ),
        ),
    ],
)
def test_an_article_joins_the_word_beside_it(
    code: str, building: str, forms: tuple[str, ...]
) -> None:
    found = words_of(code).forms
    assert tuple(found[f"{building}.{form}"] for form in ("the", "of", "to", "own")) == forms


def test_italian_says_per_cent_without_a_preposition_that_would_need_its_article() -> None:
    said = words_of("it").say("turning.rises", name="ana", before="8%", after="80%")
    assert said == "La probabilità di vittoria di ana sale: prima 8%, ora 80%"


def _fields(phrase: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(phrase) if field is not None}


def _forms(phrase: str) -> set[tuple[str, str]]:
    return {(field, form) for _, field, form, _ in Formatter().parse(phrase) if field and form}
