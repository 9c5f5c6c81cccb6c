"""``python -m coterie`` is the command line."""

import sys

from coterie import main

sys.exit(main())
