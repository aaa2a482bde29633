"""Many documents: signatures, bands, candidates, groups, and how to search. Numbers in, numbers out."""
