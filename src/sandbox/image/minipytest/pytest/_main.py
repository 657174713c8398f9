"""The command line and the session: collect, choose, run, report."""

import argparse
import os
import shlex
import sys
import time
import types

from pytest._api import ExitCode, UsageError
from pytest._collect import CollectionError, Collector, select
from pytest._report import Screen
from pytest._run import Report, Runner

NAME = "agent-bench mini runner 0.1 (stands in for pytest)"


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(message)


def parser():
    made = Parser(prog="pytest", add_help=False, allow_abbrev=False, usage="pytest [options] [file_or_dir] [file_or_dir] [...]")
    add = made.add_argument
    add("paths", nargs="*")
    add("-q", "--quiet", action="count", default=0)
    add("-v", "--verbose", action="count", default=0)
    add("-x", "--exitfirst", action="store_const", const=1, dest="maxfail", default=0)
    add("--maxfail", type=int, default=0)
    add("-k", dest="expression", default="")
    add("-s", action="store_const", const="no", dest="capture", default="fd")
    add("--capture", default="fd", choices=["fd", "sys", "no", "tee-sys"])
    add("--tb", default="auto", choices=["auto", "long", "short", "line", "native", "no"])
    add("--co", "--collect-only", action="store_true", dest="only_collect")
    add("-V", "--version", action="store_true")
    add("-h", "--help", action="store_true")
    add("--noconftest", action="store_true")
    # Taken, and without an effect here.
    for option in ("-p", "-r", "-W", "--color", "--durations", "--basetemp", "--rootdir", "--import-mode", "-o"):
        add(option, default=None)
    for option in ("--no-header", "--no-summary", "--disable-warnings", "--strict-markers", "-l", "--showlocals"):
        add(option, action="store_true")
    return made


def common_folder(paths, here):
    """The root that node ids are relative to: what the paths and the current directory have in common."""
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in paths] or [here]
    above = os.path.commonpath(folders)
    root = os.path.commonpath([above, here])
    return above if root == os.sep else root


class Session:
    """What plugins of pytest get: here only the witness."""

    def __init__(self, root):
        self.items = []
        self.config = types.SimpleNamespace(rootpath=root)


def witness():
    """The plugin that reports sessions, which is the same for pytest; null where it is not installed."""
    try:
        from bench_witness import SessionWitness
    except ImportError:
        return None
    return SessionWitness()


class Run:
    def __init__(self, options, screen, plugins=()):
        self.options = options
        self.plugins = plugins
        self.screen = screen
        self.session = None
        self.witness = witness()
        self.errors = []
        self.failures = 0
        self.counts = {}

    def tell(self, hook, *arguments):
        if self.witness is not None:
            getattr(self.witness, hook)(*arguments)

    def interact(self, error):
        """The one hook that plug-ins given to main() have here: what a failure was, as `call.excinfo.value`."""
        call = types.SimpleNamespace(excinfo=types.SimpleNamespace(value=error))
        for plugin in self.plugins:
            hook = getattr(plugin, "pytest_exception_interact", None)
            if hook is not None and error is not None:
                hook(call=call)

    def count(self, kind):
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def whole(self, paths):
        begin = time.perf_counter()
        here = os.getcwd()
        root = common_folder([os.path.abspath(path.split("::")[0]) for path in paths], here)
        self.session = Session(root)
        self.tell("pytest_sessionstart", self.session)
        self.screen.header(NAME, root)
        stopped = None
        try:
            items, deselected = self.collect(Collector(root, not self.options.noconftest), paths or [here])
            self.session.items = items
            self.tell("pytest_collection_finish", self.session)
            self.screen.collected(len(items) + len(deselected), len(deselected), len(self.errors))
            if deselected:
                self.counts["deselected"] = len(deselected)
            status, stopped = self.after_collection(items)
        except UsageError as error:
            status, stopped = ExitCode.USAGE_ERROR, error
        except KeyboardInterrupt:
            status, stopped = ExitCode.INTERRUPTED, "KeyboardInterrupt"
        seconds = time.perf_counter() - begin
        self.tell("pytest_sessionfinish", self.session, status)
        self.screen.summary(self.counts, seconds, stopped, self.options.only_collect, len(self.session.items))
        return status

    def collect(self, collector, paths):
        found = []
        known = set()
        files = [file for path in paths for file in collector.items(path)]
        for file in files:
            try:
                for item in file():
                    if item.nodeid not in known:
                        known.add(item.nodeid)
                        found.append(item)
            except CollectionError as error:
                self.collection_failed(error)
                if 0 < self.options.maxfail <= len(self.errors):
                    break
        if not self.options.expression:
            return found, []
        is_meant = select(self.options.expression)
        return [item for item in found if is_meant(item)], [item for item in found if not is_meant(item)]

    def collection_failed(self, error):
        report = Report(error.nodeid, "collect", "failed", error=error.error)
        if type(error.error).__name__ in ("Skipped", "SkipTest"):
            report.outcome, report.reason = "skipped", str(error.error)
            self.count("skipped")
        else:
            self.errors.append(report)
            self.count("error")
            self.screen.problem("error", report)
            self.interact(error.error)
        self.tell("pytest_collectreport", report)

    def after_collection(self, items):
        """Exit status and why the session stopped early (null: it did not)."""
        if self.errors and not self.options.only_collect:
            many = "errors" if len(self.errors) > 1 else "error"
            limit = self.options.maxfail
            if 0 < limit <= len(self.errors):
                return ExitCode.TESTS_FAILED, "stopping after %d failures" % len(self.errors)
            return ExitCode.INTERRUPTED, "Interrupted: %d %s during collection" % (len(self.errors), many)
        if self.options.only_collect:
            self.screen.listing(items)
            return (ExitCode.INTERRUPTED if self.errors else ExitCode.OK if items else ExitCode.NO_TESTS_COLLECTED), None
        stopped = self.run_items(items)
        if self.failures:
            return ExitCode.TESTS_FAILED, stopped
        ran = any(kind != "deselected" for kind in self.counts)
        return (ExitCode.OK if ran else ExitCode.NO_TESTS_COLLECTED), stopped

    def run_items(self, items):
        runner = Runner(captures=self.options.capture != "no")
        try:
            for number, item in enumerate(items, 1):
                for report in runner.run(item):
                    self.took(report, item, number, len(items))
                if 0 < self.options.maxfail <= self.failures:
                    return "stopping after %d failures" % self.failures
        finally:
            runner.close()
            self.screen.end_of_progress()
        return None

    def took(self, report, item, number, total):
        self.tell("pytest_runtest_logreport", report)
        kind = kind_of(report)
        self.count(kind)
        self.failures += report.failed
        self.screen.progress(kind, report, item, number, total)
        if report.failed:
            self.screen.problem(kind, report)
            self.interact(report.error)


def kind_of(report):
    if report.failed:
        return "failed" if report.when == "call" else "error"
    if report.is_expected_failure:
        return "xfailed"
    return "xpassed" if report.is_unexpected_pass else report.outcome


def main(args=None, plugins=None):
    """Runs a session and gives its exit status."""
    words = sys.argv[1:] if args is None else [args] if isinstance(args, os.PathLike) else list(map(str, args))
    try:
        options = parser().parse_intermixed_args(shlex.split(os.environ.get("PYTEST_ADDOPTS", "")) + words)
    except UsageError as error:
        sys.stderr.write("ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]\npytest: error: %s\n\n" % error)
        return ExitCode.USAGE_ERROR
    if options.version:
        print("pytest: %s" % NAME)
        return ExitCode.OK
    if options.help:
        parser().print_help()
        return ExitCode.OK
    sys.dont_write_bytecode = True
    screen = Screen(options.verbose - options.quiet, options.tb)
    return Run(options, screen, plugins or ()).whole(options.paths)


def console_main():
    """Exit status for the command line."""
    try:
        status = int(main())
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
