"""Two documents: their shingles, how similar they are, what they share, and what is excluded.

Here are the headings of a list of references, and those after which the text continues, in many languages: the reader
of PDF files needs them without the rest.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

__all__ = ["references", "resume"]


_NAMES: Final = (
    *("references", "reference list", "list of references", "works cited", "cited works", "literature cited"),
    *("bibliography", "sources", "literature", "references and notes", "notes and references"),
    *("literatur", "literaturverzeichnis", "literaturangaben", "quellen", "quellenverzeichnis", "quellenangaben"),
    *("bibliographie", "bibliografie", "referenzen"),
    *("références", "références bibliographiques", "ouvrages cités", "bibliographie et sources"),
    *("referencias", "referencias bibliográficas", "bibliografía", "obras citadas", "fuentes"),
    *("bibliografia", "riferimenti bibliografici", "riferimenti", "opere citate", "fonti"),
    *("referências", "referências bibliográficas", "obras citadas", "fontes"),
    *("literatuurlijst", "literatuur", "bronnen", "bronvermelding", "bronnenlijst", "referenties"),
    *("referenser", "källor", "källförteckning", "litteraturförteckning", "litteratur", "referenslista"),
    *("referanser", "referencer", "litteraturliste", "kilder", "kildeliste"),
    *("lähteet", "lähdeluettelo", "kirjallisuus", "viitteet"),
    *("literatura", "źródła", "piśmiennictwo", "použitá literatura", "seznam literatury", "zdroje", "literatúra"),
    *("irodalomjegyzék", "hivatkozások", "felhasznált irodalom", "kaynakça", "kaynaklar", "βιβλιογραφία", "αναφορές"),
    *("список литературы", "литература", "библиография", "источники", "список использованной литературы"),
    *("список літератури", "література", "джерела", "библиографски списък", "литература"),
    *(
        "参考文献",
        "參考文獻",
        "参考书目",
        "參考書目",
        "引用文献",
        "引用文獻",
        "参考資料",
        "文献",
        "참고문헌",
        "참고 문헌",
    ),
    *("المراجع", "قائمة المراجع", "المصادر", "المصادر والمراجع", "ביבליוגרפיה", "מקורות", "רשימת מקורות"),
    *("संदर्भ", "संदर्भ सूची", "tài liệu tham khảo", "daftar pustaka", "บรรณานุกรม", "เอกสารอ้างอิง"),
)
_AFTERWARDS: Final = (
    *("appendix", "appendices", "annex", "annexes", "annexe", "anhang", "anhänge", "anlage", "anlagen"),
    *("anexo", "anexos", "apéndice", "apéndices", "apêndice", "appendice", "appendici", "allegato", "allegati"),
    *("bijlage", "bijlagen", "bilaga", "bilagor", "bilag", "vedlegg", "liite", "liitteet", "załącznik", "załączniki"),
    *("příloha", "přílohy", "príloha", "melléklet", "ek", "ekler", "παράρτημα", "приложение", "приложения", "додаток"),
    *("附录", "附錄", "付録", "부록", "ملحق", "נספח", "lampiran", "phụ lục", "ภาคผนวก"),
    *("tables", "figures", "tables and figures", "figures and tables", "supplementary material"),
    *(
        "acknowledgements",
        "acknowledgments",
        "danksagung",
        "remerciements",
        "agradecimientos",
        "ringraziamenti",
        "致谢",
    ),
)

# A line of its own; a number or the mark-up of a heading may come before the name, a colon after it. Spaces are matched
# possessively (`*+`, `++`): a pattern that gives them back one by one takes a day for a line of a million spaces.
_MARK_UP: Final = r"(?:#{1,6}[ \t]*+|\\(?:sub)*+(?:section|chapter)\*?\{|[*_]{1,3})?"
_BEFORE: Final = rf"^[ \t]*+{_MARK_UP}(?:(?:[0-9]{{1,2}}|[IVX]{{1,5}})[.)]?[ \t]++)?"
_BEHIND: Final = r"[ \t]*+[:：.]?[ \t]*+(?:[*_]{1,3}|\}|#{1,6})?[ \t]*+\r?$"


def _names(names: tuple[str, ...]) -> str:
    longest_first = sorted(set(names), key=len, reverse=True)
    first = "".join(sorted({re.escape(name[0]) for name in names}))  # most lines begin with none of these
    return f"(?=[{first}])(?:" + "|".join(re.escape(name) for name in longest_first) + ")"


@cache  # compiled when they are needed: it takes as long as the rest of the import
def references() -> re.Pattern[str]:
    """Return the pattern of a heading over a list of references."""
    return re.compile(_BEFORE + _names(_NAMES) + _BEHIND, re.IGNORECASE | re.MULTILINE)


@cache
def resume() -> re.Pattern[str]:
    """Return the pattern of a heading after which the text continues: an appendix, any of Markdown or LaTeX."""
    return re.compile(
        rf"{_BEFORE}{_names(_AFTERWARDS)}(?:[ \t:：.]++[^\n]{{0,80}}+)?[ \t]*+\r?$"
        r"|^#{1,6}[ \t]++\S|^\\(?:sub)*+(?:section|chapter)\*?\{",
        re.IGNORECASE | re.MULTILINE,
    )
