"""Bots that play to the end, and do not let go of the game then."""

from threading import Event

from tests.hostile_bots.http2 import Peer, answer
from tests.hostile_bots.speech import LONG, choice


def lingers(peer: Peer) -> None:
    """Does not close the stream, nor read on."""
    for stream, request in peer.requests():
        if request.HasField("end"):
            Event().wait(LONG)
        answer(peer, stream, request)


def talks_on(peer: Peer) -> None:
    """Answers the end of the game, again and again."""
    for stream, request in peer.requests():
        while request.HasField("end"):
            peer.say(stream, choice(1, 0))
        answer(peer, stream, request)
