"""From a click on "upload" to the first rated game, and all that an author sees on the way."""

import base64
import io
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    CDPSession,
    FilePayload,
    Locator,
    Page,
    StorageState,
    expect,
)

from ladder.model import Bot
from referee.hosting.archives import Limits
from referee.hosting.packages import pack, unpack
from tests import wheels
from tests.conftest import PROJECT, missing
from tests.e2e.bots import sample_bot
from tests.e2e.browser import chromium, clean_page, keep_picture
from tests.e2e.gates import enter
from tests.e2e.inspection import inspect
from tests.e2e.processes import until
from tests.e2e.santiago import own_folder
from tests.e2e.season import AUTHOR, OTHER_AUTHOR
from tests.e2e.sites import parts
from tests.e2e.visiting import signed_in
from tests.referee.hosting.hosts import reachable, running as host
from tests.web.accounts.visitors import make

SMOKE = PROJECT / "referee" / "hosting" / "runtimes" / "python" / "smoke"
SAYS = """
_chosen = SmokeBot.choose


def _choose_aloud(self: SmokeBot, decision: Decision) -> Move:
    print("the first of", len(decision.moves), file=sys.stderr)
    return _chosen(self, decision)


SmokeBot.choose = _choose_aloud
import sys
"""
SLOWLY = """
import time

_chosen = SmokeBot.choose


def _choose_slowly(self: SmokeBot, decision: Decision) -> Move:
    time.sleep(0.2)
    return _chosen(self, decision)


SmokeBot.choose = _choose_slowly
"""
WITHIN = 300_000  # milliseconds, on a busy machine


@dataclass(frozen=True)
class Arena:
    """A service with a host, a quick ladder of house bots, and two authors."""

    address: str
    folder: Path


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    if shutil.which("bwrap") is None:
        missing("bubblewrap")
    with own_folder() as folder, reachable() as hosting, host(hosting) as (address, _):
        settings = {"SANTIAGO_HOSTS": address, "SANTIAGO_LADDER_PACE": "1"}
        with sample_bot(folder) as bot, parts(folder, **settings) as running:
            with running.ladder() as session:
                make(session, AUTHOR)
                make(session, OTHER_AUTHOR)
                enter(session, {"uno": bot, "dos": bot})
                (house,) = enter(session, {"casa": bot})
                session.get_one(Bot, house).house = True
                session.commit()
            yield Arena(running.address, folder)


@pytest.fixture(scope="module")
def browser(arena: Arena) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def ana_signed_in(browser: Browser, arena: Arena) -> StorageState:
    return signed_in(browser, arena.address, AUTHOR)


@pytest.fixture
def ana(browser: Browser, arena: Arena, ana_signed_in: StorageState) -> Iterator[Page]:
    """A page of the author; `refused` uploads are answered with 4xx, or 502 by a proxy."""
    with clean_page(browser, arena.address, state=ana_signed_in, refused=True) as opened:
        yield opened


def packed(folder: Path, name: str, *, more: int = 0) -> Path:
    """A package of the smoke bot in Python under another name, whose check takes minutes.

    So it can be withdrawn meanwhile. `more`: so many bytes of noise come with it, which nothing
    makes smaller.
    """
    project = folder / name
    shutil.copytree(SMOKE, project)
    manifest = project / "santiago.toml"
    manifest.write_text(manifest.read_text().replace('"smoke"', f'"{name}"'))
    program = project / "bot.py"
    program.write_text(program.read_text().replace('"smoke"', f'"{name}"') + SLOWLY)
    if more:
        (project / "noise.bin").write_bytes(os.urandom(more))
    package = folder / f"{name}.zip"
    pack(project, package)
    return package


EMPTY_ZIP = b"PK\5\6".ljust(22, b"\0")
NO_PACKAGE: FilePayload = {"name": "bot.py", "mimeType": "text/x-python", "buffer": b"print()"}
HOLD_FIRST_READ = """() => {
  const read = Blob.prototype.arrayBuffer;
  Blob.prototype.arrayBuffer = async function () {
    Blob.prototype.arrayBuffer = read;
    await new Promise((resolve) => { globalThis.goOn = resolve; });
    return read.call(this);
  };
}"""
HOLD_FIRST_PACKING = """() => {
  const read = Response.prototype.blob;
  const held = new Promise((resolve) => { globalThis.goOn = resolve; });
  globalThis.packed = new Promise((resolve) => {
    Response.prototype.blob = async function () {
      Response.prototype.blob = read;
      await held;
      const blob = await read.call(this);
      setTimeout(resolve);
      return blob;
    };
  });
}"""


def choose(page: Page, package: Path | FilePayload) -> None:
    """Chooses a package in the form."""
    page.goto("/bots/submit")
    expect(page.get_by_text("You can drop it here, or the folder itself.")).to_be_visible()
    page.get_by_label("Package").set_input_files(package)


def made_with_the_kit(page: Page, folder: Path, name: str) -> Path:
    """A package of the kit's new bot; an empty environment has the kit by the site's own line."""
    page.goto("/downloads")
    pip, install, address = page.locator("#bare").inner_text().split()
    assert (pip, install) == ("pip", "install")
    santiago = wheels.install(folder, address) / "santiago"
    subprocess.run([santiago, "bot", "new", name], cwd=folder, check=True)
    program = folder / name / "bot.py"
    program.write_text(program.read_text() + SAYS.replace("SmokeBot", "MyBot"))
    subprocess.run([santiago, "bot", "pack", name], cwd=folder, check=True)
    return folder / f"{name}-1.zip"


def test_from_the_downloads_to_the_first_rated_game(ana: Page, arena: Arena) -> None:
    package = made_with_the_kit(ana, arena.folder, "smoke")
    ana.goto("/bots/mine")
    keep_picture(ana, "upload-0-own-bots")
    ana.get_by_role("link", name="Submit a bot").first.click()
    keep_picture(ana, "upload-1-form")
    choose(ana, package)
    expect(status(ana)).to_have_text(
        re.compile("smoke, version 1, for the runtime python: 3 files")
    )
    inspect(ana, "upload-2-chosen")
    ana.get_by_role("button", name="Upload", exact=True).click()
    ana.wait_for_url(re.compile(r"/bots/\d+/versions/\d+$"))
    keep_picture(ana, "upload-3-uploaded")
    built = ana.get_by_role("listitem").filter(has=ana.get_by_role("heading", name="Built"))
    expect(built).to_have_class(re.compile("step-done"), timeout=WITHIN)
    keep_picture(ana, "upload-4-built")
    expect(ana.get_by_text(re.compile(r"All \d+ checks passed"))).to_be_visible(timeout=WITHIN)
    keep_picture(ana, "upload-5-checked")
    expect(ana.get_by_text("Active since")).to_be_visible(timeout=WITHIN)
    expect(ana.locator(".steps .step-done")).to_have_count(5)
    trial = ana.get_by_role("listitem").filter(has=ana.get_by_role("heading", name="Trial match"))
    expect(trial.get_by_role("link", name=re.compile(r"^Match \d+"))).to_be_visible()
    arrived = ana.get_by_role("region", name="smoke is on the ladder")
    expect(arrived.get_by_role("link", name="Tables of 2")).to_be_visible()
    inspect(ana, "upload-6-on-the-ladder")
    ana.get_by_role("button", name="Publish the source").click()
    expect(ana.get_by_role("button", name="Make it private again")).to_be_visible()
    keep_picture(ana, "upload-7-published")
    ana.get_by_role("link", name="Its page").click()
    expect(ana.get_by_text("hosted, runtime python").first).to_be_visible()
    expect(ana.get_by_role("link", name="Source of version 1 (MIT)")).to_be_visible()
    until(lambda: rated(ana), WITHIN / 1000)
    keep_picture(ana, "upload-8-rated")
    ana.get_by_role("link", name="This is your bot").click()
    keep_picture(ana, "upload-9-own-bot")
    ana.get_by_role("link", name="Your bots").click()
    card = ana.get_by_role("listitem").filter(has=ana.get_by_role("heading", name="smoke"))
    expect(card.locator(".own-places tr").last).to_contain_text("being placed")
    expect(card.locator(".own-results > li").first).to_contain_text("VP")
    keep_picture(ana, "upload-10-own-bots")
    ana.get_by_role("link", name="Private log").click()
    entry = ana.locator(".log > li").first
    expect(entry).to_contain_text("Peak memory")
    expect(entry).to_contain_text("CPU time")
    keep_picture(ana, "upload-11-private-log")
    entry.get_by_role("link", name=re.compile("^What it wrote")).click()
    expect(ana.get_by_role("region", name="stderr")).to_contain_text("the first of")
    keep_picture(ana, "upload-12-output")
    ana.get_by_role("link", name=re.compile(r"^Match \d+")).click()
    expect(ana.locator("[data-part=thinking]")).to_contain_text("narrow bars: CPU time")
    keep_picture(ana, "upload-13-think-times")


def rated(page: Page) -> bool:
    page.reload()
    return page.get_by_role("link", name="being placed").count() > 0


def status(page: Page) -> Locator:
    return page.locator("[data-part=status]")


def test_what_is_wrong_is_said_before_it_is_sent(ana: Page, arena: Arena) -> None:
    sent: list[str] = []
    ana.on("request", lambda request: sent.append(request.method))
    choose(ana, NO_PACKAGE)
    expect(status(ana)).to_contain_text("This is not a .zip or .tar.gz.")
    expect(ana.get_by_label("Package")).to_have_attribute("aria-invalid", "true")
    inspect(ana, "upload-wrong")
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("bot.py", "print()")
    ana.get_by_label("Package").set_input_files(zipped(empty.getvalue()))
    expect(status(ana)).to_contain_text("It has no file santiago.toml at its top.")
    with zipfile.ZipFile(empty, "a") as archive:
        archive.writestr("../santiago.toml", "")
    ana.get_by_label("Package").set_input_files(zipped(empty.getvalue()))
    expect(status(ana)).to_contain_text("../santiago.toml: this name leads out of the package.")
    ana.get_by_role("button", name="Upload", exact=True).click()
    ana.get_by_label("Package").set_input_files(zipped(empty.getvalue()[:-30]))
    expect(status(ana)).to_contain_text("It can’t be read")
    large = arena.folder / "large.zip"
    with large.open("wb") as file:
        file.truncate(31 * 2**20)
    ana.get_by_label("Package").set_input_files(large)
    expect(status(ana)).to_contain_text("a package can be 30 MB at most")
    assert "POST" not in sent


def test_what_is_said_of_a_file_ends_when_another_one_is_chosen(ana: Page) -> None:
    choose(ana, zipped(b"PK"))
    expect(status(ana)).to_contain_text("It can’t be read")
    ana.evaluate(HOLD_FIRST_READ)
    ana.get_by_label("Package").set_input_files(NO_PACKAGE)
    ana.get_by_label("Package").set_input_files(zipped(EMPTY_ZIP))
    expect(status(ana)).to_contain_text("It has no file santiago.toml at its top.")
    ana.evaluate("async () => { goOn(); await new Blob(['x']).arrayBuffer(); }")
    assert "It has no file santiago.toml at its top." in status(ana).inner_text()


def zipped(data: bytes) -> FilePayload:
    return {"name": "bot.zip", "mimeType": "application/zip", "buffer": data}


def test_a_tar_is_dropped_on_the_form_and_its_progress_is_shown(ana: Page, arena: Arena) -> None:
    package = packed(arena.folder, "dropped", more=3 * 2**20).with_suffix(".tar.gz")
    pack(arena.folder / "dropped", package)
    ana.goto("/bots/submit")
    expect(ana.get_by_text("You can drop it here, or the folder itself.")).to_be_visible()
    data = base64.b64encode(package.read_bytes()).decode()
    ana.locator("[data-upload]").dispatch_event(
        "drop", {"dataTransfer": ana.evaluate_handle(_DROPPED, [data, package.name])}
    )
    expect(status(ana)).to_contain_text("dropped, version 1, for the runtime python: 3 files")
    devtools = ana.context.new_cdp_session(ana)
    upload_at(devtools, 2**14)  # it would take minutes
    sent: list[str] = []
    ana.on("request", lambda request: sent.append(request.method))
    ana.get_by_role("button", name="Upload", exact=True).dblclick()
    expect(status(ana)).to_have_text(re.compile(r"Uploading: \d+%"))
    expect(ana.get_by_role("progressbar")).to_be_visible()
    keep_picture(ana, "upload-under-way")
    ana.get_by_role("button", name="Cancel").click()
    expect(ana.get_by_role("progressbar")).to_be_hidden()
    assert sent.count("POST") == 1
    ana.evaluate("fetch('/healthz')")  # Chromium's network has heard of the end by its answer
    upload_at(devtools, -1)
    ana.get_by_role("button", name="Upload", exact=True).click()
    ana.wait_for_url(re.compile(r"/bots/\d+/versions/\d+$"))
    ana.get_by_role("button", name="Withdraw this version").click()
    with ana.expect_download() as downloading:
        ana.get_by_role("link", name=package.name).click()
    assert Path(downloading.value.path()).read_bytes() == package.read_bytes()


def upload_at(devtools: CDPSession, pace: int) -> None:
    """So many bytes a second, or as many as there may be for -1."""
    pace_of = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": pace}
    devtools.send("Network.emulateNetworkConditions", {"offline": False, **pace_of})


def test_a_dropped_folder_is_packed_as_by_the_command(ana: Page, arena: Arena) -> None:
    packed(arena.folder, "loose")
    folder = arena.folder / "loose"
    deep = folder / ("d" * 90) / "inner"
    (folder / "__pycache__").mkdir()
    deep.mkdir(parents=True)
    for number in range(120):  # more than a browser lists at once
        (deep / f"{number}.txt").write_text("x" * number)
    for left_out in ("__pycache__/bot.pyc", ".env", "notes.txt"):
        (folder / left_out).write_text("secret")
    (folder / ".santiagoignore").write_text("# mine\n/notes.*\n")
    ana.goto("/bots/submit")
    expect(ana.get_by_text("You can drop it here, or the folder itself.")).to_be_visible()
    ana.evaluate(HOLD_FIRST_PACKING)
    drop(ana, folder)
    expect(status(ana)).to_have_text("The folder is being packed …")
    ana.get_by_label("Package").set_input_files(zipped(EMPTY_ZIP))
    ana.evaluate("() => { goOn(); return packed; }")
    expect(status(ana)).to_contain_text("It has no file santiago.toml at its top.")
    assert ana.get_by_label("Package").evaluate("input => input.files[0].name") == "bot.zip"
    drop(ana, folder)
    expect(status(ana)).to_contain_text("loose, version 1, for the runtime python: 122 files")
    inspect(ana, "upload-folder")
    ana.get_by_role("button", name="Upload", exact=True).click()
    ana.wait_for_url(re.compile(r"/bots/\d+/versions/\d+$"))
    ana.get_by_role("button", name="Withdraw this version").click()
    with ana.expect_download() as downloading:
        ana.get_by_role("link", name="loose.tar.gz").click()
    unpack(Path(downloading.value.path()), arena.folder / "there", Limits())
    pack(folder, arena.folder / "command.zip")
    unpack(arena.folder / "command.zip", arena.folder / "here", Limits())
    assert contents(arena.folder / "there") == contents(arena.folder / "here")


def drop(page: Page, path: Path) -> None:
    """Drops a file or folder on the form, as a person does."""
    box = page.locator(".drop").bounding_box()
    assert box is not None
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    devtools = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        where = {"type": kind, "x": box["x"] + 20, "y": box["y"] + 20}
        devtools.send("Input.dispatchDragEvent", {**where, "data": data})


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder, by their names."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


_DROPPED = """([data, name]) => {
  const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
  const given = new DataTransfer();
  given.items.add(new File([bytes], name));
  return given;
}"""


def test_a_refusal_of_the_site_is_shown_in_place(ana: Page, arena: Arena) -> None:
    package = packed(arena.folder, "strange")
    manifest = arena.folder / "strange" / "santiago.toml"
    manifest.write_text(manifest.read_text() + 'colour = "red"\n')
    with zipfile.ZipFile(package, "w") as archive:
        archive.write(manifest, "santiago.toml")
    choose(ana, package)
    ana.get_by_role("button", name="Upload", exact=True).click()
    expect(status(ana)).to_contain_text("santiago.toml: It has 'colour', which is not known here.")
    expect(ana.get_by_role("button", name="Upload", exact=True)).to_be_enabled()


def test_an_upload_that_a_proxy_gives_up_was_lost(ana: Page, arena: Arena) -> None:
    ana.route("**/bots/upload", lambda route: route.fulfill(status=502, content_type="text/html"))
    choose(ana, packed(arena.folder, "lost"))
    ana.get_by_role("button", name="Upload", exact=True).click()
    expect(status(ana)).to_have_text("The connection was lost, and nothing was stored: try again.")


def test_an_upload_needs_no_script(
    browser: Browser, arena: Arena, ana_signed_in: StorageState
) -> None:
    package = packed(arena.folder, "quiet")
    with clean_page(
        browser, arena.address, state=ana_signed_in, script=False, refused=True
    ) as page:
        page.goto("/bots/submit")
        page.get_by_label("Package").set_input_files(zipped(b"no archive"))
        page.get_by_role("button", name="Upload", exact=True).click()
        expect(page.get_by_role("alert")).to_have_text("It is neither a .zip nor a .tar.gz.")
        keep_picture(page, "upload-refused-without-script")
        page.get_by_label("Package").set_input_files(package)
        page.get_by_role("button", name="Upload", exact=True).click()
        # The page comes again by itself; the check would be the same with scripts.
        built = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="Built"))
        expect(built).to_have_class(re.compile("step-done"), timeout=WITHIN)
        keep_picture(page, "upload-without-script")
        # At once, since the page may come again between the halves of a click.
        page.get_by_role("button", name="Withdraw this version").dispatch_event("click")
        expect(page.locator("h1 .state")).to_have_text("rejected")
