"""The file of a shard: its signatures, ids and shingles. `docs/format.md` §12 describes it.

It is an archive like that of a saved result: nothing in it is compressed or can be run, every part has its SHA-256, and
whatever is read back is checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.documents import Skipped
from lookalike.engine import Strategy, least_agreeing
from lookalike.engine.bands import Bands, check_bands
from lookalike.engine.sign import row_schema
from lookalike.errors import DocumentError, LookalikeError, earlier_format
from lookalike.opening import open_error
from lookalike.recipe import Recipe
from lookalike.remote import open_named
from lookalike.result.archive import META, NotAnArchiveError, open_archive, read_batches, read_meta
from lookalike.tables.columns import compute
from lookalike.tables.output_files import new_file
from lookalike.tables.packed import Ids
from lookalike.tables.spelling import is_text, list_of, parse_json, row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

    import pyarrow as pa

    from lookalike.tables.columns import Column

__all__ = ["FORMAT", "Shard", "ShardSettings", "ShardWriter"]

FORMAT: Final = "lookalike-shard/2"
_EARLIER: Final = "lookalike-shard/1"
_BLOCK: Final = 1 << 20
_ROWS, _SHINGLES = "rows.arrow", "shingles.arrow"
_FIELDS: Final[Mapping[str, tuple[type, ...]]] = {
    "format": (str,),
    "lookalike": (str,),
    "recipe": (str,),
    "digest": (str,),
    "threshold": (float,),
    "recall": (float,),
    "bands": (int,),
    "rows": (int,),
    "ids": (str,),
    "documents": (int,),
    "skipped": (list,),
    "notes": (list,),
    "parts": (dict,),
}


@dataclass(frozen=True, slots=True)
class ShardSettings:
    """What decides the signatures of a shard."""

    recipe: Recipe
    threshold: float
    recall: float
    bands: Bands
    keep: str

    @classmethod
    def of(cls, strategy: Strategy, recall: float, keep: str) -> ShardSettings:
        """Take the settings of a strategy with bands."""
        return cls(strategy.recipe, strategy.threshold, recall, strategy.bands or Bands(1, 1), keep)

    def strategy(self, threshold: float) -> Strategy:
        """Return how shards are searched at a threshold."""
        lost = (1.0 - self.recall) / 50
        return Strategy(
            recipe=self.recipe,
            method="lsh",
            metric="bag" if self.recipe.bag else "jaccard",
            threshold=threshold,
            bands=self.bands,
            least=least_agreeing(threshold, self.recipe.hashes, lost) if lost else 0,
            promised=self.bands.recall(threshold) - lost,
        )


def _row_columns(settings: ShardSettings, *, numbers: bool) -> pa.Schema:
    import pyarrow as pa

    rows = row_schema(settings.strategy(settings.threshold)).remove_metadata()
    return pa.schema([pa.field("id", pa.int64() if numbers else pa.large_string()), *rows])


def _shingle_columns() -> pa.Schema:
    import pyarrow as pa

    return pa.schema([pa.field("shingles", pa.large_list(pa.uint64()))])


# -- writing ---------------------------------------------------------------------------------------------------------


class ShardWriter:
    """Writes a shard; the file appears when it is whole."""

    def __init__(self, path: str | os.PathLike[str], settings: ShardSettings) -> None:
        """Take the name of the file."""
        self._path, self._settings = path, settings
        self._stack = ExitStack()
        self._numbers: bool | None = None
        self._shingles: Any = None
        self.documents = 0
        self.skipped: list[Skipped] = []
        self.notes: list[str] = []

    def __enter__(self) -> Self:
        """Begin the file; shingles wait in a temporary file, because an archive takes one member at a time."""
        import tempfile

        stream = self._stack.enter_context(new_file(self._path, private=True))
        self._archive = self._stack.enter_context(zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED))
        self._rows = self._stack.enter_context(tempfile.TemporaryFile())
        self._lists = self._stack.enter_context(tempfile.TemporaryFile())
        self._row_writer: Any = None
        self._list_writer: Any = None
        return self

    def write(self, ids: Ids, rows: pa.RecordBatch, shingles: pa.LargeListArray[Any] | None) -> None:
        """Write the next documents."""
        import pyarrow as pa

        if self._row_writer is None:
            self._begin(numbers=ids.are_numbers)
        schema = _row_columns(self._settings, numbers=bool(self._numbers))
        self._row_writer.write_batch(pa.RecordBatch.from_arrays([ids.to_arrow(), *rows.columns], schema=schema))
        if shingles is not None:
            self._list_writer.write_batch(pa.RecordBatch.from_arrays([shingles], schema=_shingle_columns()))
        self.documents += len(ids)

    def _begin(self, *, numbers: bool) -> None:
        import pyarrow as pa

        self._numbers = numbers
        self._row_writer = pa.ipc.new_file(self._rows, _row_columns(self._settings, numbers=numbers))
        if self._settings.keep == "shingles":
            self._list_writer = pa.ipc.new_file(self._lists, _shingle_columns())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish the file, or leave none."""
        if kind is None:
            try:
                self._finish()
            except BaseException as own:
                self._stack.__exit__(type(own), own, own.__traceback__)
                raise
        self._stack.__exit__(kind, error, trace)

    def _finish(self) -> None:
        if self._row_writer is None:
            self._begin(numbers=True)
        parts = {}
        for name, writer, stored in (
            (_ROWS, self._row_writer, self._rows),
            (_SHINGLES, self._list_writer, self._lists),
        ):
            if writer is not None:
                writer.close()
                parts[name] = self._copied(name, stored)
        settings = self._settings
        meta = {
            "format": FORMAT,
            "lookalike": _native.build_info()["version"],
            "recipe": str(settings.recipe),
            "digest": settings.recipe.digest,
            "threshold": settings.threshold,
            "recall": settings.recall,
            "bands": settings.bands.bands,
            "rows": settings.bands.rows,
            "ids": "int" if self._numbers else "str",
            "documents": self.documents,
            "skipped": [[one.id, one.reason, one.detail] for one in self.skipped],
            "notes": self.notes,
            "parts": parts,
        }
        self._archive.writestr(_member(META), json.dumps(meta, indent=1).encode("utf-8"))

    def _copied(self, name: str, stored: IO[bytes]) -> dict[str, Any]:
        seen, size = hashlib.sha256(), 0
        stored.seek(0)
        with self._archive.open(_member(name), "w", force_zip64=True) as stream:
            while block := stored.read(_BLOCK):
                stream.write(block)
                seen.update(block)
                size += len(block)
        return {"bytes": size, "sha256": seen.hexdigest()}


def _member(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))


# -- reading ---------------------------------------------------------------------------------------------------------


class Shard:
    """A shard as its file tells it; shingles are read when they are asked for."""

    def __init__(self, path: str | os.PathLike[str], meta: Mapping[str, Any], rows: pa.Table) -> None:
        """Take what was read and checked."""
        self.name = os.fspath(path)
        self._path, self._meta = path, meta
        self.settings = _settings_of(meta)
        self.skipped = [Skipped(*one) for one in meta["skipped"]]
        self.notes: list[str] = meta["notes"]
        self.ids = Ids.from_arrow(rows.column("id").combine_chunks())
        self.rows = rows.drop_columns(["id"])

    @property
    def has_shingles(self) -> bool:
        """Whether the shingles of each document are in the file."""
        return _SHINGLES in self._meta["parts"]

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Shard:
        """Read a file that `ShardWriter` wrote."""
        import pyarrow as pa

        with _reading(path) as archive:
            meta = parse_json(read_meta(archive))
            _check_meta(meta, archive, os.fspath(path))
            settings = _settings_of(meta)
            schema = _row_columns(settings, numbers=meta["ids"] == "int")
            batches = list(read_batches(archive, _ROWS, meta["parts"][_ROWS], [schema]))
            rows = pa.Table.from_batches(batches, schema)
            if rows.num_rows != meta["documents"]:
                raise ValueError("it has another number of documents than it says")
        return cls(path, meta, rows)

    def shingles(self, wanted: Sequence[int]) -> list[Column]:
        """Return the shingles of some documents, by ascending numbers, in one or more arrays."""
        import pyarrow as pa

        if not wanted:
            return []
        chosen: list[Column] = []
        first = at = 0
        with _reading(self._path) as archive:
            told = self._meta["parts"][_SHINGLES]
            for batch in read_batches(archive, _SHINGLES, told, [_shingle_columns()]):
                end = first + batch.num_rows
                here = []
                while at < len(wanted) and wanted[at] < end:
                    here.append(wanted[at] - first)
                    at += 1
                if here:
                    chosen.append(_rising(batch.column(0).take(pa.array(here, pa.int64()))))
                first = end
            if at < len(wanted) or first != self._meta["documents"]:
                raise ValueError("it has another number of documents than it says")
        return chosen


def _rising(lists: Any) -> Any:
    """Return lists of elements, each of which rises, as the core expects them."""
    pc = compute()
    flat = lists.flatten()
    falls = pc.indices_nonzero(pc.less_equal(flat.slice(1), flat.slice(0, max(0, len(flat) - 1))))
    ends = pc.cumulative_sum(pc.list_value_length(lists))
    begins_another = pc.is_in(pc.add(falls.cast("int64"), 1), value_set=ends)
    if not pc.all(begins_another, min_count=0).as_py():
        raise ValueError("its shingles are not in order")
    return lists


class _reading:  # noqa: N801 — used like a function
    """Open a shard; whatever is wrong with it is an error that names it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._stack = ExitStack()

    def __enter__(self) -> zipfile.ZipFile:
        name = os.fspath(self._path)
        try:
            stream = self._stack.enter_context(open_named(self._path, name))
            return self._stack.enter_context(open_archive(stream))
        except NotAnArchiveError:
            self._stack.close()
            raise _foreign(name) from None
        except OSError as error:
            self._stack.close()
            raise open_error(name, error, "copy it into a file first") from None
        except ValueError as error:
            self._stack.close()
            raise _damaged(name, str(error)) from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        if isinstance(error, _ForeignError):
            raise _foreign(os.fspath(self._path)) from None
        if isinstance(error, Exception) and not isinstance(error, LookalikeError):
            raise _damaged(os.fspath(self._path), f"{error}") from None
        if isinstance(error, LookalikeError) and not isinstance(error, DocumentError):
            raise _damaged(os.fspath(self._path), f"{error}") from None


class _ForeignError(Exception):
    """An archive of another program."""


def _foreign(name: str) -> DocumentError:
    return DocumentError(name, "file", "is no shard", "name a file that lookalike sign wrote")


def _damaged(name: str, why: str) -> DocumentError:
    return DocumentError(name, "file", f"is damaged ({why})", "sign the shard again")


def _check_meta(meta: Any, archive: zipfile.ZipFile, name: str) -> None:
    """Refuse whatever this version does not write."""
    if not isinstance(meta, dict) or not str(meta.get("format", "")).startswith("lookalike-shard/"):
        raise _ForeignError
    if meta["format"] == _EARLIER:
        raise DocumentError(name, "file", *earlier_format("shard"))
    if meta["format"] != FORMAT:
        raise ValueError(f"it has the format {str(meta['format'])[:40]}, and this version reads {FORMAT}")
    if set(meta) != set(_FIELDS) or any(type(meta[name]) not in kinds for name, kinds in _FIELDS.items()):
        raise ValueError("its fields are not those of a shard")
    told = list_of(is_text)(meta["notes"]) and list_of(row(is_text, is_text, is_text))(meta["skipped"])
    if not told or meta["ids"] not in ("int", "str"):
        raise ValueError("its fields are not those of a shard")
    parts = meta["parts"]
    if _ROWS not in parts or not set(parts) <= {_ROWS, _SHINGLES} or set(archive.namelist()) != {META, *parts}:
        raise ValueError("its parts are not those that it lists")
    if not 0.0 < meta["threshold"] <= 1.0 or not 0.0 < meta["recall"] <= 1.0 or meta["documents"] < 0:
        raise ValueError("a number is out of range")


def _settings_of(meta: Mapping[str, Any]) -> ShardSettings:
    recipe = Recipe.parse(meta["recipe"])
    if recipe.digest != meta["digest"]:
        raise ValueError("its recipe has another digest")
    bands = Bands(meta["bands"], meta["rows"])
    check_bands(bands, recipe.hashes)
    keep = "shingles" if _SHINGLES in meta["parts"] else "signature"
    return ShardSettings(recipe, meta["threshold"], meta["recall"], bands, keep)
