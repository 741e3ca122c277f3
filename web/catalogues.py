"""The catalogues of the site's sentences: `python -m web.catalogues [--check] [LANGUAGE …]`.

Gathers what `web.languages` says how to write into web/translations/LANGUAGE/LC_MESSAGES: .po is
for translators, .mo what the site reads. What was translated stays as long as its sentence does.
With --check nothing is written: says what is missing or wrong, and fails if anything is.
"""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from babel.messages import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from web.languages import LANGUAGES, SOURCE

TRANSLATED: Final = tuple(code for code in LANGUAGES if code != SOURCE)
"""The languages that have a catalogue."""

_ROOT: Final = Path(__file__).parents[1]
_FOLDER: Final = Path(__file__).with_name("translations")
_SOURCES: Final = {
    "ladder": [("**.py", "python")],
    "web": [("**.py", "python"), ("templates/**.html", "jinja2")],
}
_OPTIONS: Final = {"**.html": {"trimmed": "true", "newstyle_gettext": "true", "silent": "false"}}
_KEYWORDS: Final = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "mark": None,
    # The ladder's errors and notices, and what stands in them in words: see ladder.errors.
    **dict.fromkeys(("Forbidden", "NotFound", "NotSignedIn", "Phrase", "Refused", "TooMany")),
    "Invalid": (2,),
    "WrongPassword": (2,),
    "notify": (4,),
    "OutOfBounds": None,
}
_NOTE: Final = "Translators:"
_FIELD: Final = re.compile(r"%\((\w+)\)s")
_TAG: Final = re.compile(r"</?\w[^>]*>")


class _Catalogue(Catalog):
    """Without what changes from day to day."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """The header of the file, for programs that read it."""
        return [
            ("Language", str(self.locale)),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", f"{self.plural_forms}\n"),
        ]


def gathered(code: str) -> Catalog:
    """Return a catalogue of a language with all sentences of the site, not translated."""
    language = LANGUAGES[code].locale.english_name
    catalogue = _Catalogue(code, header_comment=f"# The site in {language}.", fuzzy=False)
    for folder, methods in _SOURCES.items():
        found = extract_from_dir(
            _ROOT / folder,
            methods,
            _OPTIONS,
            _KEYWORDS,
            comment_tags=(_NOTE,),
            strip_comment_tags=True,
        )
        for file, line, sentence, notes, context in found:
            place = (f"{folder}/{Path(file).as_posix()}", line)
            catalogue.add(sentence, None, [place], auto_comments=notes, context=context)
    return catalogue


def updated(code: str) -> Catalog:
    """Return all sentences with the translations that the language's catalogue has."""
    catalogue, stored = gathered(code), _stored(code)
    for message in catalogue:
        old = stored.get(message.id, message.context) if message.id else None
        if old is not None and _is_plural(old) == _is_plural(message):
            message.string = old.string
            message.flags |= old.flags & {"fuzzy"}
            message.user_comments = old.user_comments
    return catalogue


def write(code: str) -> None:
    """Bring the files of a language up to date."""
    catalogue = updated(code)
    _file(code, ".po").parent.mkdir(parents=True, exist_ok=True)
    _file(code, ".po").write_bytes(_as_po(catalogue))
    _file(code, ".mo").write_bytes(_as_mo(catalogue))


def stale(code: str) -> list[str]:
    """Return a line for each thing that `write` would change in the files of a language."""
    if not (_file(code, ".po").exists() and _file(code, ".mo").exists()):
        return [f"{code}: there are no catalogues: run make translations"]
    catalogue, stored = updated(code), _stored(code)
    wrong = [
        f"{code}: not in the catalogue: {_shown(message)}"
        for message in catalogue
        if message.id and stored.get(message.id, message.context) is None
    ]
    if not wrong and _file(code, ".po").read_bytes() != _as_po(catalogue):
        wrong.append(f"{code}: messages.po is not as make translations leaves it")
    if not wrong and _file(code, ".mo").read_bytes() != _as_mo(catalogue):
        wrong.append(f"{code}: messages.mo was not made from messages.po")
    return [f"{one}: run make translations" for one in wrong]


def untranslated(code: str) -> list[str]:
    """Return a line for each sentence whose translation is missing or in doubt."""
    return [
        f"{code}: {'in doubt' if message.fuzzy else 'not translated'}: {_shown(message)}"
        for message in _stored(code)
        if message.id and (message.fuzzy or not all(_forms(message.string)))
    ]


def mistaken(code: str) -> list[str]:
    """Return a line for each translation with other fields, elements or per cent signs."""
    catalogue = _stored(code)
    return [
        f"{code}: {problem}: {_shown(message)}"
        for message in catalogue
        if message.id and any(_forms(message.string))
        for problem in problems(message)
    ]


def main(arguments: list[str]) -> None:
    """Write the catalogues of the languages named, or of all; with --check change nothing."""
    only_look = "--check" in arguments
    codes = [argument for argument in arguments if argument != "--check"]
    if unknown := set(codes) - set(TRANSLATED):
        sys.exit(f"Error: {', '.join(unknown)}: there are {', '.join(TRANSLATED)} and --check")
    wrong = []
    for code in codes or TRANSLATED:
        if not only_look:
            write(code)
        checks = (stale, untranslated, mistaken) if only_look else (mistaken,)
        wrong += [one for check in checks for one in check(code)]
    for one in wrong:
        print(one)
    sys.exit(bool(wrong))


def problems(message: Message) -> Iterator[str]:
    """Yield what is in a translation but not in its sentence, or the other way round."""
    originals, forms = _forms(message.id), _forms(message.string)
    fields = {field for one in originals for field in _FIELD.findall(one)}
    tags = sorted(_TAG.findall(originals[-1]))
    for form in forms:
        own = set(_FIELD.findall(form))
        # "one game" may do without the number, but no form for many may
        if own - fields or (fields - own and (fields - own != {"num"} or form is forms[-1])):
            yield f"has not the fields {', '.join(sorted(fields)) or '(none)'}"
        if sorted(_TAG.findall(form)) != tags:
            yield f"has not the elements {' '.join(tags) or '(none)'}"
        if _stray(form) and not _stray(originals[0]):
            yield "has a per cent sign that is not written %%"


def _stray(form: str) -> bool:
    """Return True if there is a per cent sign that is neither a field's nor doubled."""
    return "%" in _FIELD.sub("", form).replace("%%", "")


def _stored(code: str) -> Catalog:
    file = _file(code, ".po")
    if not file.exists():
        return Catalog(code)
    with file.open("rb") as opened:
        return read_po(opened, locale=code, abort_invalid=True)


def _as_po(catalogue: Catalog) -> bytes:
    text = io.BytesIO()
    write_po(text, catalogue, width=100, sort_output=True, no_location=True)
    return text.getvalue()


def _as_mo(catalogue: Catalog) -> bytes:
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    return compiled.getvalue()


def _file(code: str, suffix: str) -> Path:
    return _FOLDER / code / "LC_MESSAGES" / f"messages{suffix}"


def _forms(text: object) -> tuple[str, ...]:
    """Return the forms of a message; one if it has no plural."""
    if isinstance(text, (tuple, list)):
        return tuple(str(form or "") for form in text) or ("",)
    return (str(text or ""),)


def _is_plural(message: Message) -> bool:
    return isinstance(message.id, tuple)


def _shown(message: Message) -> str:
    return repr(_forms(message.id)[0])


if __name__ == "__main__":
    main(sys.argv[1:])
