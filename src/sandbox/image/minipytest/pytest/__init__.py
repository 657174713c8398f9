"""A small runner for tests written for pytest, for machines where pytest is not installed.

It is not pytest: it knows plain and parametrised test functions, test classes, `raises`, `approx`, fixtures (also
`tmp_path`, `capsys`, `monkeypatch`), skips and expected failures, and the options people type most. Exit codes, node
ids and summary line are pytest's; what it does not know it refuses, it never guesses.
"""

from pytest._api import (
    ExitCode,
    UsageError,
    approx,
    fail,
    fixture,
    importorskip,
    mark,
    param,
    raises,
    skip,
    warns,
    xfail,
)
from pytest._main import console_main, main

__version__ = "0.1"
__all__ = [
    "ExitCode", "UsageError", "approx", "console_main", "fail", "fixture", "importorskip", "main", "mark", "param",
    "raises", "skip", "warns", "xfail",
]  # fmt: skip
