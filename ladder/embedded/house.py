"""The house bots beside the embedded service, each a process on a socket of its own."""

from collections.abc import Mapping

from ladder.embedded import house_bots
from ladder.embedded.service import EmbeddedService
from ladder.local.entrants import installed_bots
from referee.serving import load


def start_house_bots(service: EmbeddedService, extra: Mapping[str, str]) -> list[int]:
    """Starts the installed bots and lets them stand on the ladder; their ids.

    `extra` is added to their environment.
    """
    ids = []
    for name, target in sorted(installed_bots().items()):
        bot, address = load(target), service.add_bot(name, target, extra)
        with service.session() as session, session.begin():
            ids.append(
                house_bots.register(session, name=bot.name, version=bot.version, address=address)
            )
    return ids
