"""What test files use: outcomes, marks, fixtures, `raises` and `approx`."""

import enum
import importlib
import math
import re
import warnings


class ExitCode(enum.IntEnum):
    OK = 0
    TESTS_FAILED = 1
    INTERRUPTED = 2
    INTERNAL_ERROR = 3
    USAGE_ERROR = 4
    NO_TESTS_COLLECTED = 5


class UsageError(Exception):
    """The command line cannot be understood."""


# Not of Exception: a test that catches every Exception must not swallow its own skip or failure.
class Skipped(BaseException):
    pass


class Failed(BaseException):
    pass


class XFailed(BaseException):
    pass


def skip(reason="", *, allow_module_level=False):
    raise Skipped(reason)


def fail(reason="", pytrace=True):
    raise Failed(reason)


def xfail(reason=""):
    raise XFailed(reason)


def importorskip(modname, minversion=None, reason=None):
    try:
        return importlib.import_module(modname)
    except ImportError as error:
        raise Skipped(reason or "could not import %r: %s" % (modname, error)) from None


class Mark:
    def __init__(self, name, args=(), kwargs=None):
        self.name = name
        self.args = args
        self.kwargs = kwargs or {}

    def __call__(self, *args, **kwargs):
        # `@mark.slow` is called with what it decorates, `@mark.skip("why")` with its arguments first.
        if len(args) == 1 and not kwargs and callable(args[0]) and not self.args and not self.kwargs:
            target = args[0]
            own = target.__dict__.get("pytestmark", [])
            target.pytestmark = [*(own if isinstance(own, list) else [own]), self]
            return target
        return Decorator(self.name, self.args + args, {**self.kwargs, **kwargs})


class Decorator(Mark):
    """A mark with its arguments: the next call decorates."""

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and callable(args[0]):
            target = args[0]
            own = target.__dict__.get("pytestmark", [])
            target.pytestmark = [*(own if isinstance(own, list) else [own]), self]
            return target
        return Decorator(self.name, self.args + args, {**self.kwargs, **kwargs})


class Marks:
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Mark(name)


mark = Marks()


class ParameterSet:
    def __init__(self, values, id, marks):
        self.values = values
        self.id = id
        self.marks = list(marks) if isinstance(marks, (list, tuple)) else [marks]


def param(*values, id=None, marks=()):
    return ParameterSet(values, id, marks)


class FixtureDefinition:
    def __init__(self, function, name, scope, is_automatic):
        self.function = function
        self.name = name
        self.scope = scope
        self.is_automatic = is_automatic

    def __get__(self, instance, owner=None):
        return self

    def __call__(self, *args, **kwargs):
        raise Failed('Fixture "%s" called directly. Fixtures are not meant to be called directly' % self.name)


def fixture(function=None, *, scope="function", params=None, autouse=False, ids=None, name=None):
    if params is not None:
        raise UsageError("fixtures with params are not known to this runner")
    if function is None:
        return lambda decorated: fixture(decorated, scope=scope, autouse=autouse, name=name)
    return FixtureDefinition(function, name or function.__name__, scope, autouse)


class ExceptionInfo:
    type = value = tb = None

    def match(self, pattern):
        assert re.search(pattern, str(self.value)), "Regex pattern did not match.\n  Expected regex: %r\n  Actual message: %r" % (
            pattern,
            str(self.value),
        )
        return True


class RaisesContext:
    def __init__(self, expected, pattern):
        self.expected = expected
        self.pattern = pattern
        self.info = ExceptionInfo()

    def __enter__(self):
        return self.info

    def __exit__(self, kind, value, traceback):
        if kind is None:
            raise Failed("DID NOT RAISE %s" % (self.expected,))
        if not issubclass(kind, self.expected):
            return False
        self.info.type, self.info.value, self.info.tb = kind, value, traceback
        if self.pattern is not None:
            self.info.match(self.pattern)
        return True


def raises(expected_exception, *args, match=None, **kwargs):
    context = RaisesContext(expected_exception, match)
    if not args:
        return context
    with context as info:
        args[0](*args[1:], **kwargs)
    return info


class WarnsContext(warnings.catch_warnings):
    def __init__(self, expected, pattern):
        super().__init__(record=True)
        self.expected = expected
        self.pattern = pattern

    def __enter__(self):
        self.seen = super().__enter__()
        warnings.simplefilter("always")
        return self.seen

    def __exit__(self, kind, value, traceback):
        super().__exit__(kind, value, traceback)
        fits = lambda one: issubclass(one.category, self.expected) and re.search(self.pattern or "", str(one.message))
        if kind is None and not any(fits(one) for one in self.seen):
            raise Failed("DID NOT WARN. No warnings of type %s were emitted." % (self.expected,))


def warns(expected_warning=Warning, match=None):
    return WarnsContext(expected_warning, match)


class Approximate:
    """Equal within a relative tolerance of 1e-6 or an absolute one of 1e-12, as in pytest."""

    __hash__ = None
    __array_ufunc__ = None

    def __init__(self, expected, rel, abs):
        self.expected = expected
        self.rel = rel
        self.abs = abs

    def __eq__(self, actual):
        return self.fits(actual, self.expected)

    def fits(self, actual, expected):
        if isinstance(expected, dict):
            return (
                isinstance(actual, dict)
                and actual.keys() == expected.keys()
                and all(self.fits(actual[key], value) for key, value in expected.items())
            )
        if isinstance(expected, (list, tuple)):
            return (
                isinstance(actual, (list, tuple))
                and len(actual) == len(expected)
                and all(map(self.fits, actual, expected))
            )
        if actual == expected:
            return True
        try:
            if math.isinf(expected) or math.isnan(expected) or math.isnan(actual):
                return False
            return abs(actual - expected) <= self.tolerance(expected)
        except TypeError:
            return False

    def tolerance(self, expected):
        absolute = 1e-12 if self.abs is None else self.abs
        # A given absolute tolerance alone switches the default relative one off.
        if self.rel is None and self.abs is not None:
            return absolute
        return max((1e-6 if self.rel is None else self.rel) * abs(expected), absolute)

    def __repr__(self):
        if isinstance(self.expected, (int, float)):
            return "%s ± %.1e" % (self.expected, self.tolerance(self.expected))
        return "approx(%r)" % (self.expected,)


def approx(expected, rel=None, abs=None, nan_ok=False):
    return Approximate(expected, rel, abs)
