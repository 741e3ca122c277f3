"""Errors of the platform; the faults of bots stand in `referee.faults`.

RefereeError
  +-- Unreachable      a bot did not accept the game: nothing was played
  |     +-- OtherVersion   it is another version than the expected one
  +-- Interrupted      the platform's own trouble: the match is to be played again
  |     +-- NoGateway      the gateway does not answer, so no bot was called
  +-- ReplayError      a replay is damaged, forged or of another version
  +-- InvalidBot       a bot's own class or process cannot be used
  +-- WrongReferee     the caller of a bot does not know its secret
  +-- InvalidSetting   a setting in the environment or in a file cannot be used

The rules have a family of their own, `referee.rules.RulesError`.
"""


class RefereeError(Exception):
    """The base of the referee's errors; the message is for people."""


class Unreachable(RefereeError):
    """A bot could not be reached, or did not accept the game.

    `answered`: it described itself to this worker just before. `ours`: the platform failed, as if
    its gateway does not answer or has started just now, or a worker lacks the key of its secrets.
    """

    def __init__(self, seat: int, why: str, answered: bool = False, ours: bool = False) -> None:
        super().__init__(seat, why, answered, ours)  # pickling makes it again from these
        self.seat = seat
        self.why = why
        self.answered = answered
        self.ours = ours

    def __str__(self) -> str:
        return f"The bot at seat {self.seat} could not be reached: {self.why}"


class OtherVersion(Unreachable):
    """The bot that answered is another version than the expected one."""

    def __init__(self, seat: int, why: str, version: str) -> None:
        super().__init__(seat, why)
        self.args = (seat, why, version)
        self.version = version


class Interrupted(RefereeError):
    """The platform itself failed a match; no bot is to blame."""


class NoGateway(Interrupted):
    """The gateway does not answer, so that the bot behind it was not called."""


class ReplayError(RefereeError):
    """A replay cannot be read, or does not re-simulate."""


class InvalidBot(RefereeError):
    """A bot's class or process cannot be used; the message says what to mend."""


class InvalidSetting(RefereeError):
    """A setting cannot be used; the message names it and says what to mend."""


class WrongReferee(RefereeError):
    """The caller did not prove that it knows the secret that the bot shares with its referee."""
