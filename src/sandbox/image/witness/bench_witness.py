"""Pytest plugin that tells the executor what a session did. It never changes what pytest does or prints.

Module and entry point have the same name, so that loading it through PYTEST_PLUGINS as well does not register it twice.
Anything that runs with the same user can send the same message: a report corroborates, it proves nothing.
"""

import json
import os
import socket

ADDRESS = os.environ.get("BENCH_WITNESS", "/run/bench/witness")
MAX_MESSAGE_BYTES = 15_000
MAX_FAILURES = 40
MAX_NAME_LENGTH = 200
NAME = "bench_witness_session"


class SessionWitness:
    """Counts the outcomes of one session and reports its start and its finish."""

    def __init__(self):
        self.counts = {"collected": 0, "passed": 0, "failed": 0, "errors": 0, "skipped": 0}
        self.failures = []

    def report(self, event, status):
        message = {
            "event": event,
            "cwd": os.getcwd()[:1000],
            **self.counts,
            "status": status,
            "failures": self.failures,
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

    def pytest_sessionstart(self, session):
        self.try_report("start")

    def pytest_collection_finish(self, session):
        self.counts["collected"] = len(session.items)

    def pytest_collectreport(self, report):
        if report.failed:
            self.counts["errors"] += 1
            self.add_failure(report.nodeid)

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            # An expected failure is reported as skipped, an unexpected success as passed (or failed, when strict).
            self.counts[report.outcome] += 1
        elif report.failed:
            self.counts["errors"] += 1
        elif report.skipped:
            self.counts["skipped"] += 1
        if report.failed:
            self.add_failure(report.nodeid)

    def pytest_sessionfinish(self, session, exitstatus):
        self.try_report("finish", int(exitstatus))


def pytest_configure(config):
    # Workers of pytest-xdist have `workerinput`: their session is the controller's.
    if not hasattr(config, "workerinput") and not config.pluginmanager.has_plugin(NAME):
        config.pluginmanager.register(SessionWitness(), NAME)
