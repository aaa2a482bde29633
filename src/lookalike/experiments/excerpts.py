"""Real texts that are in the public domain, small enough to bundle: filler, and openings in five languages.

Each is named on the command line as a file would be, `--text lorem`. Whole books are given as files.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["EXCERPTS", "Excerpt", "body"]


class Excerpt(NamedTuple):
    """A text and where it comes from."""

    title: str
    language: str
    text: str


EXCERPTS: Final = {
    "lorem": Excerpt(
        "the filler text of printers, after Cicero",
        "Latin, garbled",
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore "
        "magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea "
        "commodo consequat. Duis aute irure dolor in reprehenderit in voluptate velit esse cillum dolore eu fugiat "
        "nulla pariatur. Excepteur sint occaecat cupidatat non proident, sunt in culpa qui officia deserunt mollit "
        "anim id est laborum.",
    ),
    "cicero": Excerpt(
        "Marcus Tullius Cicero, De finibus bonorum et malorum, 1.32, 45 BC",
        "Latin",
        "Sed ut perspiciatis, unde omnis iste natus error sit voluptatem accusantium doloremque laudantium, totam rem "
        "aperiam eaque ipsa, quae ab illo inventore veritatis et quasi architecto beatae vitae dicta sunt, explicabo. "
        "Nemo enim ipsam voluptatem, quia voluptas sit, aspernatur aut odit aut fugit, sed quia consequuntur magni "
        "dolores eos, qui ratione voluptatem sequi nesciunt, neque porro quisquam est, qui dolorem ipsum, quia dolor "
        "sit amet, consectetur, adipisci velit, sed quia non numquam eius modi tempora incidunt, ut labore et dolore "
        "magnam aliquam quaerat voluptatem.",
    ),
    "lincoln": Excerpt(
        "Abraham Lincoln, the Gettysburg Address, 1863",
        "English",
        "Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in "
        "Liberty, and dedicated to the proposition that all men are created equal. Now we are engaged in a great civil "
        "war, testing whether that nation, or any nation so conceived and so dedicated, can long endure. We are met on "
        "a great battle-field of that war. We have come to dedicate a portion of that field, as a final resting place "
        "for those who here gave their lives that that nation might live. It is altogether fitting and proper that we "
        "should do this.",
    ),
    "cervantes": Excerpt(
        "Miguel de Cervantes, Don Quijote de la Mancha, 1605, the opening",
        "Spanish",
        "En un lugar de la Mancha, de cuyo nombre no quiero acordarme, no ha mucho tiempo que vivía un hidalgo de los "
        "de lanza en astillero, adarga antigua, rocín flaco y galgo corredor. Una olla de algo más vaca que carnero, "
        "salpicón las más noches, duelos y quebrantos los sábados, lantejas los viernes, algún palomino de añadidura "
        "los domingos, consumían las tres partes de su hacienda.",
    ),
    "kafka": Excerpt(
        "Franz Kafka, Die Verwandlung, 1915, the opening",
        "German",
        "Als Gregor Samsa eines Morgens aus unruhigen Träumen erwachte, fand er sich in seinem Bett zu einem "
        "ungeheueren Ungeziefer verwandelt. Er lag auf seinem panzerartig harten Rücken und sah, wenn er den Kopf ein "
        "wenig hob, seinen gewölbten, braunen, von bogenförmigen Versteifungen geteilten Bauch, auf dessen Höhe sich "
        "die Bettdecke, zum gänzlichen Niedergleiten bereit, kaum noch erhalten konnte. Seine vielen, im Vergleich zu "
        "seinem sonstigen Umfang kläglich dünnen Beine flimmerten ihm hilflos vor den Augen.",
    ),
    "voltaire": Excerpt(
        "Voltaire, Candide, 1759, the opening",
        "French",
        "Il y avait en Westphalie, dans le château de monsieur le baron de Thunder-ten-tronckh, un jeune garçon à qui "
        "la nature avait donné les mœurs les plus douces. Sa physionomie annonçait son âme. Il avait le jugement assez "
        "droit, avec l'esprit le plus simple ; c'est, je crois, pour cette raison qu'on le nommait Candide.",
    ),
}
"""Name → text. All authors died before 1925."""

_FIRST: Final = re.compile(r"^\*\*\* ?START OF TH[^\n]*\n", re.MULTILINE)
_LAST: Final = re.compile(r"^\*\*\* ?END OF TH", re.MULTILINE)


def body(text: str) -> str:
    r"""Return a text without the licence that Project Gutenberg puts around its books.

    >>> body("Title\n*** START OF THE PROJECT GUTENBERG EBOOK X ***\nIt was.\n*** END OF THE PROJECT …\nLicence")
    'It was.\n'
    """
    start, end = _FIRST.search(text), _LAST.search(text)
    return text[start.end() if start else 0 : end.start() if end else len(text)]
