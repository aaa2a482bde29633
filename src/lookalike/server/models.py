"""The shapes of requests and answers: nothing else is taken, and nothing is converted."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, PlainValidator, Tag, WithJsonSchema
from pydantic_core import PydanticCustomError

from lookalike.tables.packed import Id  # noqa: TC001 — pydantic reads the signatures at run time

__all__ = [
    "ANSWERS",
    "REQUESTS",
    "Acknowledged",
    "Added",
    "BatchChecked",
    "BatchDecided",
    "CheckBatch",
    "CheckText",
    "Checked",
    "Compare",
    "Compared",
    "Decided",
    "DocumentList",
    "Groups",
    "Health",
    "Histogram",
    "Info",
    "ListedDocument",
    "NewDocument",
    "NewDocuments",
    "NewText",
    "OneGroupPart",
    "OnePair",
    "PairList",
    "ProblemDocument",
    "Put",
    "Removed",
    "SentDocument",
    "SentDocuments",
    "StoredText",
    "TextOnly",
]

_LOW, _HIGH = -(2**63), 2**63 - 1
_ID_SCHEMA: Final[dict[str, Any]] = {
    "anyOf": [{"type": "string"}, {"type": "integer", "minimum": _LOW, "maximum": _HIGH}],
    "title": "Id",
}


def _whole(value: object) -> object:
    """Return 7.0 as 7, which is the same in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53 else value


def _check_id(given: object) -> Id:
    value = _whole(given)
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool) and _LOW <= value <= _HIGH):
        return value
    raise PydanticCustomError("id_type", "must be a string or a 64-bit integer")


AnyId = Annotated[Any, PlainValidator(_check_id), WithJsonSchema(_ID_SCHEMA)]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0.0, le=1.0, allow_inf_nan=False)]
Top = Annotated[int, Field(ge=1, le=1000), BeforeValidator(_whole)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


# -- requests ----------------------------------------------------------------------------------------------------------


class SentDocument(_Strict):
    """A document."""

    id: AnyId
    text: str


class SentDocuments(_Strict):
    """Several documents."""

    documents: list[SentDocument] = Field(min_length=1, max_length=100_000)


class CheckText(_Strict):
    """Which stored documents is a text like?"""

    text: str
    threshold: Share | None = None
    top: Top | None = None


class CheckBatch(_Strict):
    """Which stored documents is each of these like?"""

    documents: list[SentDocument] = Field(min_length=1, max_length=100_000)
    threshold: Share | None = None
    top: Top | None = None
    skip_same_id: bool = False
    """Leave out what is stored under the id of a document."""


class NewDocument(SentDocument):
    """A document to add, unless a stored one is like it."""

    threshold: Positive | None = None
    top: Top | None = None


class NewDocuments(SentDocuments):
    """Documents to add, each unless one that is stored, or comes before it, is like it."""

    threshold: Positive | None = None
    top: Top | None = None


class TextOnly(_Strict):
    """A text that is sent."""

    text: str


class StoredText(_Strict):
    """A text that is stored."""

    id: AnyId


def _which(value: object) -> str:
    return _STORED if isinstance(value, dict) and "id" in value else _SENT


_SENT, _STORED = "sent", "stored"
_Side = Annotated[Annotated[TextOnly, Tag(_SENT)] | Annotated[StoredText, Tag(_STORED)], Discriminator(_which)]


class Compare(_Strict):
    """How similar are two texts, and what do they share?"""

    a: _Side
    b: _Side


class NewText(_Strict):
    """The new text of a document."""

    text: str


# -- answers -----------------------------------------------------------------------------------------------------------


class CheckHit(_Strict):
    """A stored document that is like the query."""

    id: AnyId
    jaccard: float | None
    """Null where only signatures are kept."""
    containment_query: float | None = None
    containment_document: float | None = None
    estimate: float | None = None
    """Of the Jaccard similarity; missing where it is measured."""
    standard_error: float | None = None
    """Of the estimate."""
    same_id: bool
    """Whether the query has the same id."""


class AnswerRecall(_Strict):
    """The share of the stored documents, or pairs, at or above the threshold that is found."""

    promised: float | None
    """At least; null if nothing is promised: without a threshold, of a truncated answer, where scores are estimates,
    and of pairs that are not all listed."""
    measured: None


class Checked(_Strict):
    """The hits of a text, the most similar first."""

    hits: list[CheckHit]
    truncated: bool
    """Whether there may be more."""
    recall: AnswerRecall
    nearest: list[CheckHit] | None = None
    """The nearest documents, however different, if the index was built with a preset for copied passages: it compares
    whole documents."""
    skipped_same_id: bool = False
    """Whether a document with the id of the query was not compared."""
    not_judged: bool = False
    """Whether the query has no words, so that it was compared with nothing."""


class CheckedDocument(Checked):
    """The hits of one document of a batch."""

    query: AnyId


class BatchChecked(_Strict):
    """The hits of each document, in their order."""

    results: list[CheckedDocument]


class Decided(Checked):
    """What was decided about a document: the hits are those that it was not added for."""

    id: AnyId
    added: bool
    """Whether it is stored now."""


class BatchDecided(_Strict):
    """What was decided about each document, in their order."""

    results: list[Decided]


class SharedPassage(_Strict):
    """A run that both texts have; places are code points."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    units: int
    a_line: int
    b_line: int
    a_page: int | None = None
    b_page: int | None = None
    text: str


class ReadingPassage(_Strict):
    """A shared passage in which a few words may differ: its words, and the places of the runs that are equal."""

    units: int
    runs: list[list[int]]
    """a_start, a_end, b_start, b_end of each, in code points."""


class SideBySide(_Strict):
    """Two texts as people read them side by side."""

    unit: Literal["word", "char", "token"]
    least: int
    """Units of the shortest passage."""
    units: list[int]
    """Of the first text, and of the second."""
    passages: list[ReadingPassage]


class Compared(BaseModel):
    """How similar two texts are."""

    schema_: Literal["lookalike/1"] = Field(alias="schema")
    a: AnyId | None
    b: AnyId | None
    recipe: dict[str, Any]
    jaccard: float
    containment_a: float
    containment_b: float
    estimate: float
    standard_error: float
    shared: int
    shingles_a: int
    shingles_b: int
    min_words: int | None
    any_length: dict[str, float] | None
    left_out: dict[str, Any]
    passages: list[SharedPassage]
    reading: SideBySide


class Added(_Strict):
    """What became of documents."""

    added: int
    unchanged: int
    """Those that were there with the same content."""


class Acknowledged(Added):
    """A line of the answer to a stream: what is safe so far."""

    acknowledged: int
    """Lines."""


class ListedDocument(_Strict):
    """A document in a list."""

    id: AnyId


class DocumentList(_Strict):
    """Some documents, in the order in which they were added."""

    documents: list[ListedDocument]
    next: str | None
    """What to give as `after` for more."""
    total: int


class StoredDocument(_Strict):
    """A stored document."""

    id: AnyId
    text: str | None
    """None where the index keeps no texts."""


class Put(_Strict):
    """What became of a document."""

    id: AnyId
    replaced: bool
    """Whether another text was there."""


class Removed(_Strict):
    """A document is gone."""

    removed: Literal[True]


class OneGroup(_Strict):
    """A cluster of similar documents."""

    group: int
    """Its place in the list, from 1."""
    principal: AnyId
    size: int
    documents: list[AnyId]
    """At most 1000 of them; GET /v1/groups/{group} has all."""


class OneGroupPart(OneGroup):
    """Some of the documents of a cluster."""

    next: str | None


class Groups(_Strict):
    """Clusters, the largest first."""

    groups: list[OneGroup]
    next: str | None
    total: int
    recall: AnswerRecall
    """Of the pairs that clusters are made of; of the clusters, where not all pairs are listed."""
    limited: int
    """Documents whose pairs are not all listed: they are in a very large cluster."""


class OnePair(_Strict):
    """Two similar documents."""

    a: AnyId
    b: AnyId
    jaccard: float | None = None
    """Missing where only signatures are kept."""
    containment_a: float | None = None
    containment_b: float | None = None
    estimate: float | None = None
    standard_error: float | None = None


class PairList(_Strict):
    """Pairs, the most similar first."""

    pairs: list[OnePair]
    next: str | None
    total: int
    recall: AnswerRecall
    limited: int
    """Documents whose pairs are not all listed: they are in a very large cluster."""


class Histogram(_Strict):
    """How many pairs have which similarity."""

    edges: list[float]
    counts: list[int]
    """One less than edges; the last interval has both of its ends."""
    threshold: float
    recall: AnswerRecall
    limited: int
    """Documents whose pairs are not all counted: they are in a very large cluster."""


class Info(_Strict):
    """What the server serves."""

    version: str
    """Of lookalike."""
    store: str
    documents: int
    bytes: int
    ids: Literal["str", "int", "none"]
    """What the ids are; none as long as there was no document."""
    recipe: str
    threshold: float
    recall: float
    bands: int
    rows: int
    keep: Literal["text", "shingles", "signature"]
    secret: bool
    preset: str | None
    limits: dict[str, float]
    may: list[Literal["read", "write"]]
    """What this client may do."""


class Health(_Strict):
    """How the server is."""

    status: Literal["ok"]


class FieldProblem(_Strict):
    """What is wrong with a field."""

    field: str
    """A JSON pointer, or the name of a parameter after a slash."""
    problem: str
    remedy: str
    id: AnyId | None = None


class ProblemDocument(_Strict):
    """What is wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldProblem] = []


REQUESTS: Final = (SentDocument, SentDocuments, NewDocument, NewDocuments, CheckText, CheckBatch, Compare, NewText)
ANSWERS: Final = (
    *(Checked, BatchChecked, CheckedDocument, Compared, Added, Acknowledged, DocumentList, StoredDocument, Put),
    *(Decided, BatchDecided, Removed, Groups, PairList, Histogram, Info, Health, ProblemDocument),
)
"""What the description of the API names."""
