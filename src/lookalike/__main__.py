"""`python -m lookalike` is `lookalike`."""

import sys

from lookalike.cli import program

if __name__ == "__main__":
    sys.exit(program())
