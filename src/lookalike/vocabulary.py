"""The words of lookalike, each in three sentences: what it is, how it is used here, and what to keep in mind.

`lookalike explain` prints them. The words are those of the code, the messages and the documentation.

>>> look_up("Jaccard").name
'jaccard'
>>> look_up("similarity").name
'jaccard'
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from lookalike.errors import RecipeError, suggest

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TERMS", "Term", "look_up"]


@dataclass(frozen=True, slots=True)
class Term:
    """A word and what it means."""

    name: str
    short: str
    """A few words, for a list."""
    text: str
    """Three sentences."""
    see: tuple[str, ...] = ()
    """Other words that help to understand this one."""
    also: tuple[str, ...] = ()
    """Other names under which people look for it."""

    def __post_init__(self) -> None:
        """Join the lines of the text, which are wrapped where it is written."""
        object.__setattr__(self, "text", " ".join(self.text.split()))


_ALL: Final = (
    Term(
        "audit",
        "a measurement of the recall, on a sample",
        """
        An audit draws a sample of the documents, finds all their pairs by the exact join, and counts how many of
        these the search had found too. The result is the measured recall with a confidence interval; the promised
        recall is theory, this is a check of it on your own documents. Ask for one with lookalike scan --audit; a
        larger sample (--audit=5000) takes longer and gives a narrower interval.
        """,
        see=("recall", "exact"),
    ),
    Term(
        "bag",
        "shingles with their counts, not only their set",
        """
        A bag remembers how often each shingle occurs; a set only remembers that it occurs. With --bag, or --metric
        bag, the similarity is the sum of the smaller counts divided by the sum of the larger ones. It matters for
        documents that repeat themselves, such as logs and forms; for prose the two hardly differ.
        """,
        see=("shingle", "jaccard"),
        also=("multiset",),
    ),
    Term(
        "band",
        "some rows of a signature that must all agree",
        """
        A signature is split into bands of r numbers each, and two documents with an equal band become a candidate.
        More bands find more pairs, and more rows in each let fewer dissimilar pairs through; the chance that two
        documents of similarity s share a band is 1 − (1 − sʳ)ᵇ. lookalike chooses both numbers from the threshold
        and the recall you ask for.
        """,
        see=("signature", "candidate", "s-curve", "recall"),
        also=("bands", "row", "rows"),
    ),
    Term(
        "candidate",
        "a pair that a band proposes, not yet verified",
        """
        A candidate is a pair of documents that share a band and so may be similar. Every candidate is verified: its
        exact similarity is computed from the shingles, and it becomes a pair if that reaches the threshold. A
        candidate that fails is never shown, so false positives cost time and nothing else.
        """,
        see=("band", "pair", "lsh"),
        also=("candidates",),
    ),
    Term(
        "cluster",
        "similar documents, connected by verified pairs",
        """
        A cluster is a set of documents connected by pairs, with one of them as its representative. With --linkage star
        every member was verified against the representative; with --linkage linked a chain of pairs is enough. A plan
        keeps the representative of each cluster and removes the other members; in Python and in JSON a cluster is
        called a group.
        """,
        see=("star", "linked", "representative", "plan"),
        also=("clusters", "group", "groups", "family of documents"),
    ),
    Term(
        "containment",
        "the share of one document that is in the other",
        """
        The containment of A in B is the share of A's shingles that B has too. It has a direction: a paragraph copied
        into a book is contained in it by 100 %, while hardly any of the book is in the paragraph, and their Jaccard
        similarity is near zero. Search by it with --metric containment to find short documents inside long ones;
        quotations and templates are found as well, so read the passages.
        """,
        see=("jaccard", "passage", "shingle"),
        also=("contained", "inclusion"),
    ),
    Term(
        "copy",
        "a document with the same shingles as another",
        """
        Two documents are copies, or exact duplicates, if they have the same shingles, each the same number of times; so
        the spaces, capitals and marks that the recipe ignores may differ. Copies are searched as one document, and
        score 100 % to one another. Where a person copied a part of a text, look for passages instead.
        """,
        see=("pair", "shingle", "passage"),
        also=("copies", "exact duplicate", "duplicate"),
    ),
    Term(
        "document",
        "an id, a text, and perhaps a date, a source and more",
        """
        A document is a text with an id: a file of a folder, or a row of a table. The id of a file is its path; the id
        of a row is taken from --id-column, or is its number, with the name of the file before it if there are several.
        Documents are only ever read: lookalike neither changes nor deletes one.
        """,
        see=("pair", "cluster"),
        also=("documents", "file", "row of a table"),
    ),
    Term(
        "exact",
        "a search that misses nothing: the exact join",
        """
        The exact join finds every pair at or above the threshold, without signatures and without chance. It looks
        only at pairs that share one of their rarest shingles, which any pair above the threshold must, and is chosen
        automatically while the collection is small (--method exact asks for it). Its recall is 1; on large collections
        it takes longer than lsh.
        """,
        see=("lsh", "recall", "audit"),
        also=("exact join", "join", "brute"),
    ),
    Term(
        "excluded",
        "text that does not count in a comparison",
        """
        Excluded text is text of a document that does not count, because it is shared for a good reason: quotes and
        lists of references (--skip), templates (--ignore), and shingles that many documents have (--common). Tables and
        reports show how many words were excluded, and why. Documents that are not read at all are skipped, and pairs
        that are found but not listed are omitted.
        """,
        see=("template", "passage", "pair"),
        also=("excluded text", "exclude", "skip", "exclusions"),
    ),
    Term(
        "family",
        "the hash functions of a classic signature",
        """
        A classic MinHash signature needs hundreds of different hash functions, and a family is a way to make them.
        All families give good estimates; they differ in speed and in how well they mix. The default sketch, fast,
        needs no family; --family is for studies and for comparing with other tools.
        """,
        see=("minhash", "signature"),
        also=("hash", "hash family", "families"),
    ),
    Term(
        "first",
        "which document of a pair is older",
        """
        In tables and reports, First names the document of a pair that has the earlier date. Dates come from the file
        of --meta, or from the names and receipts of a learning platform; without a date for both, nothing is said. The
        first to hand in is not always the one who wrote the text.
        """,
        see=("submission", "pair"),
        also=("older", "date"),
    ),
    Term(
        "index",
        "stored documents that new ones are compared with",
        """
        An index keeps the signatures and shingles of documents in a store, so that a new document is compared with
        all of them at once. Documents can be added and removed at any time, and the recipe is kept with them. A
        single scan needs no index: it is for a collection that is kept, such as last year's essays.
        """,
        see=("recipe", "signature"),
        also=("store",),
    ),
    Term(
        "jaccard",
        "how similar two documents are as a whole, from 0 to 1",
        """
        The Jaccard similarity of two documents is the number of shingles that both have, divided by the number of
        different shingles in the two together. It is 1 for documents with the same shingles and 0 for documents that
        share none, and the order of the two does not matter. Scores are computed exactly, unless an index keeps nothing
        but signatures; one changed word changes k shingles, so 0.8 is already a close copy.
        """,
        see=("containment", "shingle", "threshold"),
        also=("similarity", "jaccard similarity", "score"),
    ),
    Term(
        "linked",
        "clusters by chains of pairs",
        """
        With --linkage linked, all documents that a chain of pairs connects form one cluster: if A is similar to B
        and B to C, the three are together. It gathers everything that is related, which helps to survey a collection.
        The ends of a long chain may have little in common, so star is the default where documents are removed.
        """,
        see=("star", "cluster"),
        also=("linkage", "connected components", "chain"),
    ),
    Term(
        "lsh",
        "finding candidates without comparing all pairs",
        """
        Locality-sensitive hashing gives documents keys that are probably equal if the documents are similar, so that
        likely pairs meet by sorting keys and the others are never looked at. Here the keys are the bands of the
        signatures, and every candidate is verified exactly afterwards. Its time grows with the number of documents,
        not with its square; what it may miss is bounded by the recall that you ask for.
        """,
        see=("band", "candidate", "recall", "exact"),
        also=("locality-sensitive hashing", "method"),
    ),
    Term(
        "minhash",
        "the sketch behind the signatures",
        """
        MinHash hashes all shingles of a document and keeps the smallest value, which two documents have in common
        with a probability equal to their Jaccard similarity. A signature repeats that with many hash functions;
        --sketch fast gets equally good numbers from far fewer hash computations than --sketch classic. The error
        of an estimate from h hashes is about √(J(1−J)/h): 0.025 for 256 hashes at 0.8.
        """,
        see=("signature", "family", "jaccard"),
        also=("sketch", "min-wise hashing"),
    ),
    Term(
        "pair",
        "two documents and their exact similarity",
        """
        A pair is two documents whose similarity is at or above the threshold. It carries the exact Jaccard similarity
        and the containment each way: the share of A that is in B, and of B that is in A. A high score says that the
        texts are similar, not who copied: lookalike compare A B shows the passages.
        """,
        see=("jaccard", "containment", "passage"),
        also=("pairs", "match"),
    ),
    Term(
        "passage",
        "a run of text that both documents of a pair have",
        """
        A passage is a run of words or characters that both documents contain, with its place in each. lookalike
        compare A B shows the longest ones side by side, from 8 words or 40 characters on. Passages are the evidence:
        a score cannot tell a quotation or a template from a copy, and reading can.
        """,
        see=("pair", "containment", "template"),
        also=("passages", "fragment"),
    ),
    Term(
        "plan",
        "which documents are kept, and which are removed as duplicates",
        """
        For every document, a plan says whether it is kept or, if not, which kept document it duplicates, with the score
        of the two. lookalike dedupe makes it by a keep rule, such as the longest or the oldest document of each
        cluster, and writes it with --plan. It is only a list: no source is ever changed or deleted.
        """,
        see=("cluster", "representative"),
        also=("removal plan", "dedupe", "keep"),
    ),
    Term(
        "preset",
        "ready-made settings with a name",
        """
        A preset is a recipe under a name, with the threshold, the metric and the shortest passage that belong to it;
        --preset chooses one, and the other options change it. The preset essays finds copied passages in a folder of
        documents; prose (the default), edited, code and cjk are lookalike's own too, and others repeat what well-known
        corpora used. To learn which one suits a collection, type lookalike advise and its path.
        """,
        see=("recipe", "threshold"),
        also=("presets", "essays", "advise"),
    ),
    Term(
        "recall",
        "the share of the pairs at or above the threshold that is found",
        """
        Recall is the share of all pairs at or above the threshold that a search finds; even a recall of 1 says nothing
        of pairs below it. --recall promises it: the bands are chosen so that a pair exactly at the threshold is found
        with at least this probability, and closer pairs with a higher one. The exact join, which small collections
        get, finds all of them; --audit measures the recall on a sample.
        """,
        see=("band", "s-curve", "audit", "exact", "threshold", "preset"),
    ),
    Term(
        "recipe",
        "all settings that decide a similarity",
        """
        A recipe says how a text is normalised, what a shingle is, and how signatures are made. It travels with every
        signature, result and index, and things made by different recipes are never mixed. Start from a preset and
        change what you need: -k, --unit and the other options of the section Recipe.
        """,
        see=("preset", "shingle", "signature"),
        also=("settings", "normalisation", "normalise"),
    ),
    Term(
        "representative",
        "the document that stands for its cluster",
        """
        The representative is the document of a cluster that the keep rule prefers, and the first one if there is no
        rule; in Python and in JSON it is called the principal. In a star cluster every member reaches the threshold
        against it. It is the document that a plan keeps.
        """,
        see=("cluster", "star", "plan"),
        also=("principal", "principal document", "pivot"),
    ),
    Term(
        "s-curve",
        "how likely a pair is found, by its similarity",
        """
        The chance that two documents share a band, drawn over their similarity, has the shape of an S: near 0 for
        dissimilar documents, near 1 for similar ones, and steep in between. Bands and rows decide where it is steep;
        lookalike places it so that the promised recall is kept at the threshold. The usual rule (1/b)^(1/r) for the
        threshold finds only about 63 % of the pairs there, which is why it is not used.
        """,
        see=("band", "recall", "threshold"),
        also=("scurve", "s curve"),
    ),
    Term(
        "shingle",
        "k words or characters in a row",
        """
        A shingle is k consecutive words or characters of the normalised text, and a document is compared as the set
        of its shingles. The default is five words: short enough to survive small changes, long enough that unrelated
        documents share few. A text of fewer than k words is a single shingle; -k and --unit change the length.
        """,
        see=("jaccard", "bag", "recipe"),
        also=("shingles", "n-gram", "ngram", "k"),
    ),
    Term(
        "signature",
        "a short sketch of a document",
        """
        A signature is a few hundred numbers made from all shingles of a document, and the share of equal numbers in
        two signatures estimates the Jaccard similarity. Its size does not depend on the length of the document: 256
        numbers by default (--hashes). Signatures only find candidates; reported scores come from the shingles
        themselves.
        """,
        see=("minhash", "band", "candidate"),
        also=("signatures", "hashes"),
    ),
    Term(
        "stale",
        "an experiment whose results are out of date",
        """
        An experiment is stale if its results were made by other code or with settings other than those of the last run
        in that folder, or if its table has changed since. lookalike experiment show lists which are. Running the
        experiment again replaces its files.
        """,
        see=("audit", "recipe"),
        also=("out of date",),
    ),
    Term(
        "star",
        "clusters whose members are all similar to the representative",
        """
        With --linkage star, the default, a document becomes a representative and takes all its free partners as
        members. Every member was verified against the representative, so no document is removed as a duplicate of one
        that it is not similar to. A chain A, B, C in which A and C differ does not form a cluster of three.
        """,
        see=("linked", "cluster", "representative"),
        also=("star linkage",),
    ),
    Term(
        "submission",
        "all documents of one author",
        """
        A submission is what one author handed in: all files of a student in an export of Moodle, Canvas or Blackboard,
        or all documents of an author by --group-by or --meta. Pairs within a submission are omitted, and two
        submissions are one row, with their closest files; --files lists all. A document without an author is a
        submission of its own.
        """,
        see=("document", "pair", "first"),
        also=("submissions", "author", "student"),
    ),
    Term(
        "template",
        "text that many documents legitimately share",
        """
        A template is text that documents have in common for an innocent reason: an assignment sheet, a licence, a
        header. --ignore FILE excludes its shingles from all documents before they are compared, and --common 0.3
        excludes every shingle that more than 30 % of the documents have. Identical documents still score 100 %,
        whatever is excluded.
        """,
        see=("excluded", "shingle", "passage"),
        also=("boilerplate", "ignore", "common"),
    ),
    Term(
        "threshold",
        "the least similarity that is reported",
        """
        The threshold is the least similarity at which two documents are reported as a pair, 0.8 unless you set
        --threshold or take that of a preset. 0.9 and above finds copies with a word changed here and there, 0.5 finds
        revisions, and below 0.3 much is similar by chance or by topic, unless only passages of some length
        count: --preset essays goes down to 0.1 of the shorter document. A saved result can be read again with a higher
        threshold without a new search.
        """,
        see=("jaccard", "recall", "s-curve"),
    ),
)

TERMS: Final[Mapping[str, Term]] = MappingProxyType({term.name: term for term in _ALL})
"""The words by name, in alphabetical order; read-only."""


def look_up(word: str) -> Term:
    """Return the term with this name or alias.

    >>> look_up("shingel")
    Traceback (most recent call last):
        ...
    lookalike.errors.RecipeError: TERM must be a word of the vocabulary, not 'shingel'; did you mean 'shingle'?
    """
    wanted = " ".join(word.lower().replace("_", "-").split())
    for term in _ALL:
        if wanted in (term.name, *term.also):
            return term
    names = [name for term in _ALL for name in (term.name, *term.also)]
    hint = suggest(wanted, names) or "lookalike explain lists them"
    raise RecipeError("TERM", word, "a word of the vocabulary", hint)
