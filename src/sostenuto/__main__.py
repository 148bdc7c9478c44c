"""``python -m sostenuto`` is the command ``sostenuto``."""

import sys

from sostenuto.cli import main

sys.exit(main())
