"""Pytest plugin that tells the executor what a session did. It never changes what pytest does or prints.

Module and entry point have the same name, so that loading it through PYTEST_PLUGINS as well does not register it twice.
Anything that runs with the same user can send the same message: a report corroborates, it proves nothing.
"""

import hashlib
import json
import os
import socket

ADDRESS = os.environ.get("BENCH_WITNESS", "/run/bench/witness")
MAX_MESSAGE_BYTES = 15_000
MAX_FAILURES = 40
MAX_NAME_LENGTH = 200
MAX_TESTS = 400
NAME = "bench_witness_session"


def text_of(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def digest_of(path, name, text):
    """Stands for one test: another file, another name or another text of the file give another digest."""
    parts = [os.path.realpath(path).encode("utf-8", "surrogateescape"), name.encode("utf-8", "surrogatepass"), text]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


class SessionWitness:
    """Counts the outcomes of one session and reports its start and its finish."""

    def __init__(self):
        self.counts = {"collected": 0, "passed": 0, "failed": 0, "errors": 0, "skipped": 0}
        self.failures = []
        self.folder = os.getcwd()
        # Digests of tests by node id, and which of them passed and failed.
        self.known = {}
        self.tests = {"passed": [], "failed": []}

    def report(self, event, status):
        message = {
            "event": event,
            "cwd": os.getcwd()[:1000],
            **self.counts,
            "status": status,
            "failures": self.failures,
            "tests": self.tests if sum(map(len, self.tests.values())) <= MAX_TESTS else None,
        }
        data = json.dumps(message).encode()
        if len(data) > MAX_MESSAGE_BYTES:
            data = json.dumps({**message, "failures": []}).encode()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as witness:
            witness.settimeout(2.0)
            witness.sendto(data, ADDRESS)

    def try_report(self, event, status=None):
        # Without a listener (the image used elsewhere) or a current directory, pytest has to work as ever.
        try:
            self.report(event, status)
        except (OSError, ValueError):
            pass

    def add_failure(self, name):
        if len(self.failures) < MAX_FAILURES:
            self.failures.append(str(name)[:MAX_NAME_LENGTH])

    def add_test(self, outcome, nodeid):
        digest = self.known.get(nodeid)
        if digest is None:
            # A file that could not be collected has no tests: it stands for itself.
            path = os.path.join(self.folder, nodeid.partition("::")[0])
            digest = digest_of(path, "", text_of(path))
        self.tests[outcome].append(digest)

    def pytest_sessionstart(self, session):
        # Node ids are relative to this folder.
        self.folder = str(session.config.rootpath)
        self.try_report("start")

    def pytest_collection_finish(self, session):
        self.counts["collected"] = len(session.items)
        texts = {}
        for item in session.items:
            path = str(item.path)
            if path not in texts:
                texts[path] = text_of(path)
            self.known[item.nodeid] = digest_of(path, item.nodeid.partition("::")[2], texts[path])

    def pytest_collectreport(self, report):
        if report.failed:
            self.counts["errors"] += 1
            self.add_failure(report.nodeid)
            self.add_test("failed", report.nodeid)

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            # An expected failure is reported as skipped, an unexpected success as passed (or failed, when strict).
            self.counts[report.outcome] += 1
            if report.passed:
                self.add_test("passed", report.nodeid)
        elif report.failed:
            self.counts["errors"] += 1
        elif report.skipped:
            self.counts["skipped"] += 1
        if report.failed:
            self.add_failure(report.nodeid)
            self.add_test("failed", report.nodeid)

    def pytest_sessionfinish(self, session, exitstatus):
        self.try_report("finish", int(exitstatus))


def pytest_configure(config):
    # Workers of pytest-xdist have `workerinput`: their session is the controller's.
    if not hasattr(config, "workerinput") and not config.pluginmanager.has_plugin(NAME):
        config.pluginmanager.register(SessionWitness(), NAME)
