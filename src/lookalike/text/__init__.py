"""Two documents: their shingles, how similar they are, what they share, and what is excluded.

Here are the headings of a list of references, and those after which the text continues, in many languages: the reader
of PDF files needs them without the rest.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

__all__ = ["first_entry", "first_entry_after_colon", "references", "references_on_line", "resume"]


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
def references_on_line() -> re.Pattern[str]:
    """Return the pattern of such a heading with more on its line: the first entry, or a sentence that begins so."""
    return re.compile(
        rf"{_BEFORE}(?P<name>{_names(_NAMES)})(?:[*_]{{1,3}})?(?:(?P<colon>[ \t]*+[:：])[ \t]*+|\.?[ \t]++)(?=\S)",
        re.IGNORECASE | re.MULTILINE,
    )


# -- the first entry of a list, on the line of its heading -----------------------------------------------------------
# A sentence may begin with each heading: "Sources of unrest in 1848 …", "References to Smith, J. (2009) abound". An
# entry is a name with an initial and a year in brackets, behind which a title begins; or one with a number before it.

_SMALL: Final = "(?:de|da|di|do|dos|du|del|della|van|von|vom|der|den|ter|ten|zu|zur|la|le|el|al|bin|ibn|af|av)"
_AND: Final = "(?:and|und|et|y|e|i|и|і|en|och|og|ja|ve|és|și|a|và|dan|&)"
_YEAR: Final = (
    r"[(（\[](?:(?:c\. ?)?(?:1[5-9]|20)[0-9]{2}[a-z]?(?:[,;:/–-][^()（）\n]{1,30}+)?"
    r"|n\. ?d\.|o\. ?J\.|s\. ?f\.|in press)[)）\]]"
)
_SPACE: Final = r"(?:[ \t]++(?:\r?\n[ \t]*+)?|\r?\n[ \t]*+)"
"""White space within a paragraph."""
_CASELESS: Final = "[\u0590-\u0dff\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""A letter of a script without capitals."""
_HAN: Final = "[\u3400-\u9fff]"
_OPEN: Final = "“„«‘「『《〈\"'"


def _capital() -> str:
    """Return the class of the capital letters of European scripts."""
    ranges = (range(0x41, 0x590), range(0x1E00, 0x2000))
    return "[" + "".join(chr(code) for codes in ranges for code in codes if chr(code).isupper()) + "]"


@cache
def first_entry() -> re.Pattern[str]:
    """Return the pattern of the first entry of a list of references, as far as it tells one from a sentence."""
    capital = _capital()
    word = rf"{capital}[\w’'\u0300-\u036f-]{{0,40}}+"
    initials = rf"{capital}\.(?:[ \t]?-?{capital}\.){{0,3}}+"
    surname = rf"(?:{_SMALL}[ \t]){{0,3}}+{word}(?:[ \t]{word}(?![.])){{0,2}}"
    name = rf"(?:{initials}[ \t]?{surname}|{surname}(?:,[ \t]?|[ \t]){initials})"
    between = rf"(?:[ \t]*[,;/][ \t]*(?:{_AND}[ \t])?|[ \t]{_AND}[ \t])"
    names = rf"(?>{name}(?:{between}{name}){{0,20}}(?:,?[ \t]et[ \t]al\.?)?)(?:[ \t]?\((?:[Ee]ds?|Hrsg|Hg)\.?\))?"
    other = rf"{word}(?:[ \t]{word})?,[ \t]?{initials}"  # one more of those whom a sentence lists
    title = rf"(?!{other})(?=[*_]{{0,2}}(?:{capital}|[0-9{_OPEN}]|{_CASELESS}))"
    dated = rf"[.,]?{_SPACE}?{_YEAR}[.,:;]?{_SPACE}{title}"
    short_name = rf"(?:{surname}[ \t]{capital}{{1,3}}(?=[,.]))"  # of medicine: no stop behind initials
    numbered = rf"(?:{names}|(?>{short_name}(?:,[ \t]{short_name}){{0,20}}))(?:{dated}|[.,:;]?{_SPACE}{title})"
    full_names = rf"{word}(?:[ \t]{word}){{1,3}}(?:,[ \t]{word}(?:[ \t]{word}){{1,3}}){{0,5}}[.,:]{_SPACE}{title}"
    han = rf"{_HAN}{{2,4}}(?:[,，、][ \t]?{_HAN}{{2,4}}){{0,5}}[ \t]?等?[.．][^\n]{{1,200}}?(?:1[5-9]|20)[0-9]{{2}}"
    whole_name = rf"{surname},[ \t]{word}(?:[ \t](?:{word}|{capital}\.)){{0,2}}"
    quoted = rf"{whole_name}[.,]{_SPACE}[“„«\"][^\n]{{1,250}}?(?:1[5-9]|20)[0-9]{{2}}"
    in_brackets = r"[\[［【(（]1[\]］】)）][ \t]?"
    return re.compile(rf"{in_brackets}(?:{numbered}|{full_names}|{han})|1[.)][ \t]{numbered}|{names}{dated}|{quoted}")


@cache
def first_entry_after_colon() -> re.Pattern[str]:
    """Return the pattern of more first entries, in scripts without capitals: behind a colon no sentence goes on."""
    year = r"(?:1[5-9]|20)[0-9]{2}"
    number = r"(?:[\[［【(（]1[\]］】)）][ \t]?)?"
    return re.compile(rf"{number}{_CASELESS}[^\n()（）。]{{1,40}}[(（]{year}[)）][ \t]?[.。,，:：،{_OPEN}]")


@cache
def resume() -> re.Pattern[str]:
    """Return the pattern of a heading after which the text continues: an appendix, any of Markdown or LaTeX."""
    return re.compile(
        rf"{_BEFORE}{_names(_AFTERWARDS)}(?:[ \t:：.]++[^\n]{{0,80}}+)?[ \t]*+\r?$"
        r"|^#{1,6}[ \t]++\S|^\\(?:sub)*+(?:section|chapter)\*?\{",
        re.IGNORECASE | re.MULTILINE,
    )
