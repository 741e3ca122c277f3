"""One call of the API: its models, its address, and who may make it.

A view's signature says it all: the operation checks the arguments and the caller's rights, makes
the answer, and is described in the OpenAPI document (`web.api.description`). The ladder's
dataclasses are answers as they are; `Answer` is for those that differ. Requests are read strictly:
a number in quotes is no number, and 1 is not `true`.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Annotated, Any, Final, NoReturn, TypeAlias, TypeVar, get_type_hints

from flask import Blueprint, Response, after_this_request, request
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import ErrorDetails, PydanticCustomError
from werkzeug.exceptions import BadRequest, NotFound as PageNotFound, UnsupportedMediaType

from ladder.errors import Invalid
from web import identity, limits, security
from web.database import session
from web.parameters import MOST

PREFIX: Final = "/api/v1"
PATH_NUMBERS: Final[Mapping[str, tuple[int, int]]] = {"seats": (2, 4), "round": (1, 30)}
"""The smallest and the largest value of numbers in an address; all others are ids."""
_SUBJECT: Final = re.compile(r"^\w+(?= should )")  # in pydantic's sentences: Input, List, String
_IN_PATH: Final = re.compile(r"\{(\w+)\}")
_SENTENCES: Final = {
    "extra_forbidden": "there is no such field",
    "missing": "it is required",
    "model_type": "it should be a JSON object",
}
"""Our sentences for some of pydantic's types of errors; its own for all others."""
PAGE: Final = 50
MOST_ON_A_PAGE: Final = 200
_UNSTORABLE: Final = frozenset({"Cc", "Cs"})  # control characters, halves of characters


def _digits(value: object) -> int:
    if not (isinstance(value, str) and value.isascii() and value.isdigit()):
        raise PydanticCustomError("digits", "it should be a whole number in digits, such as 12")
    return int(value[:20])


def _storable(text: str) -> str:
    if any(unicodedata.category(character) in _UNSTORABLE for character in text):
        raise PydanticCustomError("storable", "it should hold no control characters")
    return text


Text: TypeAlias = Annotated[str, AfterValidator(_storable)]
"""A text without control characters, which some databases can't store."""
Id: TypeAlias = Annotated[int, Field(ge=1, le=MOST)]
Seconds: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
DIGITS: Final = BeforeValidator(_digits)
"""Reads a whole number in decimal digits, as an address holds it; it comes after the bounds."""
QueryId: TypeAlias = Annotated[int, Field(ge=1, le=MOST), DIGITS]
QueryNumber: TypeAlias = Annotated[int, Field(ge=0, le=MOST), DIGITS]
QueryLimit: TypeAlias = Annotated[int, Field(ge=1, le=MOST_ON_A_PAGE), DIGITS]
QuerySeats: TypeAlias = Annotated[int, Field(ge=2, le=4), DIGITS]


class Input(BaseModel):
    """The parameters or the body of a call. An unknown field is an error: it may be a typo."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
    )


class Answer(BaseModel):
    """The answer to a call, made from any object with these attributes, or from a dict.

    All fields are always there; later versions may have more of them.
    """

    model_config = ConfigDict(
        frozen=True,
        from_attributes=True,
        use_attribute_docstrings=True,
        defer_build=True,  # `Operation.answer` builds it, when a call is first made
    )


class Paging(Input):
    """Which part of a list to return."""

    before: QueryId | None = None
    """Only what is older than this: `next` of the previous page."""
    limit: QueryLimit = PAGE
    """The maximum number of items on a page."""


class Page(Answer):
    """A part of a list, newest first."""

    next: int | None
    """Give this as `before` for the next page; null on the last."""


class Problem(Answer):
    """An error (RFC 9457)."""

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Some input is invalid"])
    status: int = Field(examples=[422])
    detail: str = Field(examples=["Limit: it should be less than or equal to 200."])


class FieldProblem(Problem):
    """An error, with the field of the request that caused it."""

    field: str = Field(examples=["limit"])


_View = TypeVar("_View", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Raw:
    """An answer that the view makes by itself: its media type, its contents, and their fields."""

    mimetype: str
    description: str
    answer: type[Answer] | None = None


@dataclass(frozen=True)
class Operation:
    """A call. The view gets the numbers of the path by name, and these if it names them:

    query    the checked parameters of the address (GET), an instance of the annotated class
    body     the checked JSON object (POST), an instance of the annotated class
    account  the account whose token or browser it is; it needs a `scope`

    If it takes a `file` in place of a body, that is the field of a form (multipart/form-data).

    It returns an instance of the annotated class, or a response if the answer is `raw`.
    `may_fail`: status codes beside those that follow from the rest.
    """

    method: str
    path: str
    view: Callable[..., object]
    raw: Raw | None = None
    status: int = 200
    scope: str | None = None
    example: Mapping[str, Any] | None = None
    file: str | None = None
    may_fail: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The name of its view."""
        return self.view.__name__

    @property
    def numbers(self) -> Mapping[str, tuple[int, int]]:
        """The numbers in its address with their bounds, by name."""
        return {name: PATH_NUMBERS.get(name, (1, MOST)) for name in _IN_PATH.findall(self.path)}

    @property
    def query(self) -> type[Input]:
        """The parameters of its address; the empty `Input` if it takes none."""
        query: type[Input] = self._hints.get("query", Input)
        return query

    @property
    def body(self) -> type[Input] | None:
        """Its body, if it takes one."""
        return self._hints.get("body")

    @cached_property
    def answer(self) -> TypeAdapter[list[Any]]:
        """The answer, as a list of one: pydantic hands a config on to dataclasses in a list."""
        answer: Any = self._hints["return"]
        return TypeAdapter(list[answer], config=ConfigDict(use_attribute_docstrings=True))

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.view, include_extras=True)

    def rule(self) -> str:
        """The address as Flask reads it."""
        return _IN_PATH.sub(r"<int:\1>", self.path)

    def respond(self, **arguments: Any) -> Response:
        """Answer a request; `arguments` are the numbers of its path."""
        for name, (least, most) in self.numbers.items():
            if not least <= arguments[name] <= most:
                raise PageNotFound(_not_there(name, arguments[name]))
        if self.scope is not None:
            after_this_request(security.no_store)  # also of an error, which others may not get
            account = identity.may(self.scope)
            if self.method != "GET":
                limits.CHANGE.count(account)
                session().commit()  # the change gets a transaction of its own
            if "account" in self._hints:
                arguments["account"] = account
        query = _read_query(self.query)
        if "query" in self._hints:
            arguments["query"] = query
        if self.body is not None:
            arguments["body"] = _read_body(self.body)
        elif self.file is not None:
            _check_form(self.file)
        elif request.mimetype == "application/json" and request.get_data():
            _read_body(Input)  # a call without a body refuses fields, too
        result = self.view(**arguments)
        return result if isinstance(result, Response) else self._dumped(result)

    def _dumped(self, result: object) -> Response:
        (row,) = self.answer.dump_python([result])
        text = json.dumps(row, default=datetime.isoformat, separators=(",", ":"))
        return Response(f"{text}\n", self.status, mimetype="application/json")


class CallGroup:
    """The calls about one subject, with a blueprint of their own."""

    def __init__(self, name: str, about: str) -> None:
        self.name = name
        self.about = about
        self.operations: list[Operation] = []
        self.blueprint = Blueprint(f"api_{name}", __name__, url_prefix=PREFIX)

    def get(self, path: str, **options: Any) -> Callable[[_View], _View]:
        """Add a call that changes nothing; the options are those of Operation."""
        return self._operation("GET", path, options)

    def post(self, path: str, **options: Any) -> Callable[[_View], _View]:
        """Add a call that changes something; the options are those of Operation."""
        return self._operation("POST", path, options)

    def _operation(
        self, method: str, path: str, options: Mapping[str, Any]
    ) -> Callable[[_View], _View]:
        def register(view: _View) -> _View:
            made = Operation(method, path, view, **options)
            self.operations.append(made)
            self.blueprint.add_url_rule(made.rule(), made.name, made.respond, methods=[method])
            return view

        return register


def _not_there(name: str, number: int) -> str:
    """Say that a number of an address is out of its bounds."""
    if name in PATH_NUMBERS:
        least, most = PATH_NUMBERS[name]
        return f"{name.capitalize()}: give a number from {least} to {most}."
    return f"There is no {name.removesuffix('_id')} {number}."


def _read_query(model: type[Input]) -> Input:
    """Read the parameters of the address. Raises Invalid."""
    return _validated(model, _given_once(list(request.args.items(multi=True))))


def _read_body(model: type[Input]) -> Input:
    """Read the JSON object in the body. Raises Invalid, and HTTP errors if it can't be read."""
    if request.mimetype != "application/json":
        raise UnsupportedMediaType("Send JSON: Content-Type: application/json.")
    try:
        fields = json.loads(
            request.get_data(), parse_constant=_refuse, object_pairs_hook=_given_once
        )
    except (ValueError, RecursionError):  # no JSON, no UTF-8, too long a number, too deep
        raise BadRequest("The body can't be read as JSON.") from None
    if not isinstance(fields, dict):
        raise BadRequest("The body has to be a JSON object.")
    return _validated(model, fields)


def _given_once(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return fields by name. Raises Invalid if one is there twice."""
    for name, count in Counter(name for name, _ in fields).items():
        if count > 1:
            raise Invalid(name, f"{name}: give it once")
    return dict(fields)


def _check_form(file: str) -> None:
    """Refuse anything but this file in a form. Raises Invalid."""
    for name in (*request.form, *request.files):
        if name != file:
            sentence = _SENTENCES["extra_forbidden"]
            raise Invalid(name, f"{name}: {sentence}")
    if len(request.files.getlist(file)) != 1:
        raise Invalid(file, f"{file}: give one file")


def _refuse(constant: str) -> NoReturn:
    """Refuse NaN and Infinity, which Python reads, but JSON does not have."""
    raise ValueError(constant)


def _validated(model: type[Input], fields: Mapping[str, Any]) -> Input:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))  # as in `clock.bank`
        raise Invalid(field, f"{field}: {_sentence(first)}") from None


def _sentence(error: ErrorDetails) -> str:
    if error["type"] in _SENTENCES:
        return _SENTENCES[error["type"]]
    told = error["msg"].partition(" after validation")[0].rstrip(".")
    return _SUBJECT.sub("it", told)
