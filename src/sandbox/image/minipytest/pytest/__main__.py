import sys

from pytest._main import console_main

sys.exit(console_main())
