"""Two documents: their shingles, how alike they are, and what they share."""
