"""`lookalike dedupe`: rows come back as they were, stored as they were, in files and in folders."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

from tests.cli.conftest import ROWS, words

if TYPE_CHECKING:
    from tests.cli.conftest import Run

_KINDS: dict[str, pa.DataType] = {"year": pa.int64(), "month": pa.string()}
KEYS = pa.schema(_KINDS)
NAN, INF = float("nan"), float("inf")


def rows_of(*names: str) -> list[dict[str, Any]]:
    return [json.loads(line) for name in names for line in Path(name).read_text(encoding="utf-8").splitlines()]


def files(folder: str) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in Path(folder).rglob("*") if path.is_file())


# -- values ------------------------------------------------------------------------------------------------------------


def test_no_value_is_lost_from_parquet_to_json(run: Run) -> None:
    columns: dict[str, Any] = {
        "text": pa.array(["one two", "three four"]),
        "f": pa.array([-INF, 0.5]),
        "half": pa.array([NAN, None], pa.float32()),
        "deep": pa.array([[{"a": INF, "t": 1}], None], pa.list_(pa.struct([("a", pa.float64()), ("t", pa.int64())]))),
        "ns": pa.array([1, 1000], pa.timestamp("ns")),
        "us": pa.array([1000, None], pa.timestamp("ns", "UTC")),
        "time": pa.array([1, None], pa.time64("ns")),
        "span": pa.array([1, None], pa.duration("ns")),
        "far": pa.array([-(10**18), None], pa.timestamp("us")),
        "day": pa.array([dt.date(2024, 2, 29), None]),
        "big": pa.array([2**64 - 1, None], pa.uint64()),
        "map": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int8())),
    }
    parquet.write_table(pa.table(columns), "t.parquet")
    done = run("dedupe", "t.parquet", "-o", "kept.jsonl")
    assert done.code == 0, done.err
    assert rows_of("kept.jsonl") == [
        {
            "text": "one two",
            "f": "-Infinity",
            "half": "NaN",
            "deep": [{"a": "Infinity", "t": 1}],
            "ns": "1970-01-01T00:00:00.000000001",
            "us": "1970-01-01T00:00:00.000001+00:00",
            "time": "00:00:00.000000001",
            "span": "0:00:00.000000001",
            "far": "-29719-04-05T22:13:20.000000",
            "day": "2024-02-29",
            "big": 2**64 - 1,
            "map": [["k", 1]],
        },
        {**dict.fromkeys(columns), "text": "three four", "f": 0.5, "ns": "1970-01-01T00:00:00.000001000"},
    ]
    assert (
        'lookalike: note: kept.jsonl: values that are no numbers in JSON written as "NaN", "Infinity" or "-Infinity" '
        "in 'f', 'half', 'deep'\n" in done.err
    )
    assert run("dedupe", "t.parquet", "-o", "quiet.jsonl", "--quiet").err == ""


CSV = [
    b'id,"text", note,n',
    b'a,"one two, three",=1+1,007',
    b'"b",four five six,"two\nlines",1.50',
    b'c,"one two, three","say ""hi""",',
    b'd, seven eight nine ,5" pipe,""',
    b'e,,"no text",1',
    b"f,caf\xc3\xa9 ten eleven,\xc3\xbf\xc3\xbe,-0",
]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("delimiter", [b",", b";"])
def test_from_csv_to_csv_nothing_changes(run: Run, end: bytes, delimiter: bytes) -> None:
    lines = [line.replace(b",", delimiter) for line in CSV]
    Path("t.csv").write_bytes(end.join([*lines[:3], b"", *lines[3:]]))
    options = ["-t", "1", "--keep", "first", "--encoding", "utf-8"]
    done = run("dedupe", "t.csv", *options, "-o", "kept.csv", "--removed", "removed.csv")
    assert done.code == 0, done.err
    kept = end.join(lines[at] for at in (0, 1, 2, 4, 5, 6)) + b"\n"
    assert Path("kept.csv").read_bytes() == kept
    assert Path("removed.csv").read_bytes() == lines[0] + end.removesuffix(b"\n") + b"\n" + lines[3] + end


def test_tsv_stays_tsv_and_becomes_csv_by_name(run: Run) -> None:
    Path("t.tsv").write_bytes(b'id\ttext\n1\ta "b" c\n2\t"d\te"\n')
    assert run("dedupe", "t.tsv", "-o", "kept.tsv", "--quiet").code == 0
    assert Path("kept.tsv").read_bytes() == Path("t.tsv").read_bytes()
    assert run("dedupe", "t.tsv", "-o", "kept.csv", "--quiet").code == 0
    assert Path("kept.csv").read_bytes() == b'"id","text"\n"1","a ""b"" c"\n"2","d\te"\n'


def test_tables_with_other_columns_are_joined_by_name(run: Run) -> None:
    Path("a.csv").write_bytes(b"id,text\n1,one two\n")
    Path("b.csv").write_bytes(b"text,id\nthree four,2\n")
    assert run("dedupe", "a.csv", "b.csv", "-o", "kept.csv", "--quiet").code == 0
    assert Path("kept.csv").read_bytes() == b'"id","text"\n"1","one two"\n"2","three four"\n'


def test_only_the_text_of_a_row_of_csv_is_cut(run: Run) -> None:
    line = b"Subscribe to our weekly letter today"
    rows = [b'id,text,"n"', b'1,"%s",007' % line, b'"2", %s ,"x ""y"""' % line, b'3,"first\n%s",' % line]
    Path("t.csv").write_bytes(b"\r\n".join(rows) + b"\r\n")
    done = run("dedupe", "t.csv", "--by", "line", "-o", "kept.csv", "--quiet")
    assert done.code == 0, done.err
    rows[2:] = [b'"2","","x ""y"""', b'3,"first",']
    assert Path("kept.csv").read_bytes() == b"\r\n".join(rows) + b"\r\n"


# -- how they are stored -----------------------------------------------------------------------------------------------


def corpus(codec: Any = "gzip", groups: int = 2) -> pa.Table:
    table = pa.Table.from_pylist(ROWS).replace_schema_metadata({"made by": "hand"})
    parquet.write_table(table, "corpus.parquet", compression=codec, row_group_size=groups)
    return table


def codec_of(name: str) -> str:
    return str(parquet.ParquetFile(name).metadata.row_group(0).column(0).compression)


@pytest.mark.parametrize("codec", ["snappy", "gzip", "zstd", "none", "lz4", "brotli"])
def test_parquet_keeps_codec_groups_and_metadata(run: Run, codec: str) -> None:
    corpus(codec)
    assert run("dedupe", "corpus.parquet", "-o", "kept.parquet", "--quiet").code == 0
    assert codec_of("kept.parquet") == codec_of("corpus.parquet")
    kept = parquet.ParquetFile("kept.parquet")
    assert [kept.metadata.row_group(group).num_rows for group in range(kept.num_row_groups)] == [2, 1]
    assert kept.schema_arrow.metadata[b"made by"] == b"hand"
    assert run("dedupe", "corpus.parquet", "-o", "other.parquet", "--codec", "brotli", "--quiet").code == 0
    assert codec_of("other.parquet") == "BROTLI"


def test_small_tables_make_no_small_groups(run: Run) -> None:
    Path("shards").mkdir()
    for number in range(20):
        table = pa.table({"text": [f"text {number} {word}" for word in "abc"]})
        parquet.write_table(table, f"shards/{number}.parquet")
    assert run("dedupe", "shards", "-o", "kept.parquet", "-t", "1", "--quiet").code == 0
    assert parquet.ParquetFile("kept.parquet").num_row_groups == 1


def test_names_say_how_lines_are_compressed(run: Run, tables: None) -> None:
    for source, kind in (("corpus.jsonl", "jsonl"), ("corpus.parquet", "jsonl"), ("corpus.csv", "csv")):
        outputs = [f"kept.{kind}", f"kept.{kind}.gz", f"kept.{kind}.zst"]
        for output in outputs:
            assert run("dedupe", source, "-o", output, "--plan", "plan.csv.gz", "--quiet", "--force").code == 0
        plain = Path(outputs[0]).read_bytes()
        assert gzip.decompress(Path(outputs[1]).read_bytes()) == plain
        with pa.input_stream(outputs[2], compression="zstd") as stream:
            assert stream.read() == plain
    assert gzip.decompress(Path("plan.csv.gz").read_bytes()).startswith(b"id,kept_id,score,group\n")


def test_a_folder_of_files(run: Run, tables: None) -> None:
    corpus()
    assert run("dedupe", "corpus.parquet", "-o", "all/", "--quiet").code == 0
    assert files("all") == ["part-00000.parquet"]
    assert codec_of("all/part-00000.parquet") == "GZIP"
    options = ["--rows-per-file", "2", "--keep", "first", "--quiet"]
    assert run("dedupe", "corpus.parquet", "-o", "kept/", "--removed", "gone/", *options).code == 0
    assert files("kept") == ["part-00000.parquet", "part-00001.parquet"]
    assert parquet.read_table("kept")["id"].to_pylist() == ["a1", "b1", "=c()"]
    assert parquet.read_table("gone")["id"].to_pylist() == ["a2", "a3", "b2"]
    Path("there").mkdir()
    assert run("dedupe", "corpus.jsonl", "-o", "there", *options, "--codec", "zstd").code == 0
    assert files("there") == ["part-00000.jsonl.zst", "part-00001.jsonl.zst"]
    assert run("dedupe", "corpus.csv", "-o", "csv/", *options).code == 0
    assert [len(Path("csv", name).read_bytes().splitlines()) for name in files("csv")] == [3, 2], "a header in each"
    Path("packed.jsonl.gz").write_bytes(gzip.compress(Path("corpus.jsonl").read_bytes()))
    assert run("dedupe", "packed.jsonl.gz", "-o", "packed/", "--quiet").code == 0
    assert files("packed") == ["part-00000.jsonl.gz"]
    assert run("dedupe", "corpus.jsonl", "--by", "line", "-o", "cut/", *options[:2], "--quiet").code == 0
    assert files("cut") == [f"part-0000{number}.jsonl" for number in range(3)]


def test_nothing_is_left_of_a_folder_that_fails(run: Run, tables: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from lookalike.tables.row_writers import ParquetRows

    def fail(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ParquetRows, "write", fail)
    before = sorted(Path().iterdir())
    complaint = run("dedupe", "corpus.parquet", "-o", "kept/", "--quiet").complaint
    assert complaint == "kept/ cannot be written (No space left on device): check the name and the disk"
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "full/"], "full/ is a folder that is not empty: give another name, or empty it"),
        (["-o", "corpus.csv/"], "corpus.csv/ is a file, not a folder: leave the slash out, or give another name"),
        (["-o", "no/such/"], "no/such cannot be written (No such file or directory): make its folder first"),
        (["-o", "new/", "--removed", "./new/"], "./new/ is named twice: write each result to a folder of its own"),
        (["-o", "k.parquet", "--codec", "zip"], "--codec must be zstd, snappy, gzip, lz4, brotli or none, not 'zip'"),
        (["-o", "k.csv", "--codec", "gzip"], "--codec must be what the name k.csv says, not 'gzip'"),
        (["-o", "k.parquet.gz"], "k.parquet.gz has a name that does not say what to write"),
        (["--codec", "gzip"], "--codec cannot be used if no rows are written"),
        (["-o", "k.csv", "--rows-per-file", "2"], "--rows-per-file 2 requires an output folder"),
        (["-o", "new/", "--rows-per-file", "0"], "--rows-per-file must be a whole number of at least 1"),
    ],
)
def test_outputs_that_cannot_be(run: Run, tables: None, options: list[str], message: str) -> None:
    Path("full").mkdir()
    Path("full/file").touch()
    assert message in run("dedupe", "corpus.parquet", *options, "--quiet").complaint
    assert not Path("new").exists()


def test_a_folder_of_texts_has_no_rows(run: Run, essays: Path) -> None:
    message = "kept/ is a folder, and the documents have no rows: end the name in .txt"
    assert run("dedupe", str(essays), "-o", "kept/", "--quiet").complaint == message
    inside = f"{essays}/kept/"
    assert f"{inside} is among the documents" in run("dedupe", str(essays), "-o", inside, "--quiet").complaint


# -- folders that are columns ------------------------------------------------------------------------------------------


@pytest.fixture
def years() -> pa.Table:
    """Six rows in folders by year and month; one has no month."""
    table = pa.Table.from_pylist(ROWS)
    table = table.append_column("year", pa.array([2023, 2024, 2025, 2024, 2023, 2024]))
    table = table.append_column("month", pa.array(["01", "02", "01", "a/b", "02", None]))
    dataset.write_dataset(table, "corpus", format="parquet", partitioning=dataset.partitioning(KEYS, flavor="hive"))
    return table


def in_order(table: Any) -> list[dict[str, Any]]:
    return sorted(table.to_pylist(), key=lambda row: str(row["id"]))


def hive(folder: str) -> Any:
    return dataset.dataset(folder, partitioning=dataset.partitioning(KEYS, flavor="hive")).to_table()


def test_folders_are_columns(run: Run, years: pa.Table) -> None:
    done = run("dedupe", "corpus", "--keep", "max:year", "-o", "kept.parquet", "--removed", "gone.jsonl")
    assert done.code == 0, done.err
    assert "lookalike: note: corpus: columns from folder names: 'year', 'month'\n" in done.err
    expected = {row["id"]: row for row in years.to_pylist()}
    kept = parquet.read_table("kept.parquet")
    assert kept.schema.field("year").type == pa.int64()
    assert in_order(kept) == [expected[name] for name in ("=c()", "a3", "b1")]
    assert sorted(rows_of("gone.jsonl"), key=lambda row: str(row["id"])) == [
        expected[name] for name in ("a1", "a2", "b2")
    ]


def test_folders_come_out_as_they_went_in(run: Run, years: pa.Table) -> None:
    assert run("dedupe", "corpus", "--keep", "max:year", "-o", "kept/", "--removed", "gone/", "--quiet").code == 0
    before = {str(Path(name).parent) for name in files("corpus")}
    assert {str(Path(name).parent) for name in files("kept") + files("gone")} == before
    assert "year=2024/month=a%2Fb" in before
    assert in_order(hive("kept")) == [row for row in in_order(years) if row["id"] in ("=c()", "a3", "b1")]
    assert "year" not in parquet.ParquetFile(Path("kept", files("kept")[0])).schema_arrow.names
    assert run("dedupe", "corpus", "--by", "line", "-o", "cut/", "--quiet").code == 0
    assert {str(Path(name).parent) for name in files("cut")} == before


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_lines_in_folders_stay_lines(run: Run, kind: str) -> None:
    lines = {"jsonl": b'{"id":%d, "text":"%s"}\n', "csv": b'%d,"%s"\n'}[kind]
    head = b"id,text\n" if kind == "csv" else b""
    for number, text in enumerate((b"one two", b"three four", b"one two")):
        folder = Path("in", f"lang={'en' if number < 2 else 'de'}")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.{kind}").write_bytes(head + lines % (number, text))
    options = ["--keep", "first", "--quiet"]
    assert run("dedupe", "in", "-o", "kept/", "--removed", "gone/", *options).code == 0
    assert files("kept") == [f"lang=de/part-00000.{kind}", f"lang=en/part-00000.{kind}"]
    assert Path("kept", files("kept")[0]).read_bytes() == head + lines % (2, b"one two")
    assert Path("gone", files("gone")[0]).read_bytes() == head + lines % (0, b"one two")
    assert run("dedupe", "in", "-o", "kept.jsonl", *options).code == 0
    assert {(row["lang"], int(row["id"])) for row in rows_of("kept.jsonl")} == {("de", 2), ("en", 1)}


def test_a_column_of_the_table_is_not_replaced(run: Run) -> None:
    Path("in/year=2024").mkdir(parents=True)
    table = pa.table({"text": ["one two", "three"], "year": ["old", "new"]})
    parquet.write_table(table, "in/year=2024/t.parquet")
    assert run("dedupe", "in", "-o", "kept/", "--quiet").code == 0
    assert parquet.ParquetFile("kept/year=2024/part-00000.parquet").read().equals(table)


def test_the_id_may_be_the_name_of_a_folder(run: Run) -> None:
    for name in ("x", "y"):
        Path("in", f"site={name}").mkdir(parents=True)
        parquet.write_table(pa.table({"text": [words(0, 50)]}), f"in/site={name}/t.parquet")
    done = run("scan", "in", "--id-column", "site", "--format", "json")
    assert [(pair["a"], pair["b"]) for pair in done.json["pairs"]] == [("x", "y")]
    message = "column 'site' comes from folder names, which hold no texts"
    assert message in run("scan", "in", "--text-column", "site").complaint


@pytest.mark.parametrize("more", [[], ["--by", "line"]], ids=str)
@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_columns_that_csv_cannot_hold_are_refused_before_the_search(run: Run, kind: str, more: list[str]) -> None:
    rows = [{"text": words(0, 30), "nested": {"x": 1}}]
    Path("t.jsonl").write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    parquet.write_table(pa.Table.from_pylist(rows), "t.parquet")
    message = f"k.csv cannot hold the column 'nested' of t.{kind}, which is struct<x: int64>: write .parquet or .jsonl"
    assert run("dedupe", f"t.{kind}", "-o", "k.csv", *more).complaint == message
    assert run("dedupe", f"t.{kind}", "-o", "k.jsonl", *more).code == 0


def test_a_list_of_paths_is_refused_before_a_table_is_searched(run: Run) -> None:
    Path("t.jsonl").write_text(json.dumps({"text": words(0, 30)}) + "\n", encoding="utf-8")
    complaint = run("dedupe", "t.jsonl", "-o", "kept.txt").complaint
    assert complaint.startswith("kept.txt has a name that does not say what to write: end it in ")
