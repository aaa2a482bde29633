"""An index as a service: a JSON API for programs and a page for people. `lookalike serve` runs it."""
