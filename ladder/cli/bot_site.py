"""Do on a ladder's site what authors do: `santiago bot submit`, `status`, `replay download` ...

A client of the site's API that needs none of the ladder's own parts (the extra `client`).
"""

from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from ladder.cli.bot_answers import (
    Challenge,
    GatewayToken,
    Log,
    LogEntry,
    MatchOutput,
    OwnBot,
    OwnVersion,
    Submission,
    find_version,
    own_bot,
    own_bot_id,
    own_bots,
    public_bot,
    ranked_bots,
)
from ladder.cli.bot_package import make_package
from ladder.cli.bot_upload import ACTIVE, REJECTED, follow, show_submission, upload
from ladder.cli.client import SiteClient, SiteError, read, site_option
from ladder.cli.files import write_whole
from ladder.cli.replay import fault_lines
from ladder.cli.terminal import Seconds, confirm, is_typed
from ladder.config import Environment
from referee.fault_reports import debug_line
from referee.hosting.packing import SUFFIXES
from referee.hosting.settings import MB
from referee.joining import TOKEN_VARIABLE
from referee.proof import usable
from referee.replay import MAGIC, file_name
from referee.serving import SECRET_VARIABLE
from referee.ways import GATEWAY_PREFIX, HOSTED_PREFIX

_SUBMITTED: Final = "submitted"
_ABSENT: Final = "absent"  # the code of a fault
_NEITHER: Final = (
    "{!r} is neither a file nor a folder here: give the folder of a bot, or a .zip or .tar.gz of "
    "it, as `santiago bot pack` makes. A bot that you run has a NAME and a VERSION."
)
_NO_VERSION: Final = "A bot at an address has a VERSION, too: NAME VERSION --address HOST:PORT."
_OF_A_PACKAGE: Final = (
    "--slots and --language are for a bot that you run: of a package, its santiago.toml says the "
    "language, and the ladder's hosts decide how many games it plays at once. Leave them out."
)
_VERSION_OF_A_PACKAGE: Final = (
    "{!r} is a package, and its santiago.toml says the version: leave VERSION out."
)


@click.command()
@click.argument("name", metavar="PACKAGE | FOLDER | NAME")
@click.argument("version", required=False)
@click.option("--wait", is_flag=True, help="Follow it until the bot is ranked.")
@click.option(
    "--timeout",
    type=Seconds(min=1),
    default=1800,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait at most.",
)
@click.option("--address", metavar="HOST:PORT", help="Where it listens. Else by the gateway.")
@click.option(
    "--slots",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="Games that it plays at once. At the gateway, the bot says so itself.",
)
@click.option("--language", help="What it is written in.")
@site_option
def submit(
    name: str,
    version: str | None,
    wait: bool,
    timeout: float,
    address: str | None,
    slots: int,
    language: str | None,
    site: SiteClient,
) -> None:
    """Upload a PACKAGE, or submit a VERSION of your bot NAME that you run. It is checked first.

    `santiago bot pack` makes a package; the ladder's hosts run it. A FOLDER is packed first. With
    --wait the exit code is 0 once it is ranked, 1 if it is rejected, 3 if neither came in time.

    A bot with an address shares a secret with the referee: put it into SANTIAGO_SECRET, here and
    where the bot runs. A new version keeps the secret of the one before.
    """
    path = Path(name)
    if version is None:
        if address is not None:
            raise click.UsageError(_NO_VERSION)
        if not (path.is_file() or path.is_dir()):
            raise click.UsageError(_NEITHER.format(name))
        if language is not None or is_typed("slots"):
            raise click.UsageError(_OF_A_PACKAGE)
        made = _upload(site, path)
    elif name.endswith(SUFFIXES) and path.is_file():
        raise click.UsageError(_VERSION_OF_A_PACKAGE.format(name))
    else:
        made = _submit(site, name, version, address=address, slots=slots, language=language)
    if wait:
        follow(site, made, timeout, built=version is None)
    else:
        click.echo(f"`santiago bot status {made.bot_id}` tells how it goes on; so does --wait.")


@click.command()
@click.argument("bot", required=False)
@site_option
def status(bot: str | None, site: SiteClient) -> None:
    """Print your bots, or one bot with its places, its versions and the results of their checks."""
    if bot is not None:
        _show(site, own_bot(site, own_bot_id(site, bot)))
        return
    bots = list(own_bots(site))
    if not bots:
        click.echo("You have no bots yet: `santiago bot submit PACKAGE` uploads one.")
    for one in bots:
        newest = one.versions[0] if one.versions else OwnVersion(0, "", "no version")
        click.echo(f"{one.id:4}  {_state(one)}  newest: {newest.name} ({newest.state})")


@click.command("log")
@click.argument("bot")
@click.argument("match_id", metavar="[MATCH]", required=False, type=int)
@click.option("--faults", is_flag=True, help="Only matches in which it faulted.")
@site_option
def show_log(bot: str, match_id: int | None, faults: bool, site: SiteClient) -> None:
    """Print the newest matches of your bot as the referee saw it in them.

    With a MATCH, print what your hosted bot wrote in it: to stdout, then to stderr.
    """
    bot_id = own_bot_id(site, bot)
    if match_id is not None:
        wrote = read(MatchOutput, site.get(f"/bots/{bot_id}/log/{match_id}/output")).output
        click.echo(wrote.rstrip("\n") or "It wrote nothing.")
        return
    found = read(Log, site.get(f"/bots/{bot_id}/log", which="faults" if faults else "all"))
    if not found.entries:
        nothing = "No faults." if faults else "No matches yet."
        click.echo(f"{nothing} `santiago bot status {bot_id}` tells how its versions are.")
    for entry in found.entries:
        click.echo(f"match {entry.match_id} ({entry.kind}), {entry.state}: {_how_it_played(entry)}")
        if entry.fault == _ABSENT:
            click.echo("    It did not appear: the tournament decided the match without it.")
        elif entry.fault_report:
            for line in fault_lines(entry.fault_report):
                click.echo(f"    {line}")
            click.echo(f"    again: santiago replay download {entry.match_id}")
            click.echo(f"           {debug_line(entry.match_id, entry.seat)}")
        elif entry.fault_sentence:  # without a fault: why the bot could not be reached
            click.echo(f"    {entry.fault or 'not played'}: {entry.fault_sentence}")
        if entry.fault_sentence and entry.wrote:
            click.echo(f"    wrote: santiago bot log {bot_id} {entry.match_id}")


def _how_it_played(entry: LogEntry) -> str:
    """Return the version, its rank, time and memory (of a hosted bot), and its opponents."""
    said = f"version {entry.version}, rank {'-' if entry.rank is None else entry.rank}"
    if entry.think_ms is not None:
        said += f", thought {entry.think_ms} ms"
    if entry.longest_ms is not None:
        said += f" (longest decision {entry.longest_ms} ms)"
    if entry.peak_memory is not None:
        said += f", peak memory {entry.peak_memory / MB:.1f} MB"
    return f"{said}; against {', '.join(entry.opponents)}" if entry.opponents else said


@click.command()
@click.argument("bot")
@click.argument("version", required=False)
@site_option
def retry(bot: str, version: str | None, site: SiteClient) -> None:
    """Submit a rejected VERSION of your bot again, as it was; by default the newest."""
    bot_id = own_bot_id(site, bot)

    def rejected(one: OwnVersion) -> bool:
        return one.state == REJECTED and version in (None, one.name)

    newest = find_version(site, bot_id, rejected)
    if newest is None:
        raise click.ClickException("There is no such version that was rejected.")
    made = read(Submission, site.post(f"/bots/{bot_id}/versions/{newest.id}/retry"))
    click.echo(f"Version {newest.name} is {made.state} again.")
    _tell_entered(made, "Version", newest.address)
    click.echo(f"`santiago bot status {bot_id}` tells how it goes on.")


def _step(word: str, summary: str) -> click.Command:
    """Return a command that takes a step with a bot."""

    @click.command(word, help=summary)
    @click.argument("bot")
    @site_option
    def step(bot: str, site: SiteClient) -> None:
        _take(site, bot, word)

    return step


def _take(site: SiteClient, bot: str, word: str) -> None:
    """Take a step with a bot, and print how it is then."""
    click.echo(_state(read(OwnBot, site.post(f"/bots/{own_bot_id(site, bot)}/{word}"))))


pause = _step("pause", "Stop your bot from playing until you resume it.")
resume = _step("resume", "Let your bot play again.")
open_to_people = _step("open-to-people", "Let people play casual games with your bot.")
close_to_people = _step("close-to-people", "Let nobody begin a casual game with your bot any more.")


@click.command()
@click.argument("bot")
@click.option("--yes", is_flag=True, help="Do not ask.")
@site_option
def retire(bot: str, yes: bool, site: SiteClient) -> None:
    """Take your bot from the ladder for good; its games stay."""
    if not yes:
        confirm(f"Retire bot {bot} for good?")
    _take(site, bot, "retire")


@click.command()
@click.argument("bot")
@click.argument("tournament_id", type=int)
@click.option("--yes", is_flag=True, help="Do not ask.")
@site_option
def withdraw(bot: str, tournament_id: int, yes: bool, site: SiteClient) -> None:
    """Withdraw your bot from a tournament; what it has played there stays."""
    if not yes:
        confirm(f"Withdraw bot {bot} from tournament {tournament_id} for good?")
    site.post(f"/tournaments/{tournament_id}/bots/{own_bot_id(site, bot)}/withdraw")
    click.echo(f"Bot {bot} has withdrawn from tournament {tournament_id}.")


@click.command("gateway-token")
@click.argument("bot")
@site_option
def gateway_token(bot: str, site: SiteClient) -> None:
    """Make a new token with which your bot joins the gateway; the old one becomes void."""
    made = read(GatewayToken, site.post(f"/bots/{own_bot_id(site, bot)}/gateway-token"))
    _show_token(made.gateway_token, made.gateway)


@click.command()
@click.argument("bot")
@click.argument("opponents", metavar="OPPONENT...", nargs=-1, required=True)
@site_option
def challenge(bot: str, opponents: tuple[str, ...], site: SiteClient) -> None:
    """Let your BOT play an unrated match now, against one to three others.

    An OPPONENT is the id of a bot, or the name of one that has a place on a ladder.
    """
    others = [_opponent(site, word) for word in opponents]
    wish = {"bot": own_bot_id(site, bot), "opponents": others}
    made = read(Challenge, site.post("/challenges", wish))
    table = ", ".join(seat.name or "?" for seat in made.seats)
    click.echo(f"Match {made.id} is {made.state}: {table}; {site.url}/matches/{made.id}")


@click.command()
@click.argument("match_ids", metavar="MATCH...", nargs=-1, type=int, required=True)
@click.option(
    "--to",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="The folder for them; default: the current one.",
)
@site_option
def download(match_ids: tuple[int, ...], to: Path, site: SiteClient) -> None:
    """Save the replay files of matches as match-N.santiago."""
    to.mkdir(parents=True, exist_ok=True)
    missing = False
    for match_id in match_ids:
        try:
            data = _replay(site, match_id)
        except SiteError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            click.echo(f"Error: {error}", err=True)
            missing = True
        else:
            file = to / file_name(match_id)
            write_whole(file, data)
            click.echo(str(file))
    if missing:
        raise SystemExit(1)


def _replay(site: SiteClient, match_id: int) -> bytes:
    """Download the replay of a match. Raises SiteError, also if what comes is no replay."""
    data = site.download(f"/matches/{match_id}/replay")
    if not data.startswith(MAGIC):
        raise SiteError(f"{site.url} sent no replay of match {match_id}: is the URL right?")
    return data


def _show(site: SiteClient, bot: OwnBot) -> None:
    click.echo(_state(bot))
    if _plays(bot):
        for place in public_bot(site, bot.id).places:
            click.echo(f"  {place}")
    for version in bot.versions:
        failed = version.failures
        told = failed and version.state == REJECTED  # the reason is the first failure
        why = "" if told else version.reason or _waits_for(bot, version)
        click.echo(f"  {version.name}  {version.state}{': ' if why else ''}{why}")
        for line in failed:
            click.echo(f"      {line}")
        if version.state == REJECTED and version.address.startswith(HOSTED_PREFIX):
            click.echo(f"      its log: {site.url}/bots/{bot.id}/versions/{version.id}")


def _waits_for(bot: OwnBot, version: OwnVersion) -> str:
    """Say what a version needs before it is checked, or plays; return nothing if it needs none."""
    if version.waits_for_host:
        return "it waits for a host: none that takes work now has its runtime"
    name, joined = version.name, bot.joined_version
    behind_gateway = version.address.startswith(GATEWAY_PREFIX)
    waits = version.state == _SUBMITTED and behind_gateway
    if not waits or name in bot.joined_versions:
        return ""
    if joined is None:
        return "it will be checked as soon as it joins the gateway"
    return (
        f"version {joined} has joined the gateway; this one is checked as soon as a program that "
        f"tells version {name} joins"
    )


def _upload(site: SiteClient, path: Path) -> Submission:
    """Upload a package, or a folder that is packed first."""
    with TemporaryDirectory() as own:
        package = make_package(path, into=Path(own)) if path.is_dir() else path
        made = upload(site, package)
    _tell_entered(made, "Version", None)
    return made


def _submit(
    site: SiteClient,
    name: str,
    version: str,
    *,
    address: str | None,
    slots: int,
    language: str | None,
) -> Submission:
    """Submit a version that its author runs; print what the author has to do."""
    secret = usable(Environment.from_environment().bot_secret, SECRET_VARIABLE) if address else ""
    wish = {
        "name": name,
        "version": version,
        "address": address,
        "slots": slots,
        "secret": secret or None,
        "language": language,
    }
    made = read(Submission, site.post("/bots", wish))
    show_submission(site, made, name, version)
    if made.gateway_token:
        _show_token(made.gateway_token, made.gateway)
    _tell_entered(made, name, address)
    return made


def _opponent(site: SiteClient, word: str) -> int:
    """Return the id of a bot by its id or name. Raises UsageError if no name fits, or several."""
    if word.isdecimal():
        return int(word)
    found = ranked_bots(site, word)
    if len(found) == 1:
        return found[0].bot_id
    if found:
        named = ", ".join(f"{bot.bot_id} by {bot.author}" for bot in found)
        raise click.UsageError(f"Several bots are called {word!r}: take the id ({named}).")
    raise click.UsageError(
        f"No bot with a place on a ladder is called {word!r}: take its id, which is in the address "
        f"of its page, {site.url}/bots/ID."
    )


def _tell_entered(made: Submission, name: str, address: str | None) -> None:
    """Print what a new version means for older ones that play in tournaments."""
    for one in made.entered:
        plays = f"{name} {one.version} plays in the tournament {one.tournament}"
        if one.address.startswith(HOSTED_PREFIX):
            click.echo(f"{plays} until that is over.")
        elif one.address == address:
            click.echo(
                f"{plays} at this same address. While another program answers there, its matches "
                "are forfeited: give the new version another port."
            )
        else:
            click.echo(f"{plays} until that is over: keep it running beside the new version.")


def _plays(bot: OwnBot) -> bool:
    """Return True if a version of the bot is active."""
    return any(version.state == ACTIVE for version in bot.versions)


def _state(bot: OwnBot) -> str:
    waits = bot.state == ACTIVE and not _plays(bot)
    state = "not on the ladder yet" if waits else bot.state
    offline = ", offline" if bot.offline_since else ""
    why = f" ({bot.pause_reason})" if bot.pause_reason else ""
    people = ", and plays with people" if bot.open_to_people else ""
    return f"{bot.name} is {state}{offline}{why}{people}"


def _show_token(token: str, gateway: str | None) -> None:
    click.echo("Start it where it runs; the token is shown this once:")
    click.echo(f"    {TOKEN_VARIABLE}={token} santiago bot join {gateway or 'GATEWAY:PORT'} BOT")
    if not gateway:
        click.echo("The site names no gateway: ask its operator for one, or upload the bot.")
