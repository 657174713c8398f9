"""What is printed: progress, failures with their source lines, and pytest's summary line."""

import linecache
import os
import platform
import sys
import traceback

WIDTH = 80
LETTERS = {"passed": ".", "failed": "F", "skipped": "s", "error": "E", "xfailed": "x", "xpassed": "X"}
WORDS = {"passed": "PASSED", "failed": "FAILED", "skipped": "SKIPPED", "error": "ERROR", "xfailed": "XFAIL", "xpassed": "XPASS"}
ORDER = ("failed", "passed", "skipped", "deselected", "xfailed", "xpassed", "error")
OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))


def separator(sign, title=""):
    if not title:
        return sign * WIDTH
    count = max((WIDTH - len(title) - 2) // 2, 1)
    line = "%s %s %s" % (sign * count, title, sign * count)
    return line + sign if len(line) + 1 <= WIDTH else line


class Screen:
    def __init__(self, verbosity, style):
        self.verbosity = verbosity
        self.style = style
        # Where tests replace sys.stdout, progress goes where it went before.
        self.stream = sys.stdout
        self.column = 0
        self.file = None
        self.percent = 0
        self.problems = []

    def line(self, text=""):
        self.stream.write(text + "\n")

    def header(self, name, root):
        if self.verbosity < 0:
            return
        self.line(separator("=", "test session starts"))
        self.line("platform %s -- Python %s, %s" % (sys.platform, platform.python_version(), name))
        self.line("rootdir: %s" % root)

    def collected(self, count, deselected, errors):
        if self.verbosity < 0:
            return
        text = "collected %d item%s" % (count, "" if count == 1 else "s")
        if errors:
            text += " / %d error%s" % (errors, "" if errors == 1 else "s")
        if deselected:
            text += " / %d deselected / %d selected" % (deselected, count - deselected)
        self.line(text)
        if count or errors:
            self.line()

    def listing(self, items):
        for item in items:
            self.line(item.nodeid)

    def progress(self, kind, report, item, number, total):
        self.percent = number * 100 // total
        if self.verbosity > 0:
            reason = " (%s)" % report.reason if report.reason else ""
            text = "%s %s%s" % (report.nodeid, WORDS[kind], reason)
            self.line(text + ("[%3d%%]" % self.percent).rjust(max(WIDTH - 1 - len(text), 7)))
            return
        if self.verbosity == 0 and item.module.nodeid != self.file:
            if self.file is not None:
                self.end_of_line()
            self.file = item.module.nodeid
            self.write(self.file + " ")
        if self.column >= WIDTH - 8:
            self.end_of_line()
        self.write(LETTERS[kind])

    def write(self, text):
        self.stream.write(text)
        self.stream.flush()
        self.column += len(text)

    def end_of_line(self):
        self.line(("[%3d%%]" % self.percent).rjust(max(WIDTH - 1 - self.column, 7)))
        self.column = 0

    def end_of_progress(self):
        if self.column and self.percent == 100:
            self.end_of_line()
        elif self.column:
            self.line()

    def problem(self, kind, report):
        self.problems.append((kind, report))

    def summary(self, counts, seconds, stopped, only_collected, selected):
        errors = [report for kind, report in self.problems if kind == "error"]
        failures = [report for kind, report in self.problems if kind == "failed"]
        if self.style != "no":
            if self.verbosity >= 0 and any(report.when != "collect" for _, report in self.problems):
                self.line()
            self.details("ERRORS", errors)
            self.details("FAILURES", failures)
        if self.problems:
            self.line(separator("=", "short test summary info"))
            for word, reports in (("FAILED", failures), ("ERROR", errors)):
                for report in reports:
                    self.line(short_line(word, report))
        if isinstance(stopped, str):
            self.line(separator("!", stopped))
        text = result_text(counts, only_collected, selected, isinstance(stopped, Exception)) + " in %.2fs" % seconds
        ran = any(kind != "deselected" for kind in counts)
        is_apart = only_collected or not ran if self.verbosity < 0 else ran and not self.problems
        self.line(("\n" if is_apart else "") + (separator("=", text) if self.verbosity >= 0 else text))
        self.stream.flush()
        if isinstance(stopped, Exception):
            sys.stderr.write("ERROR: %s\n\n" % stopped)

    def details(self, title, reports):
        if not reports:
            return
        self.line(separator("=", title))
        for report in reports:
            self.line(separator("_", title_of(report)))
            for line in failure_lines(report, self.style):
                self.line(line)
            for name, text in zip(("stdout", "stderr"), report.output):
                if text:
                    self.line(separator("-", "Captured %s %s" % (name, report.when)))
                    self.line(text.rstrip("\n"))


def title_of(report):
    if report.when == "collect":
        return "ERROR collecting %s" % report.nodeid
    name = ".".join(report.nodeid.split("::")[1:])
    return name if report.when == "call" else "ERROR at %s of %s" % (report.when, name)


def result_text(counts, only_collected, selected, is_usage_error):
    if only_collected and not counts.get("error"):
        deselected = counts.get("deselected", 0)
        if deselected:
            return "%d/%d tests collected (%d deselected)" % (selected, selected + deselected, deselected)
        return "no tests collected" if not selected else "%d test%s collected" % (selected, "" if selected == 1 else "s")
    parts = []
    for kind in ORDER:
        number = counts.get(kind, 0)
        if number:
            parts.append("%d %s%s" % (number, kind, "s" if kind == "error" and number > 1 else ""))
    if is_usage_error or not any(kind != "deselected" for kind in counts):
        return ", ".join(["no tests ran", *parts]) if not counts.get("deselected") else ", ".join(parts)
    return ", ".join(parts)


def message_of(error):
    """Lines of an error without its trace; those of an assertion or a failure without the name of its class."""
    name = type(error).__name__
    if isinstance(error, SyntaxError):
        return [line.rstrip("\n") for line in traceback.format_exception_only(type(error), error)]
    text = str(error)
    # As in pytest, which looks at the repr: with an apostrophe in the text that begins with another sign.
    if repr(error).startswith("AssertionError('assert "):
        return text.split("\n")
    if name in ("Failed", "FixtureNotFound", "UsageError"):
        return ("Failed: " + text if name == "Failed" else text).split("\n")
    module = type(error).__module__
    qualified = name if module in ("builtins", "pytest._api", "__main__") else "%s.%s" % (module, name)
    return ("%s: %s" % (qualified, text) if text else qualified).split("\n")


def short_line(word, report):
    line = "%s %s" % (word, report.nodeid)
    is_bare = report.when == "collect" and isinstance(report.error, ImportError)
    if is_bare or type(report.error).__name__ == "FixtureNotFound":
        return line
    message = message_of(report.error)
    text = message[-1] if isinstance(report.error, SyntaxError) else message[0]
    room = WIDTH - len(line) - 3
    if len(text) > room:
        text = text[: room - 3] + "..." if room > 6 else ""
    return line + (" - " + text if text else "")


def frames_of(error):
    """Frames of the code under test: without this runner and without Python's own importing."""
    found = []
    if isinstance(error, SyntaxError):
        return found
    for frame, number in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if not file.startswith((OWN_FOLDER, "<frozen ")):
            found.append((frame.f_code, number, os.path.relpath(file) if os.path.isabs(file) else file))
    return found


def failure_lines(report, style):
    error = report.error
    message = ["E   %s" % line for line in message_of(error)]
    if type(error).__name__ == "FixtureNotFound":
        yield from message
        return
    frames = frames_of(error)
    if style in ("native",):
        yield from "".join(traceback.format_exception(type(error), error, error.__traceback__)).split("\n")
        return
    if style == "line":
        place = "%s:%d: " % (frames[-1][2], frames[-1][1]) if frames else ""
        yield place + message_of(error)[0]
        return
    if report.when == "collect" and isinstance(error, ImportError):
        yield "ImportError while importing test module '%s'." % os.path.abspath(report.nodeid)
        yield "Hint: make sure your test modules/packages have valid Python names."
        yield "Traceback:"
    for index, (code, number, file) in enumerate(frames):
        is_last = index == len(frames) - 1
        if style == "short" or code.co_name == "<module>" or (index not in (0, len(frames) - 1) and style == "auto"):
            yield "%s:%d: in %s" % (file, number, code.co_name)
            yield "    %s" % linecache.getline(code.co_filename, number).strip()
            if is_last:
                yield from message
            continue
        yield ""
        yield from source_lines(code, number)
        if is_last:
            yield from ["E       %s" % line for line in message_of(error)]
        yield ""
        yield "%s:%d: %s" % (file, number, type(error).__name__ if is_last else "")
        if not is_last:
            yield "_ " * (WIDTH // 2)
    if not frames:
        yield from message


def source_lines(code, number):
    """A function from its first line to the one that failed, which is marked."""
    first = max(code.co_firstlineno, number - 60)
    lines = [linecache.getline(code.co_filename, one).rstrip("\n") for one in range(first, number + 1)]
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    for offset, line in enumerate(lines, first):
        text = line[indent:]
        yield ">   " + text if offset == number else "    " + text if text else ""
