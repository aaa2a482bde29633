"""The method in slow, clear Python: `docs/format.md` as a program.

Nothing in the package calls this to do work; it is what the native core is tested against, and the place to read how
lookalike works. The data passes through the files in this order:

* `text`: a text is normalised and cut into words or characters, and those into shingles (format §1-3);
* `hash_functions`: shingles become 64-bit numbers, and the hash functions of the source reports (format §4-5);
* `sketches`: a set of numbers becomes a signature, and two signatures an estimate (format §5);
* `search`: what is estimated: Jaccard of sets and bags, containment, cosine and Euclidean distance, also where text is
  excluded or only long passages count (format §4.1); bands, candidates, joins, clusters and passages (format §6);
* `repeated`: parts and passages of documents that occurred before, and texts without them (format §10).

>>> from lookalike.recipe import Recipe
>>> recipe = Recipe(unit="char", k=2)
>>> shingles("Nadal", recipe), shingles("Nadia", recipe)
(['na', 'ad', 'da', 'al'], ['na', 'ad', 'di', 'ia'])
>>> jaccard(elements("Nadal", recipe), elements("Nadia", recipe))
0.3333333333333333
"""

from __future__ import annotations

from lookalike.reference.hash_functions import (
    fold,
    hash_bytes,
    hash_units,
    hash_vec32,
    hash_vec64,
    jenkins_mix,
    modular,
    multiplicative,
    multiplicative_real,
    murmur3_32,
    next_prime,
    occurrence_hash,
    splitmix,
)
from lookalike.reference.repeated import Repeat, passage_cuts, repeated_parts, repeated_passages, split, without
from lookalike.reference.search import (
    EXCLUDED,
    CountedElements,
    UnitPassage,
    bag_jaccard,
    bag_jaccard_of_the_report,
    band_keys,
    brute_force_join,
    candidates,
    characteristic_matrix,
    containment,
    cosine,
    counted,
    euclidean,
    jaccard,
    linked_groups,
    ordered_pair,
    passages,
    row_types,
    slot_byte,
    star_groups,
)
from lookalike.reference.sketches import (
    INFINITY,
    classic_signature,
    elements,
    estimate,
    family_functions,
    fast_sketch,
    minhash_by_permutation,
    signature,
    signature_matrix,
    signature_states,
)
from lookalike.reference.text import normalise, segments, shingles, units, windows

__all__ = [
    "EXCLUDED",
    "INFINITY",
    "CountedElements",
    "Repeat",
    "UnitPassage",
    "bag_jaccard",
    "bag_jaccard_of_the_report",
    "band_keys",
    "brute_force_join",
    "candidates",
    "characteristic_matrix",
    "classic_signature",
    "containment",
    "cosine",
    "counted",
    "elements",
    "estimate",
    "euclidean",
    "family_functions",
    "fast_sketch",
    "fold",
    "hash_bytes",
    "hash_units",
    "hash_vec32",
    "hash_vec64",
    "jaccard",
    "jenkins_mix",
    "linked_groups",
    "minhash_by_permutation",
    "modular",
    "multiplicative",
    "multiplicative_real",
    "murmur3_32",
    "next_prime",
    "normalise",
    "occurrence_hash",
    "ordered_pair",
    "passage_cuts",
    "passages",
    "repeated_parts",
    "repeated_passages",
    "row_types",
    "segments",
    "shingles",
    "signature",
    "signature_matrix",
    "signature_states",
    "slot_byte",
    "split",
    "splitmix",
    "star_groups",
    "units",
    "windows",
    "without",
]
