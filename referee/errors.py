"""What can go wrong with a match. The rules have a family of their own, `referee.rules.RulesError`.

RefereeError
  +-- Unreachable      a bot did not accept the game: nothing was played
  |     +-- OtherVersion   it says that it is another version than the one that was expected
  +-- Interrupted      the platform's own trouble: the match is to be played again
  +-- ReplayError      a replay is damaged, forged or of another version
  +-- InvalidBot       a bot's own class or process cannot be used
  +-- WrongReferee     who calls a bot does not know its secret
  +-- InvalidSetting   what the environment or a file of settings says cannot be used
"""


class RefereeError(Exception):
    """The base of the referee's errors; the message is for people."""


class Unreachable(RefereeError):
    """A bot could not be reached, or did not accept the game."""

    def __init__(self, seat: int, why: str) -> None:
        super().__init__(seat, why)  # what it is made of again after its way between processes
        self.seat = seat
        self.why = why

    def __str__(self) -> str:
        return f"The bot at seat {self.seat} could not be reached: {self.why}"


class OtherVersion(Unreachable):
    """What answered is another version of the bot than the one that was expected."""

    def __init__(self, seat: int, why: str, told: str) -> None:
        super().__init__(seat, why)
        self.args = (seat, why, told)
        self.told = told


class Interrupted(RefereeError):
    """The platform itself failed a match; no bot is to blame."""


class ReplayError(RefereeError):
    """A replay that cannot be read, or does not re-simulate."""


class InvalidBot(RefereeError):
    """A bot's class or process that cannot be used; the message says what to mend."""


class InvalidSetting(RefereeError):
    """A setting that cannot be used; the message names it and says what to mend."""


class WrongReferee(RefereeError):
    """Who calls a bot did not prove to know the secret that the bot shares with its referee."""
