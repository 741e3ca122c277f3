"""The referee's side of the shared secret: is it the bot that answers, and can the bot be sure?"""

from urllib.parse import quote

from referee.proof import Meeting, fits, fresh_challenge, same
from referee.seats import Invitation
from referee.wire import bot_pb2


class NotProven(Exception):
    """Who accepted the game did not prove to know the bot's secret."""


class Guard:
    """Guards one line. Where no secret is shared it lets everybody in."""

    def __init__(self, secret: str, invitation: Invitation) -> None:
        self._secret = secret
        self._invitation = invitation
        self.challenge = fresh_challenge() if secret else b""
        """For GameStart."""

    def admit(self, accept: bot_pb2.Accept) -> bytes:
        """The referee's own proof, for the next message. Raises NotProven."""
        if not self._secret:
            return b""
        if not accept.proof:
            raise NotProven(
                "it did not prove that it knows the secret that the operator shares with it: "
                "was it started with SANTIAGO_SECRET?"
            )
        if not fits(accept.challenge):
            raise NotProven(f"its challenge has {len(accept.challenge)} bytes; 16 to 32 are due.")
        told = self._invitation
        meeting = Meeting(self.challenge, accept.challenge, told.match_id, told.attempt, told.seat)
        if not same(accept.proof, meeting.bots_proof(self._secret)):
            raise NotProven("its proof of the shared secret is wrong: it has another secret.")
        return meeting.referees_proof(self._secret)


def seat_id(invitation: Invitation) -> str:
    """The seat among those of all matches, for the gateway, which lets nobody sit there twice."""
    return f"{quote(invitation.match_id, safe='')}/{invitation.attempt}/{invitation.seat}"
