"""`python -m lookalike` is `lookalike`."""

import sys

from lookalike.cli import main

if __name__ == "__main__":
    sys.exit(main())
