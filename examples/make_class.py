"""Make the files in class/: essays as pdf, docx, html, text and a zip, with copying of several kinds planted.

The same bytes come out each time, and a test tells whether the files are what this program makes. What is planted is
listed in class/README.md.
"""

import csv
import io
import sys
import textwrap
import zipfile
from html import escape
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
MOMENT: Final = (2026, 1, 1, 0, 0, 0)
"""The time in every archive: a fixed one, so that the bytes are the same each time."""
LOOK_ALIKE: Final = str.maketrans("aeopcx", "аеорсх")
SWAPS: Final = {
    "said": "told us",
    "shows": "presents",
    "true": "correct",
    "cooler": "fresher",
    "laughed": "grinned",
    "propose": "suggest",
    "family": "household",
    "remember": "recall",
    "nobody": "no one",
    "picture": "image",
    "fear": "worry",
    "space": "room",
    "needed": "required",
    "several": "a few",
    "rather": "sooner",
    "small": "little",
    "children": "kids",
}
INFO: Final = """\
berg.pdf,Anna Berg,2026-03-02
castle.docx,Ben Castle,2026-03-09
dunn.txt,Clara Dunn,2026-03-03
eke.html,David Eke,2026-03-10
fox.docx,Emma Fox,2026-03-04
grant.txt,Finn Grant,2026-03-10
hara.pdf,Gita Hara,2026-03-02
ito.docx,Hugo Ito,2026-03-10
jung.html,Ines Jung,2026-03-09
klein.txt,Jonas Klein,2026-03-05
lund.docx,Kira Lund,2026-03-08
marsh.txt,Leo Marsh,2026-03-08
novak.pdf,Mia Novak,2026-03-07
olsen.txt,Nils Olsen,2026-03-09
petrov.html,Olga Petrov,2026-03-06
quist.docx,Paul Quist,2026-03-10
late.zip/reyes.txt,Quinn Reyes,2026-03-12
late.zip/stein.docx,Rosa Stein,2026-03-12
late.zip/fox-draft.txt,Emma Fox,2026-03-01
"""


def read_texts() -> dict[str, list[str]]:
    """Return the paragraphs of each text by its name."""
    whole = (HERE / "class_essays.txt").read_text(encoding="utf-8")
    parts = [part.partition("\n") for part in whole.split("== ")[1:]]
    return {name: [" ".join(one.split()) for one in body.strip().split("\n\n")] for name, _, body in parts}


def swapped(paragraphs: list[str]) -> list[str]:
    """Exchange words: a light paraphrase."""
    made = []
    for paragraph in paragraphs:
        words = paragraph.split(" ")
        for place, word in enumerate(words):
            bare = word.strip(",.:").lower()
            if bare in SWAPS:
                words[place] = word.lower().replace(bare, SWAPS[bare])
        made.append(" ".join(words))
    return made


def disguised(paragraphs: list[str]) -> list[str]:
    """Put letters of another script into every fifteenth word: they look the same."""
    made = []
    for paragraph in paragraphs:
        words = paragraph.split(" ")
        made.append(" ".join(w.translate(LOOK_ALIKE) if n % 15 == 7 else w for n, w in enumerate(words)))
    return made


# -- formats -----------------------------------------------------------------------------------------------------------


def packed(parts: dict[str, bytes]) -> bytes:
    """Return a zip archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in parts.items():
            info = zipfile.ZipInfo(name, date_time=MOMENT)
            info.create_system = 3  # on every system
            archive.writestr(info, data)  # stored: zlib compresses differently from version to version
    return stream.getvalue()


def as_text(paragraphs: list[str]) -> bytes:
    return ("\n\n".join(textwrap.fill(paragraph, 88) for paragraph in paragraphs) + "\n").encode()


def as_html(paragraphs: list[str], hidden: str = "") -> bytes:
    body = "\n".join(f"<p>{escape(paragraph, quote=False)}</p>" for paragraph in paragraphs)
    unseen = f'\n<p style="display:none">{escape(hidden)}</p>' if hidden else ""
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Assignment 3</title><style>p {{ max-width: 40em }}</style></head>
<body><nav><a href="#">Course</a> <a href="#">Hand in</a></nav>
<main>
{body}{unseen}
</main>
<footer>Handed in with the course page</footer></body></html>
"""
    return page.encode()


def as_docx(paragraphs: list[str], hidden: str = "") -> bytes:
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    start = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    runs = [f'<w:p><w:r><w:t xml:space="preserve">{escape(one, quote=False)}</w:t></w:r></w:p>' for one in paragraphs]
    if hidden:
        white = '<w:rPr><w:color w:val="FFFFFF"/><w:sz w:val="2"/></w:rPr>'
        runs.append(f"<w:p><w:r>{white}<w:t>{escape(hidden, quote=False)}</w:t></w:r></w:p>")
    document = f'<w:document xmlns:w="{main}"><w:body>{"".join(runs)}<w:sectPr/></w:body></w:document>'
    types = (
        f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>'
    )
    relation = f'<Relationship Id="rId1" Type="{office}" Target="word/document.xml"/>'
    relations = f'<Relationships xmlns="{package}/relationships">{relation}</Relationships>'
    parts = {"[Content_Types].xml": types, "_rels/.rels": relations, "word/document.xml": document}
    return packed({name: (start + xml).encode() for name, xml in parts.items()})


def as_pdf(paragraphs: list[str]) -> bytes:
    """Return a pdf of pages with a running head and page numbers."""
    lines = [line for paragraph in paragraphs for line in (*textwrap.wrap(paragraph, 84), "")]
    pages = [lines[start : start + 12] for start in range(0, len(lines), 12)]
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        body = "".join(f"({_pdf_string(line)}) Tj T*\n" if line else "T*\n" for line in page)
        frame = (
            f"BT /F1 9 Tf 72 800 Td (Writing course, spring term) Tj 0 -760 Td (Page {number + 1} of {count}) Tj ET\n"
        )
        stream = f"{frame}BT /F1 12 Tf 30 TL 72 750 Td\n{body}ET"
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] {resources} /Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream.encode('cp1252'))} >>\nstream\n{stream}\nendstream")
    return _pdf_file(objects)


def _pdf_string(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _pdf_file(objects: list[str]) -> bytes:
    made = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(made))
        made += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    start = len(made)
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return made + f"xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode("ascii")


# -- the class ---------------------------------------------------------------------------------------------------------


def files() -> dict[str, bytes]:
    """Return each file by its name."""
    text = read_texts()
    sheet, anna, emma = text["sheet"], text["anna"], text["emma"]
    quoting = f"A book that we read in class says it well: “{text['quote'][0]}” I could not say it better."
    citing = f"Halloran has a sentence for this, on page 42: “{text['quote'][0]}” She had never seen our hydrant."
    sources = ["References", *text["references"][0].replace(" Town Council", "\nTown Council").split("\n")]
    nonsense = "umbrella violet seventeen harbour quickly lantern orange sentence window marble copper thistle"
    draft = [paragraph.replace("fourteen", "twelve").replace("July", "August") for paragraph in emma[:3]]

    def essay(*parts: list[str]) -> list[str]:
        return [*sheet, *(paragraph for part in parts for paragraph in part)]

    late = {
        "reyes.txt": as_text(essay(text["quinn"], anna[2:])),
        "stein.docx": as_docx(essay(text["rosa"])),
        "fox-draft.txt": as_text(essay(draft)),
    }
    essays = {
        "berg.pdf": as_pdf(essay(anna)),
        "castle.docx": as_docx(essay(anna)),
        "dunn.txt": as_text(essay(text["clara"])),
        "eke.html": as_html(essay(text["david"], text["clara"][1:3])),
        "fox.docx": as_docx(essay(emma)),
        "grant.txt": as_text(essay(swapped(emma))),
        "hara.pdf": as_pdf(essay(text["gita"])),
        "ito.docx": as_docx(essay(disguised(text["gita"])), hidden=nonsense),
        "jung.html": as_html(essay(text["ines"], text["jonas"][1:3]), hidden=nonsense),
        "klein.txt": as_text(essay(text["jonas"])),
        "lund.docx": as_docx(essay(text["kira"], [quoting], sources)),
        "marsh.txt": as_text([*essay(text["leo"], [citing]), "\n".join(sources[:1]), *sources[1:]]),
        "novak.pdf": as_pdf(essay(text["mia"])),
        "olsen.txt": as_text(essay(text["nils"])),
        "petrov.html": as_html(essay(text["olga"])),
        "quist.docx": as_docx(essay(text["paul"])),
        "late.zip": packed(late),
    }
    made = {f"essays/{name}": data for name, data in essays.items()}
    return made | {"assignment.docx": as_docx(sheet), "info.csv": info()}


def info() -> bytes:
    stream = io.StringIO()
    rows = csv.writer(stream, lineterminator="\n")
    rows.writerow(["filename", "author", "date"])
    rows.writerows(line.split(",") for line in INFO.splitlines())
    return stream.getvalue().encode()


def main(target: Path) -> None:
    for name, data in files().items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "class")
