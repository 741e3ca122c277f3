"""Bots that misbehave, for tests: real servers, each of which spoils its game in its own way.

speech, server       what a hostile bot says, and the gRPC server that says it
choices, messages, silences, endings
                     spoilt answers, by what is wrong with them
http2, raw           a server without gRPC, for what gRPC would not let a bot do
slow_lines, broken_lines, wrong_frames, farewells, door
                     what goes wrong there, and before and after the game
family               all of them, with what the referee has to record of each
stable, trial        each in a process of its own, at a table with good bots
"""

from tests.hostile_bots.choices import (
    chooses,
    flood,
    index_far_off,
    index_too_large,
    next_decision,
    two_answers,
)
from tests.hostile_bots.endings import closes, complains_at_length, crashes, drops_the_line
from tests.hostile_bots.messages import (
    accepts_again,
    garbage,
    long_nonce,
    nothing,
    oversize,
    swells,
    unknown_message,
)
from tests.hostile_bots.server import HostileBot
from tests.hostile_bots.silences import deaf, silent
from tests.hostile_bots.speech import (
    ACCEPT,
    DESCRIPTION,
    LONG,
    Context,
    Request,
    Spoil,
    choice,
    honest,
)

__all__ = [
    "ACCEPT",
    "DESCRIPTION",
    "LONG",
    "Context",
    "HostileBot",
    "Request",
    "Spoil",
    "accepts_again",
    "choice",
    "chooses",
    "closes",
    "complains_at_length",
    "crashes",
    "deaf",
    "drops_the_line",
    "flood",
    "garbage",
    "honest",
    "index_far_off",
    "index_too_large",
    "long_nonce",
    "next_decision",
    "nothing",
    "oversize",
    "silent",
    "swells",
    "two_answers",
    "unknown_message",
]
