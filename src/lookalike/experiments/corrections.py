"""The errors and gaps of the source reports, and what is right (items 100 to 122 of the checklist).

The gallery shows them as a table. Each that can be checked in code has a test named after its item in
tests/experiments/test_corrections.py; those that show in a figure name the experiment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["CORRECTIONS", "Correction"]


@dataclass(frozen=True, slots=True)
class Correction:
    """One error of a report beside what is right."""

    item: int
    """Its number in the checklist."""
    said: str
    """What the report says or its program does."""
    right: str
    """What is right, and what lookalike does."""
    shown: str
    """The id of the experiment that shows it, or the name of the test that proves it."""


CORRECTIONS: Final[tuple[Correction, ...]] = (
    Correction(
        100,
        "Article C: the union of two bags has the sum of their sizes, so a text has similarity ½ with itself.",
        "Σ min / Σ max of the counts, which is 1 for equal bags: bag_jaccard. The other is bag_jaccard_report.",
        "bags",
    ),
    Correction(
        101,
        "Report A: comparing all pairs takes exponential time.",
        "It is quadratic: n(n − 1)/2 pairs. Twice the documents take four times as long.",
        "comparisons",
    ),
    Correction(
        102,
        "All three: at similarity (1/b)^(1/r) a pair becomes a candidate with probability ½.",
        "About 0.63 there. The half point is (1 − 2^(−1/b))^(1/r): 0.7132, not 0.7411, for 20 bands of 10 rows.",
        "s-curve",
    ),
    Correction(
        103,
        "Report A compares three approaches on texts that were not prepared alike: without blanks and marks for the "
        "exact one, with everything for the others.",
        "One recipe decides the preparation for all; what two recipes made is refused as a mismatch.",
        "preprocessing",
    ),
    Correction(
        104,
        "Report A times its hash functions in a build without optimisation, with 25 functions.",
        "All families are compiled with the same optimisation, and timed at the sizes that are used.",
        "hash-times",
    ),
    Correction(
        105,
        "Report A: shingles are runs of words in one section, of characters in another.",
        "Both, by the setting `unit`; a recipe says which.",
        "test_item_105_both_units",
    ),
    Correction(
        106,
        "Report A's pseudocode walks through the wrong matrix, counts functions from 0 to h, and hashes a row again "
        "for every document.",
        "h functions, each computed once for an element of a document.",
        "test_item_106_signature_of_h_functions",
    ),
    Correction(
        107,
        "Report A: (a·x + b) mod m, where a may be 0, m may equal x, and products overflow.",
        "1 ≤ a < P, 0 ≤ b < P with the prime P = 2³² − 5, and products of 64 bits.",
        "biased-families",
    ),
    Correction(
        108,
        "Report B: (p·x + m) mod z with z the number of shingles and p a small prime.",
        "Not one-to-one where p divides z; a prime modulus above every key and a random factor are.",
        "biased-families",
    ),
    Correction(
        109,
        "Report A's multiplicative hash keeps as few bits as there are rows, gives row 0 the value 0 for every "
        "function, and skips that value.",
        "An odd factor, an offset, and all 32 bits. As coded it reads far above the true similarity.",
        "biased-families",
    ),
    Correction(
        110,
        "Report A takes MurmurHash3 modulo the number of rows, with seeds that repeat.",
        "All 32 bits and different seeds. The modulus makes rows collide and lifts the estimate.",
        "biased-families",
    ),
    Correction(
        111,
        "Report A: the hash of a band is an `int` of unsaid width, and equal hashes mean equal bands.",
        "Unsigned, of 32 or 64 bits; the rows themselves are compared before a pair is a candidate.",
        "test_item_111_collisions_propose_nothing",
    ),
    Correction(
        112,
        "Report A reads outside its matrix where r does not divide h; report B finds only b = 1 or h for a prime h.",
        "Any b and r with b·r ≤ h; more is refused, and what is left over serves the estimate only.",
        "test_item_112_bands_need_not_divide",
    ),
    Correction(
        113,
        "Report B, at first: one table of buckets for all bands, so that different bands meet.",
        "A band is compared with the same band only.",
        "test_item_113_bands_do_not_meet",
    ),
    Correction(
        114,
        "Report B's pseudocode: a loop that never ends, a set tested against itself, columns outside rows.",
        "lookalike.reference has the method step by step, and the tests run it.",
        "test_item_114_shingles_end_and_unions_are_right",
    ),
    Correction(
        115,
        "Report B: LSH costs O(c·b²), the hash of a band O(1), and a text has far more shingles than words.",
        "O(b·(c·r + c²)) at worst for c documents, O(r) a band; a text of n units has at most n − k + 1 shingles.",
        "test_item_115_shingles_are_bounded",
    ),
    Correction(
        116,
        "Report B: Jenkins' mix in `unsigned long`, 32 or 64 bits by platform, cut to a signed number; it also "
        "compares iterators of different sets.",
        "32 bits without sign, the same value everywhere.",
        "test_item_116_jenkins_has_32_bits",
    ),
    Correction(
        117,
        "Report B counts each document's pair with itself as missed, and takes the estimate for the truth.",
        "Pairs have i < j, and the exact Jaccard similarity is the truth.",
        "lsh-quality",
    ),
    Correction(
        118,
        "Report B leaves open what infinity is, why time settles at the mean length of a word, LSH, conclusions.",
        "Infinity fills the signature of the empty set and agrees with nothing. The number of different shingles comes "
        "to rest, and the time with it; where depends on the length of the text, not of its words.",
        "shingle-plateau",
    ),
    Correction(
        119,
        "Article C: J = Z / Y + Z; the similarity of two signatures is the Jaccard similarity of their values.",
        "J = Z / (Y + Z); the estimate is the share of positions that agree.",
        "test_item_119_positions_not_values",
    ),
    Correction(
        120,
        "Article C's program joins the digits of a band, so that 1, 23 and 12, 3 are one key; it knows two documents.",
        "Keys are made of numbers of fixed width; any number of documents.",
        "test_item_120_keys_keep_numbers_apart",
    ),
    Correction(
        121,
        "Left open: k = 0, texts shorter than k, empty texts, 0 / 0.",
        "1 ≤ k ≤ 64; a short text is one shingle; empty equals empty, and nothing else.",
        "test_item_121_edge_cases",
    ),
    Correction(
        122,
        "Report A shuffles with std::random_shuffle, which has no seed of its own and is gone since C++17; its draft "
        "has sections without text.",
        "Fisher and Yates' shuffle with a seed: the same texts on every machine.",
        "collections",
    ),
)
