"""``python -m engine`` is the command line."""

import sys

from engine.cli.parser import main

sys.exit(main())
