"""Running one item: its fixtures, the call, and what became of it."""

import contextlib
import inspect
import io
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

from pytest._api import Failed, Skipped, XFailed
from pytest._collect import fixtures_of

MISSING = object()


class Report:
    """What became of one phase of one item, with the names that plugins of pytest read."""

    def __init__(self, nodeid, when, outcome, error=None, output=("", ""), reason=""):
        self.nodeid = nodeid
        self.when = when
        self.outcome = outcome
        self.error = error
        self.output = output
        self.reason = reason
        self.is_expected_failure = False
        self.is_unexpected_pass = False

    passed = property(lambda self: self.outcome == "passed")
    failed = property(lambda self: self.outcome == "failed")
    skipped = property(lambda self: self.outcome == "skipped")


class CapturedStreams:
    """The fixture capsys: what was printed since it was read last."""

    def __init__(self):
        self.out, self.err = io.StringIO(), io.StringIO()

    def readouterr(self):
        texts = (self.out.getvalue(), self.err.getvalue())
        for stream in (self.out, self.err):
            stream.seek(0)
            stream.truncate()
        return Captured(*texts)

    @contextlib.contextmanager
    def disabled(self):
        with contextlib.redirect_stdout(sys.__stdout__), contextlib.redirect_stderr(sys.__stderr__):
            yield


class Captured(tuple):
    __slots__ = ()

    def __new__(cls, out, err):
        return super().__new__(cls, (out, err))

    out = property(lambda self: self[0])
    err = property(lambda self: self[1])


class MonkeyPatch:
    def __init__(self):
        self.undoing = []

    def setattr(self, target, name, value=MISSING, raising=True):
        if value is MISSING:
            path, value = target, name
            module, _, name = path.rpartition(".")
            __import__(module)
            target = sys.modules[module]
        old = inspect.getattr_static(target, name, MISSING)
        if old is MISSING and raising:
            raise AttributeError("%r has no attribute %r" % (target, name))
        self.undoing.append(lambda: delattr(target, name) if old is MISSING else setattr(target, name, old))
        setattr(target, name, value)

    def delattr(self, target, name, raising=True):
        if hasattr(target, name) or raising:
            old = inspect.getattr_static(target, name)
            self.undoing.append(lambda: setattr(target, name, old))
            delattr(target, name)

    def setitem(self, mapping, key, value):
        old = mapping.get(key, MISSING)
        self.undoing.append(lambda: mapping.pop(key, None) if old is MISSING else mapping.__setitem__(key, old))
        mapping[key] = value

    def delitem(self, mapping, key, raising=True):
        if key in mapping or raising:
            old = mapping.pop(key)
            self.undoing.append(lambda: mapping.__setitem__(key, old))

    def setenv(self, name, value, prepend=None):
        old = os.environ.get(name)
        self.setitem(os.environ, name, str(value) + prepend + old if prepend and old else str(value))

    def delenv(self, name, raising=True):
        self.delitem(os.environ, name, raising)

    def syspath_prepend(self, path):
        old = sys.path[:]
        self.undoing.append(lambda: sys.path.__setitem__(slice(None), old))
        sys.path.insert(0, str(path))

    def chdir(self, path):
        old = os.getcwd()
        self.undoing.append(lambda: os.chdir(old))
        os.chdir(path)

    def undo(self):
        while self.undoing:
            self.undoing.pop()()


class Request:
    """The fixture request: as much of it as can be given."""

    def __init__(self, item, values):
        self.node = item
        self.function = item.function
        self.cls = item.owner
        self.module = item.module.module
        self._values = values

    def getfixturevalue(self, name):
        return self._values.get(name)

    def addfinalizer(self, finalizer):
        self._values.function_stack.callback(finalizer)


class Runner:
    """Runs items one after another; fixtures of wider scope live until their module, class or session ends."""

    def __init__(self, captures):
        self.captures = captures
        self.stacks = {"session": (None, contextlib.ExitStack(), {})}
        self.temporary = None

    def close(self):
        for scope in ("class", "module", "package", "session"):
            if scope in self.stacks:
                self.stacks.pop(scope)[1].close()

    def scope(self, name, key):
        """Stack and values of a scope; a new one when its key is another."""
        if name in self.stacks and self.stacks[name][0] != key:
            self.stacks.pop(name)[1].close()
        if name not in self.stacks:
            self.stacks[name] = (key, contextlib.ExitStack(), {})
        return self.stacks[name][1:]

    def folder_for(self, name):
        if self.temporary is None:
            self.temporary = Path(tempfile.mkdtemp(prefix="pytest-"))
        base = re.sub(r"\W", "_", name)[:30]
        number = 0
        while (path := self.temporary / ("%s%d" % (base, number))).exists():
            number += 1
        path.mkdir()
        return path

    def run(self, item):
        """Reports of the phases of an item: setup (only when it ends there), call, teardown (only when it fails)."""
        reason = skip_reason(item)
        if reason is not None:
            yield Report(item.nodeid, "setup", "skipped", reason=reason)
            return
        values = Values(self, item)
        streams = CapturedStreams()
        with self.capturing(streams):
            setup = self.phase(item, "setup", streams, lambda: values.prepare())
            call = None
            if setup.passed:
                call = self.phase(item, "call", streams, values.call)
            teardown = self.phase(item, "teardown", streams, values.function_stack.close)
        if call is None:
            yield expected(item, setup)
        else:
            yield expected(item, call)
        if teardown.failed:
            yield teardown

    def capturing(self, streams):
        stack = contextlib.ExitStack()
        if self.captures:
            stack.enter_context(contextlib.redirect_stdout(streams.out))
            stack.enter_context(contextlib.redirect_stderr(streams.err))
        return stack

    def phase(self, item, when, streams, work):
        try:
            work()
        except (Skipped, unittest.SkipTest) as error:
            return Report(item.nodeid, when, "skipped", reason=str(error))
        except XFailed as error:
            report = Report(item.nodeid, when, "skipped", reason=str(error))
            report.is_expected_failure = True
            return report
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            output = (streams.out.getvalue(), streams.err.getvalue())
            return Report(item.nodeid, when, "failed", error=error, output=output)
        return Report(item.nodeid, when, "passed")


class Values:
    """Values of the fixtures of one item."""

    def __init__(self, runner, item):
        self.runner = runner
        self.item = item
        self.values = dict(item.arguments)
        self.in_progress = []
        self.function_stack = contextlib.ExitStack()
        owned = {name: one for base in reversed(item.owner.__mro__) for name, one in fixtures_of(base).items()} if item.owner else {}
        self.fixtures = {**item.module.fixtures, **owned}
        self.instance = None
        self.streams = None

    def prepare(self):
        item = self.item
        if item.owner is not None:
            is_unittest = issubclass(item.owner, unittest.TestCase)
            stack, done = self.runner.scope("class", item.owner)
            setup_name, teardown_name = ("setUpClass", "tearDownClass") if is_unittest else ("setup_class", "teardown_class")
            if "prepared" not in done:
                done["prepared"] = True
                bind(stack, item.owner, setup_name, teardown_name)
            self.instance = item.owner(item.name) if is_unittest else item.owner()
            if is_unittest:
                self.function_stack.callback(self.instance.doCleanups)
        stack, done = self.runner.scope("module", item.module)
        if "prepared" not in done:
            done["prepared"] = True
            bind(stack, item.module.module, "setup_module", "teardown_module")
        names = [name for mark in item.marks_called("usefixtures") for name in mark.args]
        automatic = [name for name, one in self.fixtures.items() if one.is_automatic]
        for name in [*automatic, *names]:
            self.get(name)
        if self.instance is not None:
            is_unittest = isinstance(self.instance, unittest.TestCase)
            methods = ("setUp", "tearDown") if is_unittest else ("setup_method", "teardown_method")
            bind(self.function_stack, self.instance, *methods)
        self.arguments = {name: self.get(name) for name in needed(item.function, self.instance is not None)}

    def call(self):
        function = self.item.function if self.instance is None else self.item.function.__get__(self.instance)
        result = function(**self.arguments)
        if inspect.iscoroutine(result):
            result.close()
            raise Failed("async def functions are not natively supported.")

    def get(self, name):
        if name in self.values:
            return self.values[name]
        definition = self.fixtures.get(name)
        if definition is None:
            self.values[name] = self.built_in(name)
            return self.values[name]
        if definition in self.in_progress:
            raise Failed("recursive dependency involving fixture '%s' detected" % name)
        stack, kept = self.scope_of(definition)
        if definition not in kept:
            self.in_progress.append(definition)
            kept[definition] = self.made(definition, stack)
            self.in_progress.remove(definition)
        self.values[name] = kept[definition]
        return kept[definition]

    def scope_of(self, definition):
        if definition.scope == "function":
            return self.function_stack, {}
        keys = {"class": self.item.owner or self.item.module, "module": self.item.module, "package": os.path.dirname(self.item.module.path)}
        return self.runner.scope(definition.scope, keys.get(definition.scope))

    def made(self, definition, stack):
        owned = self.instance is not None and definition.name in vars(type(self.instance))
        function = definition.function.__get__(self.instance) if owned else definition.function
        result = function(**{name: self.get(name) for name in needed(function, False)})
        if not inspect.isgenerator(result):
            return result
        value = next(result)
        stack.callback(finish, result)
        return value

    def built_in(self, name):
        if name == "tmp_path":
            return self.runner.folder_for(self.item.name)
        if name == "tmpdir":
            return str(self.runner.folder_for(self.item.name))
        if name == "capsys":
            streams = CapturedStreams()
            self.function_stack.enter_context(contextlib.redirect_stdout(streams.out))
            self.function_stack.enter_context(contextlib.redirect_stderr(streams.err))
            return streams
        if name == "monkeypatch":
            patch = MonkeyPatch()
            self.function_stack.callback(patch.undo)
            return patch
        if name == "request":
            return Request(self.item, self)
        known = sorted([*self.fixtures, "capsys", "monkeypatch", "request", "tmp_path", "tmpdir"])
        raise FixtureNotFound("fixture '%s' not found\navailable fixtures: %s" % (name, ", ".join(known)))


class FixtureNotFound(Exception):
    pass


def finish(generator):
    try:
        next(generator)
    except StopIteration:
        return
    raise Failed("fixture function has more than one 'yield'")


def bind(stack, holder, setup, teardown):
    """Calls a setup of the old style and sees to it that its counterpart is called."""
    if getattr(holder, setup, None) is not None:
        call_loosely(getattr(holder, setup))
    if getattr(holder, teardown, None) is not None:
        stack.callback(call_loosely, getattr(holder, teardown))


def call_loosely(function):
    """These may take the module or the method, or nothing."""
    count = len([one for one in inspect.signature(function).parameters.values() if one.default is one.empty])
    function(*[None] * count)


def needed(function, is_method):
    names = [
        name
        for name, one in inspect.signature(function).parameters.items()
        if one.default is one.empty and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]
    return names[1:] if is_method and not inspect.ismethod(function) else names


def is_true(condition, item):
    if isinstance(condition, str):
        return eval(condition, {"os": os, "sys": sys, "platform": __import__("platform"), **vars(item.module.module)})
    return condition


def skip_reason(item):
    for mark in item.marks_called("skip"):
        return mark.kwargs.get("reason") or (mark.args[0] if mark.args else "unconditional skip")
    for mark in item.marks_called("skipif"):
        for condition in mark.args:
            if is_true(condition, item):
                return mark.kwargs.get("reason") or "condition: %s" % (condition,)
    if getattr(item.function, "__unittest_skip__", False) or getattr(item.owner, "__unittest_skip__", False):
        return getattr(item.function, "__unittest_skip_why__", "") or getattr(item.owner, "__unittest_skip_why__", "")
    return None


def expected(item, report):
    """The report in the light of marks that expect a failure."""
    for mark in item.marks_called("xfail"):
        conditions = [one for one in mark.args] + ([mark.kwargs["condition"]] if "condition" in mark.kwargs else [])
        if conditions and not all(is_true(one, item) for one in conditions):
            continue
        reason = mark.kwargs.get("reason", "")
        kinds = mark.kwargs.get("raises")
        if report.failed and (kinds is None or isinstance(report.error, kinds)):
            report.outcome, report.reason, report.is_expected_failure = "skipped", reason, True
        elif report.passed and mark.kwargs.get("strict", False):
            report.outcome, report.error = "failed", Failed("[XPASS(strict)] %s" % reason)
        elif report.passed:
            report.is_unexpected_pass, report.reason = True, reason
        break
    return report
