"""Run the command line as `python -m private_bandits_book`."""

import sys

from private_bandits_book.cli import main

sys.exit(main())
