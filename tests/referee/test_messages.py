"""What goes over the wire says the same as the rules."""

from random import Random
from typing import Any

from referee.clock import Clock
from referee.faults import FaultCode
from referee.game import Game
from referee.match import play_table
from referee.messages import (
    clock_message,
    dice_of,
    encoded_view,
    goods_message,
    layout_of,
    move_message,
    setup_message,
)
from referee.rules import Layout, Position, move_text, parse_move
from referee.rules.cells import LAWYER
from referee.rules.moves import GIFTS, VERB_BITS
from referee.rules.pieces import BUILDINGS, CITIZENS, FLOWERS, GOODS, PLAIN_GOODS
from referee.rules.trace import setup_line, state_json
from referee.seats.player import Allowance, GameOver, Invitation, LocalSeat, TimedMove
from referee.seats.protocol import decision_request, question, start_request
from referee.serving import begun, follow
from referee.wire import bot_pb2, game_pb2
from tests.referee.games import DrawingBot, match_of, moments


def good(number: int) -> str:
    return GOODS[number - 1]


def goods(message: game_pb2.Goods) -> dict[str, int]:
    return {name: getattr(message, name) for name in GOODS}


def _view(position: Position) -> game_pb2.View:
    return game_pb2.View.FromString(encoded_view(position))


def state_of(view: game_pb2.View) -> dict[str, Any]:
    """STATE of the notation, from a view alone."""
    wanted = {name: getattr(view.demand.wanted, name) for name in PLAIN_GOODS}
    if view.demand.excluded:
        del wanted[good(view.demand.excluded)]
    return {
        "ship": view.ship,
        "value": view.value,
        "demand": wanted if view.HasField("demand") else {},
        "car": view.car,
        "silenced": [CITIZENS[citizen - 1] for citizen in view.silenced],
        "supply": goods(view.supply),
        "owners": {BUILDINGS[owned.building - 1]: owned.seat for owned in view.owners},
        "active": view.active,
        "turn": view.turn,
        "players": [
            {
                "pesos": player.pesos,
                "vp": player.vp,
                "goods": goods(player.goods),
                "pawn": BUILDINGS[player.pawn - 1] if player.pawn else None,
                "markers": player.markers,
            }
            for player in view.players
        ],
    }


def position_of(start: bot_pb2.GameStart, asked: bot_pb2.Decision) -> str:
    """The line of text of a position, from what a bot is told by one decision."""
    flowers = dict(zip(CITIZENS, start.setup.citizen_flowers, strict=True))
    names = [CITIZENS[citizen - 1] for citizen in start.setup.citizens]
    buildings = [BUILDINGS[building - 1] for building in start.setup.buildings]
    view, state = asked.view, state_of(asked.view)
    parts = {
        "citizens": ",".join(f"{name}:{(*FLOWERS, 'none')[flowers[name] - 1]}" for name in names),
        "buildings": ",".join(buildings),
        "silenced": ",".join(state["silenced"]) or "none",
        "demand": ",".join(f"{name}:{n}" for name, n in state["demand"].items()) or "none",
        "owners": ",".join(f"{name}:{seat}" for name, seat in state["owners"].items()) or "none",
        "phase": game_pb2.DecisionKind.Name(asked.kind).removeprefix("DECISION_KIND_").lower(),
        "seat": start.seat,
    }
    parts |= {key: state[key] for key in ("turn", "active", "ship", "value", "car")}
    if view.in_round:
        parts["round"] = ",".join(map(str, view.in_round))
    if view.function:
        by = ":lawyer" if view.through_alonso else ""
        parts["function"] = BUILDINGS[view.function - 1] + by
    if view.HasField("dice"):
        parts["dice"] = ",".join(map(str, dice_of(view.dice)))
    for seat, player in enumerate(state["players"]):
        units = ",".join(map(str, player["goods"].values()))
        parts[f"p{seat}"] = f"{player['pesos']}/{player['vp']}/{units}/{player['pawn'] or 'none'}"
    return " ".join(f"{key}={value}" for key, value in parts.items())


def text_of(move: game_pb2.Move) -> str:
    """A move's text, from the fields that say what the move does."""
    verb = game_pb2.Verb.Name(move.verb).removeprefix("VERB_").lower().replace("_", " ")
    if move.verb == game_pb2.VERB_UNSPECIFIED:
        return "pass"
    if move.verb == game_pb2.VERB_DELIVER:
        return f"deliver {good(move.good)} {move.count}"
    if move.verb == game_pb2.VERB_DELIVER_WOOD:
        return f"deliver wood {move.count} as {good(move.good)}"
    words = [verb]
    words += [good(number) for number in (move.good, move.other_good) if number]
    words += [BUILDINGS[move.building - 1]] if move.building else []
    words += [CITIZENS[move.citizen - 1]] if move.citizen else []
    words += [game_pb2.Gift.Name(move.gift).removeprefix("GIFT_").lower()] if move.gift else []
    words += [str(move.count)] if move.count else []
    return " ".join(words)


def every_move() -> list[str]:
    """The text of every move of the notation, counts up to 300."""
    plain = list(PLAIN_GOODS)
    texts = ["pass", "raise", "lower", "sell wood"]
    texts += ["serve rum", "serve cigars", "serve rum cigars"]
    texts += [f"{verb} {n}" for verb in ("drive", "convert", "buy", "sell") for n in range(1, 301)]
    texts += [f"{verb} {name}" for verb in ("take", "clear", "ship", "exclude") for name in plain]
    texts += [f"give {gift}" for gift in GIFTS]
    texts += [f"{verb} {name}" for verb in ("own", "use", "visit") for name in BUILDINGS]
    texts += [f"silence {name}" for name in CITIZENS]
    texts += [f"swap {give} {get}" for give in plain for get in plain if give != get]
    texts += [f"deliver {name} {n}" for name in plain for n in range(1, 9)]
    texts += [f"deliver wood {n} as {name}" for name in plain for n in range(1, 9)]
    return texts


def test_the_view_is_the_whole_position() -> None:
    for position in moments(games=6):
        view = _view(position)
        assert state_of(view) == state_json(position)
        assert (dice_of(view.dice) if view.HasField("dice") else None) == position.dice
        start = bot_pb2.GameStart(seat=position.seat, setup=setup_message(position.layout))
        if position.legal_moves:
            asked = bot_pb2.Decision.FromString(question(position, 1))
            assert Position.parse(position_of(start, asked)) == position


def test_a_building_used_through_alonso_is_named() -> None:
    """The pawn stands elsewhere, or may even stand on the very building."""
    lent = [_view(p) for p in moments(games=40) if p.cells[LAWYER] and p.kind == "function"]
    assert lent
    assert all(view.function and view.through_alonso for view in lent)
    assert any(view.function != view.players[view.active].pawn for view in lent)


def test_each_move_says_the_same_in_its_three_forms() -> None:
    for text in every_move():
        move = game_pb2.Move.FromString(move_message(parse_move(text)).SerializeToString())
        assert (move.text, text_of(move)) == (text, text)
        assert move_text(move.action) == text
        assert move.action & (1 << VERB_BITS) - 1 == move.verb


def test_an_action_may_be_any_number() -> None:
    far = parse_move("drive 999999999")
    assert game_pb2.Move.FromString(move_message(far).SerializeToString()).count == 999_999_999


def test_the_board_comes_back_as_it_was() -> None:
    rng = Random(1)
    for _ in range(50):
        layout = Layout.shuffled(rng)
        setup = game_pb2.Setup.FromString(setup_message(layout).SerializeToString())
        assert layout_of(setup) == layout


def test_the_board_tells_its_flowers() -> None:
    layout = Layout.shuffled(Random(2))
    setup, line = setup_message(layout), setup_line(layout, 2)

    def word(flower: game_pb2.Flower) -> str | None:
        name = game_pb2.Flower.Name(flower).removeprefix("FLOWER_").lower()
        return None if name == "unspecified" else name

    assert [word(flower) for flower in setup.space_flowers] == line["space_flowers"]
    on_tiles = dict(zip(CITIZENS, map(word, setup.citizen_flowers), strict=True))
    assert on_tiles == line["citizen_flowers"]


def test_dice_come_back_as_they_fell() -> None:
    assert dice_of(goods_message((1, 4, 0, 2, 3))) == (1, 4, 0, 2, 3)


def test_the_clock_is_told_in_milliseconds() -> None:
    told = clock_message(Clock(move_limit=2.5, bank=60, increment=0.125, start_up=4))
    assert (told.move_limit_ms, told.bank_ms, told.increment_ms) == (2500, 60000, 125)
    assert told.start_up_ms == 4000


def test_dice_and_demand_have_no_wood() -> None:
    assert goods_message((1, 2, 3, 4, 5)).wood == 0
    assert goods_message((1, 2, 3, 4, 5, 6)).wood == 6


def test_a_fault_has_a_word_for_traces() -> None:
    words = {code.word for code in FaultCode}
    stream = {"timeout", "illegal-index", "wrong-decision", "closed", "protocol"}
    assert words == stream | {"absent", "limit", "banned"}
    assert len(FaultCode) == len(game_pb2.FaultCode.items()) - 1


def test_a_decision_names_kind_and_legal_moves() -> None:
    asked = (position for position in moments(games=3) if len(position.legal_moves) > 1)
    for number, position in enumerate(asked, 1):
        request = decision_request(question(position, number), 2.5, 60.0)
        message = bot_pb2.PlayRequest.FromString(request)
        assert message.SerializeToString() == request
        decision = message.decision
        kind = game_pb2.DecisionKind.Name(decision.kind).removeprefix("DECISION_KIND_").lower()
        assert (decision.id, kind) == (number, position.kind)
        assert decision.view == _view(position)
        assert [move.action for move in decision.legal] == list(position.legal_moves)
        assert (decision.time_left_ms, decision.bank_left_ms) == (2500, 60_000)


class Witness(LocalSeat):
    """Keeps a second game, which it learns from the wire's messages alone."""

    position: Position
    told = 0

    async def accept(self, invitation: Invitation) -> bytes:
        start = start_request(invitation, resumed=False).SerializeToString()
        self.position = begun(bot_pb2.PlayRequest.FromString(start).start)
        return await super().accept(invitation)

    async def decide(self, game: Game, decision_id: int, time: Allowance) -> TimedMove:
        self.follow(game)
        assert self.position == game.position
        assert self.position.legal_moves == game.position.legal_moves
        return await super().decide(game, decision_id, time)

    def end(self, game: Game, over: GameOver) -> None:
        super().end(game, over)
        self.follow(game)
        assert self.position == game.position
        assert self.position.is_over

    def follow(self, game: Game) -> None:
        news = b"".join(game.encoded_events(self.told))
        message = bot_pb2.PlayRequest.FromString(news)
        assert message.events == game.events[self.told :]
        assert message.SerializeToString() == news
        self.told = len(game.events)
        follow(self.position, message)


async def test_events_lead_to_the_position() -> None:
    seats = [Witness(DrawingBot()) for _ in range(3)]
    replay = await play_table(match_of([""] * 3), seats)
    assert replay.result.reason == game_pb2.END_REASON_SHIPS
    assert all(seat.told for seat in seats)
