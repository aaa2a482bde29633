"""Find the documents of the sample collection that are copies of each other."""

from pathlib import Path

import lookalike as la

collection = Path(__file__).parent / "collection"
documents = {path.name: path.read_text(encoding="utf-8") for path in sorted(collection.iterdir())}

result = la.find(documents, threshold=0.5)

print(f"{len(documents)} documents, {result.pairs.num_rows} pairs alike by at least 50 %\n")
for pair in result.pairs.to_pylist():
    print(f"{pair['jaccard']:7.1%}  {pair['a']}  {pair['b']}")
    print(f"         {pair['containment_a']:.1%} of the first is in the second; back: {pair['containment_b']:.1%}")
