"""Many documents: signatures, bands, candidates, the search itself, clusters."""
