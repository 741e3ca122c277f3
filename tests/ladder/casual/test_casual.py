"""Casual games: people choose once each, bots are called, clocks and the caretaker go on."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.analyses.job import CASUAL_ANALYSIS
from ladder.bots import availability, versions
from ladder.casual import answering, calling, hints, history, opening, opponents, playing, record
from ladder.casual.answering import ANSWERS, CALLS
from ladder.casual.calling import Answers
from ladder.casual.opening import Wish
from ladder.errors import Invalid, NotFound, Refused
from ladder.jobs import attempts, dispatch
from ladder.model import (
    Bot,
    CasualGame,
    CasualPace,
    CasualState,
    Job,
    LadderPlace,
    Version,
    now,
    write,
)
from ladder.people.accounts import Account
from ladder.wiring import KINDS
from referee import replay
from referee.errors import ReplayError
from referee.faults import too_late
from referee.wire import game_pb2, replay_pb2
from tests.hostile_bots import HostileBot, index_too_large
from tests.ladder.bots.authors import author, house_bot
from tests.ladder.casual.tables import LEASE, HouseBot, answer, choose, friends, legal, play
from tests.ladder.databases import on_postgresql, on_sqlite
from tests.ladder.service import end_leases
from tests.referee.games import DrawingBot, served


def kept(game: CasualGame) -> replay_pb2.Replay:
    assert game.replay is not None
    found = replay.read(game.replay)
    replay.verify(found)
    return found


@on_postgresql
def test_people_play_to_the_end_and_anyone_can_verify_it(session: Session) -> None:
    game = friends(session, 3)
    while game.state is CasualState.PLAYING:
        choose(session, game)
    found = kept(game)
    assert game.state is CasualState.FINISHED
    assert [seat.nonce for seat in found.seats] == [b"\0", b"\1", b"\2"]
    assert [seat.name for seat in found.seats] == ["Guest 1", "Guest 2", "Guest 3"]
    assert not any(entry.chosen.cpu_us for entry in found.entries), "nobody measures people's"


@on_sqlite
def test_people_and_bots_play_to_the_end(session: Session, tmp_path: Path) -> None:
    with served(HouseBot, f"unix:{tmp_path}/bot") as address:
        bot = house_bot(session, "drawing", address)
        game = friends(session, 2, bots=(bot,))
        assert game.deciding is None, "the bot has not accepted the game yet"
        play(session, game)
    found = kept(game)
    assert [seat.name for seat in found.seats] == ["Guest 1", "Guest 2", "drawing"]
    assert found.result.reason == game_pb2.END_REASON_SHIPS
    assert not any(entry.HasField("fault") for entry in found.entries)
    assert session.scalars(select(Job)).all() == []


@on_sqlite
def test_what_slow_bots_have_done_is_stored_before_their_time_is_over(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling, "ENOUGH", 0.0)
    with served(HouseBot, f"unix:{tmp_path}/bot") as address:
        game = friends(session, 1, bots=(house_bot(session, "drawing", address),))
        answer(session, game)
        while game.deciding == 0:
            choose(session, game)
        while game.deciding == 1:
            before = game.decisions
            answer(session, game)
            assert game.decisions == before + 1
        play(session, game)
    kept(game)


def test_a_choice_is_made_once(session: Session) -> None:
    game = friends(session)
    asked, decision, moves = game.deciding, game.decisions, legal(game)
    assert asked is not None
    choose(session, game, moves[0])
    with pytest.raises(Refused, match="already"):
        playing.choose(session, game, game.table[asked], decision, moves[1])
    with pytest.raises(Refused, match="already"):
        playing.choose(session, game, game.table[1 - (game.deciding or 0)], game.decisions, "pass")
    with pytest.raises(Refused, match="not possible"):
        playing.choose(session, game, game.table[game.deciding or 0], game.decisions, "drive 99")


def test_the_game_begins_when_all_have_accepted_it(session: Session) -> None:
    game = opening.open_game(session, Wish((None,)))
    first, second = (str(seat.key) for seat in game.table)
    opening.accept(session, first, b"mine")
    assert game.state is CasualState.GATHERING
    opening.accept(session, first, b"another")
    opening.accept(session, second, b"")
    assert (game.state, game.table[0].nonce) == (CasualState.PLAYING, b"mine")
    with pytest.raises(Invalid, match="at most 32"):
        opening.accept(session, first, b"x" * 33)
    with pytest.raises(NotFound):
        opening.accept(session, "nobody", b"")
    with pytest.raises(NotFound):
        opening.seat_of(session, "\0" * 24)


def test_an_invitation_opens_its_seat_to_the_first_who_accepts_it(session: Session) -> None:
    game = opening.open_game(session, Wish((None,)))
    invitation = str(game.table[1].key)
    seat = opening.accept(session, invitation, b"mine", own="k" * 24)
    assert (seat.key, seat.invitation) == ("k" * 24, invitation)
    with pytest.raises(NotFound):
        opening.seat_of(session, invitation)
    assert opening.seat_of(session, invitation, invitations=True)[1] is seat
    assert opening.accept(session, invitation, b"another").nonce == b"mine"
    other = opening.open_game(session, Wish((None,)), key=invitation)
    assert other.table[0].key != invitation, "nobody makes it the key of another game"


def test_a_game_that_was_given_up_takes_nobody_any_more(session: Session) -> None:
    game = opening.open_game(session, Wish((None,)))
    first, second = game.table
    playing.leave(session, game, first)
    with pytest.raises(Refused, match="this game is over"):
        opening.accept(session, str(second.key), b"")


def test_a_table_has_one_to_three_others(session: Session) -> None:
    for wrong in ((), (None,) * 4):
        with pytest.raises(Invalid, match="one to three"):
            opening.open_game(session, Wish(wrong))
    with pytest.raises(NotFound):
        opening.open_game(session, Wish((7,)))


def test_the_caretaker_plays_on_when_the_time_is_over(session: Session) -> None:
    game = friends(session, 3, CasualPace.RELAXED)
    late = game.deciding
    write(session)
    game.due_at = now(session) - timedelta(seconds=1)
    session.commit()
    asked = game.asked_at
    assert asked is not None
    seconds = (game.due_at - asked).total_seconds()
    assert playing.tend(session) == 1
    session.commit()
    assert game.table[late or 0].fault == too_late(seconds).sentence
    play(session, game)
    found = kept(game)
    assert [entry.fault.seat for entry in found.entries if entry.HasField("fault")] == [late]
    chosen = [entry.chosen for entry in found.entries if entry.HasField("chosen")]
    assert {one.by for one in chosen if one.seat == late} == {game_pb2.MADE_BY_CARETAKER}


def test_a_clock_takes_time_from_the_bank_and_adds_to_it(session: Session) -> None:
    game = friends(session, 2, CasualPace.LADDER)
    assert game.deciding is not None
    seat, before = game.table[game.deciding], game.table[game.deciding].bank_ms
    assert game.asked_at is not None
    assert before == game.bank_ms + game.increment_ms
    assert game.due_at - game.asked_at == timedelta(milliseconds=game.move_limit_ms)
    write(session)
    game.asked_at -= timedelta(seconds=3)
    choose(session, game)
    assert seat.bank_ms <= before - 3000 + game.increment_ms


def test_nobody_waits_for_who_has_left(session: Session) -> None:
    game = friends(session, 3)
    other = (game.deciding or 0) + 1
    playing.leave(session, game, game.table[other % 3])
    session.commit()
    assert game.state is CasualState.PLAYING
    play(session, game)
    assert [e.fault.sentence for e in kept(game).entries if e.HasField("fault")] == [
        "The player left the table."
    ]


def test_a_game_that_all_people_have_left_is_closed(session: Session) -> None:
    game = friends(session, 3)
    for seat in game.table:
        playing.leave(session, game, seat)
    assert game.state is CasualState.CLOSED
    playing.leave(session, game, game.table[0])
    with pytest.raises(Refused, match="over"):
        playing.choose(session, game, game.table[0], game.decisions, "drive 1")


def test_a_game_that_nobody_joins_is_closed(session: Session) -> None:
    game = opening.open_game(session, Wish((None,)))
    game.due_at = now(session) - timedelta(seconds=1)
    session.commit()
    playing.tend(session)
    assert game.state is CasualState.CLOSED


def call_in_vain(session: Session, game: CasualGame) -> None:
    """Have the bots called until the caretaker plays for the missing one."""
    for _ in range(CALLS):
        call_now(session, game)


def call_now(session: Session, game: CasualGame) -> None:
    """Have the bots called, for a moment only."""
    game.start_up_ms = 100
    call_patiently(session, game)


def call_patiently(session: Session, game: CasualGame) -> None:
    """Have the bots called, although their pause is not over."""
    job = session.scalars(select(Job)).one()
    write(session)
    job.not_before = None
    session.commit()
    answer(session, game)
    session.expire_all()


@on_sqlite
def test_a_bot_that_goes_away_after_another_has_moved(session: Session, tmp_path: Path) -> None:
    with served(HouseBot, f"unix:{tmp_path}/here") as one:
        with served(HouseBot, f"unix:{tmp_path}/gone") as two:
            bots = house_bot(session, "here", one), house_bot(session, "gone", two)
            game = friends(session, 1, bots=bots)
            answer(session, game)
        while game.deciding == 0:
            choose(session, game)
        while game.table[2].fault is None:
            call_now(session, game)
        game.start_up_ms = 60_000
        session.commit()
        play(session, game)
    kept(game)


@on_sqlite
def test_a_bot_hears_of_its_fault(session: Session, tmp_path: Path) -> None:
    """And so does a host, which keeps a seat for half a minute if nobody gives it back."""
    with HostileBot(f"unix:{tmp_path}/bot", index_too_large, when=lambda n: n > 0) as bot:
        game = friends(session, 1, bots=(house_bot(session, "bot", bot.address),))
        while game.table[1].fault is None:
            choose(session, game) if game.deciding == 0 else call_patiently(session, game)
        assert bot.left_alone()
        assert [told.fault.seat for told in bot.streams[-1] if told.HasField("fault")] == [1]


@on_sqlite
def test_who_has_accepted_stays_in_a_game_that_others_never_accept(
    session: Session, tmp_path: Path
) -> None:
    here, other = f"unix:{tmp_path}/here", f"unix:{tmp_path}/other"
    with served(HouseBot, here) as one, served(DrawingBot, other) as two:
        bots = house_bot(session, "other", two), house_bot(session, "here", one)
        game = friends(session, 1, bots=bots)
        call_patiently(session, game)
        assert [seat.nonce is None for seat in game.table] == [False, True, False]
        while game.table[1].fault is None:
            call_patiently(session, game)
        play(session, game)
    assert game.table[2].fault is None
    kept(game)


def test_without_its_bots_a_game_goes_on_with_the_caretaker(
    session: Session, tmp_path: Path
) -> None:
    game = friends(session, 1, bots=(house_bot(session, "away", f"unix:{tmp_path}/nobody"),))
    call_in_vain(session, game)
    assert game.state is CasualState.PLAYING
    assert game.table[1].fault == "The bot could not be reached."
    play(session, game)
    found = kept(game)
    assert (found.plays_on, found.result.reason) == (True, game_pb2.END_REASON_SHIPS)
    assert [seat.rank for seat in game.table] == [1, 2]
    found.plays_on = False
    with pytest.raises(ReplayError, match="the game had ended"):
        replay.verify(found)


def test_a_bot_that_may_not_play_any_more_is_not_called(session: Session, tmp_path: Path) -> None:
    with served(HouseBot, f"unix:{tmp_path}/bot") as address:
        game = friends(session, 1, bots=(bot := open_bot(session, address),))
        availability.pause_for(session, bot, "It swears.", bar=True)
        call_in_vain(session, game)
    assert game.table[1].fault == "The bot could not be reached."
    assert game.deciding == 0, "the caretaker plays for it"


def test_a_game_that_has_ended_meanwhile_needs_no_bots(session: Session) -> None:
    game = friends(session, 1, bots=(house_bot(session, "one"),))
    claim = attempts.claim(session, ANSWERS, game.id, "tester", lease=LEASE)
    assert claim is not None
    write(session)
    closed = {"state": CasualState.CLOSED, "ended_at": now(session)}
    session.execute(update(CasualGame).values(**closed))
    session.commit()
    nonces = (b"", b"")
    played = record.rebuilt(replace(claim.game, nonces=nonces))
    answering.finish(session, claim, Answers(played, nonces))
    attempts.enqueue(session, ANSWERS.name, ANSWERS.name, [game.id])
    session.commit()
    assert attempts.claim(session, ANSWERS, game.id, "tester", lease=LEASE) is None
    assert (game.state, game.deciding) == (CasualState.CLOSED, None)


def test_a_person_whose_time_is_over_loses_to_the_bots(session: Session, tmp_path: Path) -> None:
    with served(HouseBot, f"unix:{tmp_path}/bot") as address:
        game = friends(session, 1, CasualPace.RELAXED, (house_bot(session, "drawing", address),))
        answer(session, game)
    overdue(session, game)
    playing.tend(session)
    assert (game.state, [seat.rank for seat in game.table]) == (CasualState.FINISHED, [2, 1])


def test_another_version_of_a_bot_does_not_play_in_its_place(
    session: Session, tmp_path: Path
) -> None:
    with served(DrawingBot, f"unix:{tmp_path}/bot") as address:
        game = friends(session, 1, bots=(house_bot(session, "other", address),))
        call_in_vain(session, game)
    assert (game.table[1].fault or "").startswith("Another version of the bot answers")


def test_the_weakest_bot_is_offered_first(session: Session) -> None:
    strong, weak, new = (house_bot(session, name) for name in ("ana", "zoe", "bo"))
    for bot, seats, rating in ((strong, 3, 1800), (weak, 3, 1500), (weak, 4, 1700)):
        version = opponents.version_of(session, bot)
        place = LadderPlace(seats=seats, version_id=version, bot_id=bot, rating_milli=1000 * rating)
        session.add(place)
    session.commit()
    assert [one.bot_id for one in opponents.house_bots(session)] == [weak, strong, new]


def open_bot(session: Session, address: str, version: str = "1") -> int:
    """A bot of an author who lets people play with it, for one game at a time; committed."""
    given = {"name": "zorro", "author": "ana", "address": address}
    bot = versions.register(session, **given, version=version).id
    session.execute(update(Bot).where(Bot.id == bot).values(open_to_people=True))
    session.execute(update(Version).where(Version.bot_id == bot).values(slots=1))
    session.commit()
    return bot


def test_bots_of_the_house_play_with_people_and_others_if_their_authors_like(
    session: Session,
) -> None:
    house, theirs = house_bot(session, "greedy"), open_bot(session, "bot.example:443")
    assert [one.bot_id for one in opponents.house_bots(session)] == [house]
    assert [one.bot_id for one in opponents.authors_bots(session, "ZOR")[0]] == [theirs]
    assert opponents.authors_bots(session, "rum") == ([], False)
    with pytest.raises(Invalid, match="zorro can take only one seat"):
        opening.open_game(session, Wish((theirs, theirs)))
    ana = Account(session.get_one(Bot, theirs).user_id, "ana", "author")
    availability.pause(session, ana, theirs)
    assert opponents.authors_bots(session) == ([], False)
    availability.resume(session, ana, theirs)
    assert opponents.authors_bots(session, "ana")[0]
    availability.close_to_people(session, ana, theirs)
    with pytest.raises(NotFound, match="bot zorro does not play with people now"):
        opening.open_game(session, Wish((theirs,)))
    session.execute(update(Version).values(activated_at=None))
    with pytest.raises(NotFound, match=f"bot {theirs} does not play with people now"):
        opening.open_game(session, Wish((theirs,)))  # nobody else knows its name


def test_a_bot_plays_with_people_within_its_slots(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(HouseBot, f"unix:{tmp_path}/bot") as address:
        bot = open_bot(session, address)
        first, second = (friends(session, 1, bots=(bot,)) for _ in range(2))
        assert attempts.claim(session, ANSWERS, first.id, "tester", lease=LEASE) is not None
        session.commit()
        answer(session, second)
        asked = second.deciding
        assert asked is None, "the bot's only slot is taken"
        assert dispatch.due(session, KINDS, "answer", limit=9, message_age=60.0) == []
        write(session)
        attempts.drop(session, "answer", first.id)
        session.execute(update(Job).values(not_before=None))
        session.commit()
        answer(session, second)
        assert second.deciding == 0
    monkeypatch.setattr(opponents, "GAMES", 2)
    with pytest.raises(Refused, match="zorro already plays with 2 people"):
        friends(session, 1, bots=(bot,))


@on_sqlite
def test_games_that_are_only_opened_keep_no_bot_from_people(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opponents, "GAMES", 1)
    bot = open_bot(session, "bot.example:443")
    games = [opening.open_game(session, Wish((bot,))) for _ in range(2)]
    first, second = (str(game.table[0].key) for game in games)
    opening.accept(session, second, b"x")
    session.commit()
    with pytest.raises(Refused, match="zorro already plays with 1 people"):
        opening.accept(session, first, b"x")
    session.rollback()
    opening.accept(session, second, b"x")
    assert games[1].state is CasualState.PLAYING


def test_the_active_version_of_a_bot_plays_on(session: Session, tmp_path: Path) -> None:
    with served(HouseBot, f"unix:{tmp_path}/bot") as address:
        game = friends(session, 1, bots=(open_bot(session, "unix:/nowhere", "0"),))
        open_bot(session, address, "1")
        answer(session, game)
    assert game.deciding == 0
    assert game.table[1].version is not None
    assert game.table[1].version.name == "1"


@on_sqlite
def test_a_rematch_turns_the_seats_on_the_same_layout(session: Session) -> None:
    game = friends(session, 3)
    for seat in game.table[:2]:
        with pytest.raises(Refused, match="not over yet"):
            opening.rematch(session, str(seat.key))
        playing.leave(session, game, seat)
    play(session, game)
    first, last = (opening.rematch(session, str(game.table[at].key)) for at in (0, 2))
    assert (first.seat, last.seat, first.game_id) == (2, 1, last.game_id)
    again = session.get_one(CasualGame, first.game_id)
    assert (again.layout_seed, again.rematch_of) == (game.layout_seed, game.id)
    assert again.dice_seed != game.dice_seed
    assert [record.shown_name(seat) for seat in again.table] == ["Guest 2", "Guest 3", "Guest 1"]


def test_a_rematch_that_was_called_off_can_be_opened_again(session: Session) -> None:
    game = friends(session)
    playing.leave(session, game, game.table[0])
    play(session, game)
    key = str(game.table[1].key)
    first = opening.rematch(session, key)
    playing.leave(session, session.get_one(CasualGame, first.game_id), first)
    second = opening.rematch(session, key)
    assert second.game_id != first.game_id
    assert opening.rematch(session, key) is second


@on_sqlite
def test_a_rematch_that_was_played_can_be_opened_again(session: Session) -> None:
    game = friends(session)
    playing.leave(session, game, game.table[0])
    play(session, game)
    key = str(game.table[1].key)
    first = session.get_one(CasualGame, opening.rematch(session, key).game_id)
    for seat in first.table:
        opening.accept(session, str(seat.key), b"x")
    assert opening.rematch(session, key).game_id == first.id, "it is being played"
    playing.leave(session, first, first.table[0])
    session.commit()
    play(session, first)
    again = opening.rematch(session, key)
    assert again.game_id != first.id
    assert session.get_one(CasualGame, again.game_id).state is CasualState.GATHERING
    assert opening.rematch(session, key) is again


def test_an_account_has_a_history(session: Session) -> None:
    account = author(session)
    game = opening.open_game(session, Wish((None,)), account)
    other = author(session, "bea")
    guest = str(opening.accept(session, str(game.table[1].key), b"", other).key)
    session.commit()
    session.expire_all()
    assert [one.key for one in history.newest(session, account)] == [game.table[0].key]
    (seen,) = history.newest(session, other)
    assert (seen.key, seen.others, seen.is_open) == (guest, (account.name,), True)
    assert history.newest(session, None, [guest]) == ()


def test_a_history_tells_how_games_ended(session: Session) -> None:
    game = friends(session, 3)
    play(session, game)
    keys = [str(seat.key) for seat in game.table]
    told = [history.newest(session, None, [key])[0] for key in keys]
    assert sorted(one.place or 0 for one in told)[0] == 1
    assert [one.vp for one in told] == [score.vp for score in kept(game).result.scores]
    for ranks, shared in (([2, 1, 3], False), ([1, 1, 3], True)):  # real ones differ, and may tie
        for seat, rank in zip(game.table, ranks, strict=True):
            seat.rank = rank
        session.commit()
        session.expire_all()
        told = [history.newest(session, None, [key])[0] for key in keys]
        assert [one.place for one in told] == ranks
        assert [one.won for one in told] == [False, not shared, False]
        assert [one.shared for one in told] == [shared, shared, False]
    game.table[0].version_id, game.table[0].fault = open_version(session), "It ended."
    session.commit()
    session.expire_all()
    (failed,) = history.newest(session, None, [keys[1]])
    assert (failed.failed, failed.won) == (("zorro",), False)


@on_sqlite
def test_a_history_takes_as_many_statements_whoever_played(session: Session) -> None:
    asked: list[str] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2]))
    keys, counts = [], []
    for name in ("greedy", "planner"):
        game = opening.open_game(session, Wish((house_bot(session, name),)))
        keys.append(str(game.table[0].key))
        session.commit()
        session.expunge_all()
        asked.clear()
        assert len(history.newest(session, None, keys)) == len(keys)
        counts.append(len(asked))
    assert counts[0] == counts[1]


def open_version(session: Session) -> int:
    bot = open_bot(session, "unix:/nowhere")
    return session.scalars(select(Version.id).where(Version.bot_id == bot)).one()


def test_old_games_of_guests_are_forgotten(session: Session) -> None:
    month = timedelta(days=30)
    closed, old, recent = (friends(session) for _ in range(3))
    again = opening.open_game(session, Wish((None,)), author(session))
    again.rematch_of = old.id
    for game in (closed, recent, old):
        playing.leave(session, game, game.table[0])
    playing.leave(session, closed, closed.table[1])
    write(session)
    for game in (closed, old):
        game.state = CasualState.CLOSED if game is closed else CasualState.FINISHED
        game.ended_at = now(session) - 2 * month
    session.commit()
    attempts.enqueue(session, CASUAL_ANALYSIS, CASUAL_ANALYSIS, [old.id])
    session.commit()
    assert history.forget(session, 3 * month) == 1
    assert [history.forget(session, month) for _ in range(2)] == [1, 0]
    session.commit()
    assert session.scalars(select(CasualGame.id).order_by(CasualGame.id)).all() == [
        recent.id,
        again.id,
    ]
    assert session.scalars(select(Job).where(Job.kind == CASUAL_ANALYSIS)).all() == []
    session.refresh(again)
    assert again.rematch_of is None


def test_what_a_bot_used_is_kept_from_one_run_to_the_next(session: Session) -> None:
    game = record.stored(friends(session))
    played = record.rebuilt(game)
    played.run_to_decision()
    played.choose(played.position.legal_moves[0], 1.0, 0.0, 0.5)
    entries = record.entries_of(played)
    assert record.entries_of(record.rebuilt(replace(game, entries=entries))) == entries


def overdue(session: Session, game: CasualGame) -> None:
    write(session)
    game.due_at = now(session) - timedelta(seconds=1)
    session.commit()


def test_a_choice_that_comes_too_late_is_refused_and_the_game_goes_on(session: Session) -> None:
    game = friends(session, 2, CasualPace.RELAXED)
    late = game.deciding
    overdue(session, game)
    with pytest.raises(Refused, match="the time for this choice is over"):
        choose(session, game)
    assert game.state is CasualState.PLAYING, "who was kept from choosing may get time again"
    playing.tend(session)
    session.commit()
    faults = [entry.fault.seat for entry in kept(game).entries if entry.HasField("fault")]
    assert faults == [late]
    at = playing.locked(session, game.id)
    with pytest.raises(Refused, match="this game is over"):
        playing.choose(session, at, at.table[0], at.decisions, "pass")


def chose(session: Session, game: CasualGame) -> None:
    game.due_at = now(session) + timedelta(minutes=1)


@on_sqlite
@pytest.mark.parametrize("deed", [chose, playing.close])
def test_what_people_do_before_their_game_is_locked_counts(
    session: Session, monkeypatch: pytest.MonkeyPatch, deed: Callable[[Session, CasualGame], None]
) -> None:
    game = friends(session, 2, CasualPace.RELAXED)
    overdue(session, game)
    lock = playing.locked

    def locked_late(session: Session, game_id: int) -> CasualGame:
        game = lock(session, game_id)
        deed(session, game)
        return game

    monkeypatch.setattr(playing, "locked", locked_late)
    assert playing.tend(session) == 1
    session.commit()
    assert not any(seat.fault for seat in game.table)


def test_the_caretaker_plays_for_bots_that_nobody_could_call(session: Session) -> None:
    bots = (house_bot(session, "one"), house_bot(session, "two"))
    game = friends(session, 1, bots=bots)
    claim = attempts.claim(session, ANSWERS, game.id, "tester", lease=LEASE)
    assert claim is not None
    nonces = (b"", b"", b"")
    played = record.rebuilt(replace(claim.game, nonces=nonces))
    answering.finish(session, claim, Answers(played, nonces))
    session.commit()
    while game.deciding == 0:
        choose(session, game)
    for _ in range(2):
        overdue(session, game)
        assert playing.tend(session) == 1
        session.commit()
    assert game.state is CasualState.FINISHED
    assert session.scalars(select(Job)).all() == []


def test_a_game_that_cannot_be_played_on_holds_up_no_other(session: Session) -> None:
    broken, other = friends(session, 3), friends(session, 3)
    overdue(session, other)
    broken.entries = b"of another version"
    overdue(session, broken)
    assert playing.tend(session) == 2
    session.commit()
    assert (broken.state, other.state) == (CasualState.CLOSED, CasualState.PLAYING)
    assert other.due_at > now(session)


def test_a_game_that_waits_makes_room_for_another(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "MOST_OPEN", 2)
    fresh, old = friends(session), friends(session)
    with pytest.raises(Refused, match="too many"):
        opening.open_game(session, Wish((None,)))
    write(session)
    old.asked_at = now(session) - opponents.LATELY - timedelta(minutes=1)
    session.commit()
    gathers = opening.open_game(session, Wish((None,)))
    assert (fresh.state, old.state) == (CasualState.PLAYING, CasualState.CLOSED)
    with pytest.raises(Refused, match="too many"):
        opening.open_game(session, Wish((None,)))
    gathers.created_at = now(session) - opponents.LATELY - timedelta(minutes=1)
    opening.open_game(session, Wish((None,)))
    assert (fresh.state, gathers.state) == (CasualState.PLAYING, CasualState.CLOSED)


def test_no_log_can_hold_the_seed_of_the_dice(session: Session) -> None:
    game = friends(session)
    assert str(game.dice_seed) not in repr(record.stored(game))


def test_who_plays_alone_gets_hints(session: Session, tmp_path: Path) -> None:
    with served(HouseBot, f"unix:{tmp_path}/bot") as address:
        game = friends(session, 1, bots=(house_bot(session, "drawing", address),))
        answer(session, game)
        assert game.deciding == 0
    seat = game.table[0]
    key, decision = str(seat.key), game.decisions
    for _ in range(2):  # to ask again costs nothing
        hints.ask(session, key, decision)
        session.commit()
    assert hints.hint(game, seat) in legal(game)
    assert hints.hints_left(game, seat) == hints.HINTS - 1
    with pytest.raises(Refused, match="already"):
        hints.ask(session, key, decision + 1)
    seat.hints, seat.hint_for = hints.HINTS, None
    with pytest.raises(Refused, match="no more hints"):
        hints.ask(session, key, decision)


def test_nobody_gets_hints_against_people(session: Session) -> None:
    game = friends(session)
    assert game.deciding is not None
    seat = game.table[game.deciding]
    assert hints.hints_left(game, seat) == 0
    with pytest.raises(Refused, match="no more hints"):
        hints.ask(session, str(seat.key), game.decisions)


def test_games_of_dead_workers_are_answered_again_then_closed(session: Session) -> None:
    game = friends(session, 1, bots=(house_bot(session, "one"),))
    alone = []
    for _ in range(CALLS):
        claim = attempts.claim(session, ANSWERS, game.id, "tester", lease=-1)
        assert claim is not None
        alone.append(claim.held.alone)
        session.commit()
        assert attempts.reap(session, ANSWERS) == [game.id]
        write(session)
        session.execute(update(Job).values(not_before=None))
        session.commit()
    assert alone == [False, False, True, True]
    assert game.state is CasualState.CLOSED
    assert attempts.reap(session, ANSWERS) == []


@on_sqlite
def test_workers_that_died_of_something_else_end_no_game(session: Session) -> None:
    game = friends(session, 1, bots=(house_bot(session, "one"),))
    for _ in range(CALLS):
        claim = attempts.claim(session, ANSWERS, game.id, "tester", lease=LEASE)
        assert claim is not None
        if claim.held.number < CALLS:
            ANSWERS.fail(session, claim, "of this test")
        session.execute(update(Job).values(not_before=None))
        session.commit()
    end_leases(session)
    assert attempts.reap(session, ANSWERS) == [game.id]
    session.commit()
    assert game.state is CasualState.PLAYING
    assert session.scalar(select(Job.alone))


@on_sqlite
def test_failures_of_workers_end_no_game(session: Session) -> None:
    game = friends(session, 1, bots=(house_bot(session, "one"),))
    pauses = []
    for _ in range(3 * CALLS):
        claim = attempts.claim(session, ANSWERS, game.id, "tester", lease=LEASE)
        assert claim is not None
        ANSWERS.fail(session, claim, "of this test")
        job = session.scalars(select(Job), execution_options={"populate_existing": True}).one()
        assert job.not_before is not None
        pauses.append(round((job.not_before - now(session)).total_seconds()))
        job.not_before = None
        session.commit()
    assert pauses == sorted(pauses)
    assert 30 < pauses[-1] <= 64
    assert game.state is CasualState.PLAYING


@on_sqlite
def test_somebody_writes_before_a_worker_that_stops_gives_a_game_back(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    game = friends(session, 1, bots=(house_bot(session),))
    claim = attempts.claim(session, ANSWERS, game.id, "tester", lease=LEASE)
    session.commit()
    assert claim is not None
    seen = session.scalars(select(CasualGame.due_at)).one()
    with sessions.begin() as other:
        other.execute(update(CasualGame).values(due_at=seen))
    ANSWERS.give_back(session, claim)  # without SQLite's lock its snapshot would be old
    session.commit()
    assert session.scalars(select(Job.lease_until)).one() is None


def test_a_person_has_five_open_games_at_most(session: Session) -> None:
    keys: list[str] = []
    for _ in range(opening.OWN_OPEN):
        game = opening.open_game(session, Wish((None,)), None, keys)
        keys.append(str(game.table[0].key))
    assert opening.still_open(session, keys) == keys[::-1]
    with pytest.raises(Refused, match="you have 5 games that are not over"):
        opening.open_game(session, Wish((None,)), None, keys)
    playing.leave(session, game, game.table[0])
    opening.open_game(session, Wish((None,)), None, keys)


def test_an_account_has_five_open_games_at_most(session: Session) -> None:
    account = author(session)
    for _ in range(opening.OWN_OPEN):
        opening.open_game(session, Wish((None,)), account)
    with pytest.raises(Refused, match="you have 5 games"):
        opening.open_game(session, Wish((None,)), account)


def test_rematches_of_others_leave_an_account_its_own_games(session: Session) -> None:
    account = author(session)
    for _ in range(opening.OWN_OPEN):
        game = opening.open_game(session, Wish((None,)))
        first, second = (str(seat.key) for seat in game.table)
        opening.accept(session, first, b"x")
        opening.accept(session, second, b"x", account)
        session.commit()
        playing.leave(session, game, game.table[game.deciding or 0])
        assert game.state is CasualState.FINISHED
        again = session.get_one(CasualGame, opening.rematch(session, first).game_id)
        assert again.table[0].user_id == account.id
    mine = opening.open_game(session, Wish((None,)), account)
    assert opening.still_open(session, (), account) == [mine.table[0].key]
    opening.accept(session, str(again.table[0].key), b"x", account)
    assert len(opening.still_open(session, (), account)) == 2
