"""Two documents: their shingles, how similar they are, what they share, and what is excluded."""
