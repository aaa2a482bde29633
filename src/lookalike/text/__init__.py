"""Two documents: their shingles, how alike they are, what they share, and what of them does not count."""
