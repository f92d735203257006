"""`python -m harness.cli`, the same as `aclcts`."""

import sys

from harness.cli.app import main

sys.exit(main())
