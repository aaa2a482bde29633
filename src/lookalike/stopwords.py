"""The English stop list: words that carry grammar rather than content.

Removing them before shingling is a customisation of the source article (seed item 17). The list is our own: articles,
pronouns, auxiliaries, prepositions, conjunctions, a few adverbs, and the contractions of these. It is part of recipe
format 1: `stop_words=english` in a stored recipe means exactly these words, so a change here is a new format, and
`tests/test_recipe.py` holds the list's digest.

Contractions are written with the ASCII apostrophe. `docs/format.md` §2 passes them through the recipe's own
normalisation and, where the recipe removes punctuation, deletes the apostrophe on both sides (`don't` is `dont`).
"""

from __future__ import annotations

from typing import Final

__all__ = ["ENGLISH"]

# Missing on purpose: i'd, i'll, he'll, she'd, she'll, we'd, we'll. With the apostrophe deleted they would take the
# words id, ill, hell, shed, shell, wed and well out of every text.
_WORDS: Final = """
    a an the this that these those such

    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves who whom whose which what

    am is are was were be been being have has had having do does did doing can could may might must shall should will
    would cannot

    about above after against among around at before below between by down during for from in into of off on out over
    through to under until up upon with within without

    and or but nor so yet if then else than because while although though unless since as whether when where why how

    all any both each every either neither few more most much many no none not only other another same some
    again also here just never now once there too very

    i'm i've you're you've you'd you'll he's he'd she's it's it'll we're we've they're they've they'd they'll that's
    there's here's who's what's where's let's isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't
    can't couldn't mustn't shouldn't won't wouldn't
"""

ENGLISH: Final[tuple[str, ...]] = tuple(sorted(_WORDS.split()))
"""The words, sorted, each once."""
