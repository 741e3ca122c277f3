"""Serves a bot: makes it a process that the referee can call.

serve(MyBot)                                     # at SANTIAGO_ADDRESS, else at port 50051
python -m referee.serving my_module:MyBot        # the same for any bot that can be imported
"""

import importlib
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn, cast

# With this setting a message passes one thread less in the bot's process, which saves a sixth of
# its time. gRPC reads the setting once, when it is imported.
if "SANTIAGO_ADDRESS" in os.environ:
    os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_listener")

import grpc

from referee import http2
from referee.bot import Bot, Decision, illegal_move
from referee.errors import InvalidBot, InvalidSetting, WrongReferee
from referee.messages import dice_of, layout_of
from referee.notes import message
from referee.printing import say
from referee.proof import Meeting, fits, fresh_challenge, same, usable
from referee.rules import RULES_VERSION, Position
from referee.service import DESCRIBE, MAX_TO_BOT, PLAY, PROTOCOL_VERSION, SERVICE, listen
from referee.signals import Flag
from referee.wire import bot_pb2

ADDRESS_VARIABLE: Final = "SANTIAGO_ADDRESS"
CERTIFICATE_VARIABLE: Final = "SANTIAGO_TLS_CERTIFICATE"
KEY_VARIABLE: Final = "SANTIAGO_TLS_KEY"
SECRET_VARIABLE: Final = "SANTIAGO_SECRET"
HOSTED_VARIABLE: Final = "SANTIAGO_HOSTED"
"""Set by a host for its bots: nobody else calls them."""
DEFAULT_ADDRESS: Final = "127.0.0.1:50051"
_ELSEWHERE: Final = (
    f"Choose another address with {ADDRESS_VARIABLE}, or with --address of `santiago bot serve`."
)
_UNIX: Final = "unix:"
_OURS: Final = (__file__, importlib.__file__, "<frozen importlib")
_KIT: Final = re.compile(rf"<|referee/|{re.escape(str(Path(__file__).parent))}/")
"""Files of the kit; those of its compiled parts are relative."""
_LIBRARY: Final = re.compile(
    rf"{re.escape(str(Path(os.__file__).parent))}/|.*/(?:site|dist)-packages/"
)
WAITS: Final = "is waiting for games on"
"""Stands before the address in the line that a bot prints once it listens."""
_MAX_GAMES: Final = 256  # at once; each has a thread, which mostly waits
_GRACE: Final = 1.0  # seconds in which running games may end after a signal
_MISSED: Final = 1.0  # seconds after which a signal is heard at the latest

Player = Callable[
    [Iterator[bot_pb2.PlayRequest], grpc.ServicerContext], Iterator[bot_pb2.PlayResponse]
]
"""Plays the game of one stream: yields the answers to the referee's messages."""


def serve(
    bot_class: type[Bot],
    address: str | None = None,
    *,
    certificate: str | None = None,
    key: str | None = None,
    secret: str | None = None,
    player: Player | None = None,
) -> None:
    """Serve games, with a bot object for each, until the process gets SIGINT or SIGTERM.

    Each argument that is not given comes from an environment variable. Call it from the main
    thread; it returns after the signal, when running games had a second to end.

    Args:
        bot_class: The class of the bot; it is called without arguments for each game.
        address: `host:port` or `unix:/path`; else SANTIAGO_ADDRESS, else 127.0.0.1:50051.
        certificate: The file of a certificate chain (PEM), for TLS; else SANTIAGO_TLS_CERTIFICATE.
        key: The file of its private key (PEM); else SANTIAGO_TLS_KEY.
        secret: What the bot shares with the referee, at least 16 characters; else SANTIAGO_SECRET.
        player: What plays each game, in place of an object of the class.

    Raises:
        SystemExit: Nothing can listen at the address, a file cannot be read, only one of
            certificate and key is given, the secret is too short, or the class says of itself what
            is no text. If it is not caught, Python prints what to mend, and ends the process with
            exit code 1.

    Example:
        if __name__ == "__main__":
            serve(MyBot)
    """
    try:
        _serve(bot_class, address, certificate, key, secret, player)
    except (InvalidBot, InvalidSetting) as error:
        sys.exit(str(error))


def _serve(
    bot_class: type[Bot],
    address: str | None,
    certificate: str | None,
    key: str | None,
    secret: str | None,
    player: Player | None,
) -> None:
    """Serve games until a signal comes. Raises InvalidBot and InvalidSetting."""
    _check_class(bot_class)
    environ = os.environ
    address = _checked(address or environ.get(ADDRESS_VARIABLE) or DEFAULT_ADDRESS)
    credentials = server_credentials(
        certificate or environ.get(CERTIFICATE_VARIABLE, ""), key or environ.get(KEY_VARIABLE, "")
    )
    secret = usable(secret or environ.get(SECRET_VARIABLE, ""), SECRET_VARIABLE)
    if http2.INSTALLED and environ.get(HOSTED_VARIABLE) and address.startswith(_UNIX):
        _serve_host(bot_class, address, player or _player(bot_class, secret))
    ended = Flag()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: ended.set()) for number in numbers]
    try:
        server = start_server(
            bot_class, address, credentials=credentials, secret=secret, player=player
        )
        _announce(bot_class, address)
        while not ended.wait(_MISSED):
            pass  # a signal that came just before it began to wait has not woken it
        server.stop(_GRACE).wait()
    finally:
        for number, meant in zip(numbers, before, strict=True):
            signal.signal(number, meant)


def _check_class(bot_class: type[Bot] | Bot) -> None:
    """Raise InvalidBot for an object in place of its class, or if it says what is no text."""
    if isinstance(bot_class, Bot):
        name = type(bot_class).__name__
        raise InvalidBot(
            f"Each game has an object of its own: pass the class {name}, not {name}()."
        )
    for attribute in ("name", "version", "author", "language"):
        said = getattr(bot_class, attribute)
        if not isinstance(said, str):
            told = f"{bot_class.__name__}.{attribute} is {said!r}: write a text, in quotes."
            raise InvalidBot(told)


def _checked(address: str) -> str:
    """Return an address at which a bot can listen. Raises InvalidSetting."""
    if not (address.startswith(_UNIX) and address.isprintable()):
        from referee.variables import check_listens  # not for a sandbox: it imports ssl

        check_listens(address)
    return address


def _serve_host(bot_class: type[Bot], address: str, player: Player) -> NoReturn:
    """Serve games for a host until it ends this process. Raises InvalidSetting."""
    from referee.http2 import blocking  # it needs hpack, as all in sandboxes have it

    def describe(_: Iterator[bytes], __: blocking.Context) -> Iterator[bytes]:
        yield _description(bot_class).SerializeToString()

    def play(requests: Iterator[bytes], context: blocking.Context) -> Iterator[bytes]:
        read = map(bot_pb2.PlayRequest.FromString, requests)
        answers = _play(player, read, cast(grpc.ServicerContext, context))
        return (answer.SerializeToString() for answer in answers)

    try:
        listener = blocking.listen(address.removeprefix(_UNIX))
    except OSError as error:
        raise InvalidSetting(f"Nothing can listen on {address}: {error}.") from None
    _announce(bot_class, address)
    blocking.serve(listener, {DESCRIBE: describe, PLAY: play}, MAX_TO_BOT)


def _announce(bot_class: type[Bot], address: str) -> None:
    say(f"{bot_class.name} {WAITS} {address}.")


def server_credentials(certificate: str, key: str) -> grpc.ServerCredentials | None:
    """Read the credentials of a TLS server.

    Args:
        certificate: The file of a certificate chain (PEM), or "".
        key: The file of its private key (PEM), or "".

    Returns:
        The credentials for `start_server`, or None if neither file is given.

    Raises:
        InvalidSetting: Only one file is given, a file cannot be read, or the two do not fit.

    Example:
        >>> server_credentials("", "") is None
        True
    """
    if not certificate and not key:
        return None
    if not certificate or not key:
        raise InvalidSetting(f"TLS needs both {CERTIFICATE_VARIABLE} and {KEY_VARIABLE}.")
    try:
        pair = Path(key).read_bytes(), Path(certificate).read_bytes()
    except OSError as error:
        raise InvalidSetting(f"A file for TLS cannot be read: {error}.") from None
    _check_pair(certificate, key)
    return grpc.ssl_server_credentials([pair])


def _check_pair(certificate: str, key: str) -> None:
    """Raise InvalidSetting for files with which gRPC would listen nowhere, and not say why."""
    import ssl  # not for a sandbox

    try:
        # without a password it would ask for that of a key which has one
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="-")
    except OSError as error:
        raise InvalidSetting(
            f"{certificate} and {key} are no certificate with its private key, both in PEM and "
            f"without a password: {error}."
        ) from None


def start_server(
    bot_class: type[Bot],
    address: str,
    *,
    credentials: grpc.ServerCredentials | None = None,
    secret: str = "",
    player: Player | None = None,
) -> grpc.Server:
    """Start a server for a bot and return at once, for programs that do more than serve.

    Args:
        bot_class: The class of the bot; it is called without arguments for each game.
        address: `host:port` or `unix:/path`.
        credentials: For TLS, from `server_credentials`; None for plain connections.
        secret: What the bot shares with the referee; "" if it plays for anybody.
        player: What plays each game, in place of an object of the class.

    Returns:
        The running server. Stop it with `server.stop(grace)`.

    Raises:
        InvalidBot: The class says of itself what is no text, or an object was given in its place.
        InvalidSetting: Nothing can listen at the address.

    Example:
        >>> server = start_server(Bot, "unix-abstract:my-bot")
        >>> server.stop(grace=1).wait()
        True
    """
    _check_class(bot_class)
    server = grpc.server(
        ThreadPoolExecutor(_MAX_GAMES, thread_name_prefix="game"),
        options=[("grpc.max_receive_message_length", MAX_TO_BOT), ("grpc.so_reuseport", 0)],
    )
    player = player or _player(bot_class, secret)
    server.add_generic_rpc_handlers((_handlers(bot_class, player),))
    listen(server, address, credentials, _ELSEWHERE)
    server.start()
    return server


def _player(bot_class: type[Bot], secret: str) -> Player:
    return lambda requests, _: play_game(bot_class(), requests, secret)


def _description(bot_class: type[Bot]) -> bot_pb2.DescribeResponse:
    return bot_pb2.DescribeResponse(
        name=bot_class.name,
        version=bot_class.version,
        author=bot_class.author,
        language=bot_class.language,
        protocol_version=PROTOCOL_VERSION,
    )


def _handlers(bot_class: type[Bot], player: Player) -> grpc.GenericRpcHandler:
    methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        DESCRIBE.rpartition("/")[2]: grpc.unary_unary_rpc_method_handler(
            lambda _, __: _description(bot_class),
            request_deserializer=bot_pb2.DescribeRequest.FromString,
            response_serializer=bot_pb2.DescribeResponse.SerializeToString,
        ),
        PLAY.rpartition("/")[2]: grpc.stream_stream_rpc_method_handler(
            partial(_play, player),
            request_deserializer=bot_pb2.PlayRequest.FromString,
            response_serializer=bot_pb2.PlayResponse.SerializeToString,
        ),
    }
    return grpc.method_handlers_generic_handler(SERVICE, methods)


class HungUp(Exception):
    """A bot has nothing more to say in a game that is over for it: nothing is printed."""


def _play(
    player: Player, requests: Iterator[bot_pb2.PlayRequest], context: grpc.ServicerContext
) -> Iterator[bot_pb2.PlayResponse]:
    """Play the game of one stream; print an error of the bot, and end the stream with it."""
    try:
        yield from player(_heard(requests), context)
    except (HungUp, GeneratorExit):
        return
    except WrongReferee as error:
        say(str(error))
        context.abort(grpc.StatusCode.UNAUTHENTICATED, _details(str(error)))
    except InvalidBot as error:
        say(str(error))
        context.abort(grpc.StatusCode.UNKNOWN, _details(str(error)))
    except BaseException as error:  # a bot may raise SystemExit, KeyboardInterrupt ...
        where = _place(error)
        say("".join(traceback.format_exception(_from_bot(error))).rstrip())
        said = _details(f"{type(error).__name__}: {error}".removesuffix(": "))
        context.abort(grpc.StatusCode.UNKNOWN, f"{said}{where}")


def _place(error: BaseException) -> str:
    """Return in brackets which line of the bot, or else of a library, was the last; or nothing."""
    calls = [c for c in traceback.extract_tb(error.__traceback__) if not _KIT.match(c.filename)]
    own = [call for call in calls if not _LIBRARY.match(call.filename)]
    last = (own or calls)[-1:]
    return "".join(f" ({Path(call.filename).name}, line {call.lineno})" for call in last)


def _details(text: str) -> str:
    """Return the beginning of a text: the referee's side refuses a status that is too long."""
    return text[: http2.MAX_DETAILS // 2].encode(errors="replace").decode()


def _heard(requests: Iterator[bot_pb2.PlayRequest]) -> Iterator[bot_pb2.PlayRequest]:
    """Yield the messages until the line breaks or the referee hangs up.

    An RpcError of the bot itself, which may call servers of its own, is an error like any other.
    """
    with suppress(grpc.RpcError):
        yield from requests


def play_game(
    bot: Bot, requests: Iterator[bot_pb2.PlayRequest], secret: str = ""
) -> Iterator[bot_pb2.PlayResponse]:
    """Play one game for a bot: follow the events, let it choose, yield the answers.

    Args:
        bot: A fresh object of the bot's class.
        requests: The messages of the referee, the first one with the start of the game.
        secret: The secret that the bot shares with the referee; "" if there is none.

    Yields:
        The messages to the referee.

    Raises:
        WrongReferee: The caller did not prove that it knows the secret.
        InvalidBot: The bot did not choose a legal move, or has faulted. Errors that the bot itself
            raises are passed on.
    """
    request = next(requests, None)
    if request is None:
        return
    position = begun(request.start)
    accept, due = _acceptance(bot, request.start, secret)
    yield bot_pb2.PlayResponse(accept=accept)
    for request in requests:
        if due and not same(request.proof, due):
            raise WrongReferee("The caller did not prove that it knows this bot's secret.")
        due = b""
        follow(position, request)
        if request.HasField("decision"):
            yield _choice(bot, position, request.decision)
        elif request.HasField("fault"):
            raise InvalidBot(f"{bot.name} has faulted: {request.fault.sentence}")
        elif request.HasField("end"):
            return


def _acceptance(bot: Bot, start: bot_pb2.GameStart, secret: str) -> tuple[bot_pb2.Accept, bytes]:
    """Return the bot's acceptance, and the proof that the referee must send next."""
    accept = _accept(bot)
    if not secret:
        return accept, b""
    if not fits(start.challenge):
        raise WrongReferee(
            "This bot has a secret (SANTIAGO_SECRET) and plays only for an operator who shares it; "
            "the caller does not ask for a proof."
        )
    accept.challenge = fresh_challenge()
    meeting = Meeting(start.challenge, accept.challenge, start.match_id, start.attempt, start.seat)
    accept.proof = meeting.bots_proof(secret)
    return accept, meeting.referees_proof(secret)


def _accept(bot: Bot) -> bot_pb2.Accept:
    said = bot.nonce()
    try:
        return bot_pb2.Accept(nonce=said)
    except TypeError:
        told = f"{type(bot).__name__}.nonce returned {said!r:.60}: return bytes, such as b'7'."
        raise InvalidBot(told) from None


def begun(start: bot_pb2.GameStart) -> Position:
    """Return the first position of a game. Raises InvalidBot for other rules."""
    if start.rules_version != RULES_VERSION:
        raise InvalidBot(
            f"The referee plays by rules version {start.rules_version}, this kit knows "
            f"{RULES_VERSION}: install the matching release of santiago-arena."
        )
    return Position.start(layout_of(start.setup), start.players)


def follow(position: Position, request: bot_pb2.PlayRequest) -> None:
    """Play the events of a message in the position."""
    for event in request.events:
        if event.HasField("move"):
            position.step(event.move.action)
        elif event.HasField("roll"):
            position.roll(dice_of(event.roll.dice))


def _choice(bot: Bot, position: Position, request: bot_pb2.Decision) -> bot_pb2.PlayResponse:
    time_left, bank_left = request.time_left_ms / 1000, request.bank_left_ms / 1000
    decision = Decision(position.copy(), position.seat, time_left, bank_left)
    move = bot.choose(decision)
    if move not in decision.moves:
        raise InvalidBot(f"{bot.name} chose {illegal_move(move, decision.moves)}")
    index = decision.moves.index(move)
    note = message(decision.noted)
    return bot_pb2.PlayResponse(
        choice=bot_pb2.Choice(decision_id=request.id, index=index, note=note)
    )


def load(name: str) -> type[Bot]:
    """Import a bot class by its name.

    Args:
        name: `module:Class`; the module is found on `sys.path`.

    Returns:
        The class.

    Raises:
        InvalidBot: There is no such module or class, the module needs one that is not there or
            raises an error, or the class is not derived from `Bot`.

    Example:
        >>> load("sample_bots.greedy:GreedyBot").name
        'greedy'
    """
    module, _, attribute = name.partition(":")
    if module.startswith(".") or not module or not attribute:
        raise InvalidBot(f"{name!r} names no bot: module:Class is needed.")
    try:
        found = importlib.import_module(module)
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is None:
            told = "".join(traceback.format_exception(_from_bot(error))).rstrip()
            raise InvalidBot(f"{module} cannot be imported:\n{told}") from None
        if f"{module}.".startswith(f"{missing}."):
            raise InvalidBot(f"{name!r} names no bot: {error}.") from None
        raise InvalidBot(
            f"{module} cannot be imported: it needs the module {missing}, which is not here. "
            "Add its file, or install it; a package for a ladder brings its file or a wheel."
        ) from None
    bot_class = getattr(found, attribute, None)
    if bot_class is None:
        raise InvalidBot(f"{name!r} names no bot: {module} has no class {attribute}.")
    if not (isinstance(bot_class, type) and issubclass(bot_class, Bot)):
        raise InvalidBot(f"{name} is not a class derived from referee.bot.Bot.")
    return bot_class


def _from_bot(error: BaseException) -> BaseException:
    """Return an error without the frames of ours and of imports, which stand above the bot's."""
    frames = error.__traceback__
    while frames and frames.tb_frame.f_code.co_filename.startswith(_OURS):
        frames = frames.tb_next
    return error.with_traceback(frames)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m referee.serving module:Class")
    try:
        serve(load(sys.argv[1]))
    except InvalidBot as error:
        sys.exit(str(error))
