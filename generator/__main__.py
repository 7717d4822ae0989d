"""`python -m generator` is `llmwiki`."""

from __future__ import annotations

import sys

from generator.cli import main

if __name__ == "__main__":  # worker processes import this file too
    sys.exit(main())
