"""From paths on the command line to test items with pytest's node ids."""

import inspect
import itertools
import os
import re
import sys
import types
import unittest

from pytest._api import FixtureDefinition, Mark, ParameterSet, UsageError
from pytest._assertions import EXPLAIN, compile_test_file, explain

SKIPPED_FOLDERS = re.compile(r"\..*|__pycache__|venv|build|dist|node_modules|.*\.egg|CVS|_darcs|\{arch\}")
TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py")


class CollectionError(Exception):
    def __init__(self, nodeid, error):
        super().__init__(nodeid)
        self.nodeid = nodeid
        self.error = error


class Item:
    """One test: a function, with its parameters and the class it belongs to."""

    def __init__(self, module, owner, name, function, marks, arguments):
        self.module = module
        self.path = module.path
        self.owner = owner
        self.name = name
        self.function = function
        self.marks = marks
        self.arguments = arguments
        self.nodeid = "::".join([module.nodeid, *([owner.__name__] if owner else []), name])

    def marks_called(self, name):
        return [mark for mark in self.marks if mark.name == name]

    @property
    def keywords(self):
        names = [os.path.basename(self.module.nodeid), self.name, *(mark.name for mark in self.marks)]
        return [name.lower() for name in (names + [self.owner.__name__] if self.owner else names)]


class TestModule:
    def __init__(self, path, nodeid, fixtures):
        self.path = path
        self.nodeid = nodeid
        self.fixtures = fixtures
        self.module = None


class Collector:
    def __init__(self, root, uses_conftest):
        self.root = root
        self.uses_conftest = uses_conftest
        self.folders = {}

    def nodeid(self, path):
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def items(self, argument):
        """Items of a path, or of one of its tests: `path`, `path::test`, `path::Class::test[parameter]`."""
        path, *names = argument.split("::")
        path = os.path.abspath(path)
        if not os.path.exists(path):
            raise UsageError("file or directory not found: %s" % argument)
        found = []
        for file in [path] if os.path.isfile(path) else sorted_tests(path):
            found.append(lambda file=file: self.items_of_file(file, names, argument))
        return found

    def items_of_file(self, file, names, argument):
        module = TestModule(file, self.nodeid(file), {})
        try:
            if self.uses_conftest:
                module.fixtures.update(self.fixtures_above(file))
            module.module = import_file(file)
            module.fixtures.update(fixtures_of(module.module))
            items = list(items_of_module(module))
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise CollectionError(module.nodeid, error)
        if not names:
            return items
        wanted = "::".join([module.nodeid, *names])
        chosen = [item for item in items if item.nodeid == wanted or item.nodeid.startswith((wanted + "[", wanted + "::"))]
        if not chosen:
            raise UsageError("not found: %s\n(no match in any of [<Module %s>])" % (os.path.abspath(file) + argument[argument.index("::") :], os.path.basename(file)))
        return chosen

    def fixtures_above(self, file):
        """Fixtures of every conftest.py from the root down to the folder of a file."""
        folder = os.path.dirname(file)
        if folder in self.folders:
            return self.folders[folder]
        above = {}
        if folder != self.root and folder.startswith(self.root.rstrip("/") + "/"):
            above.update(self.fixtures_above(folder))
        conftest = os.path.join(folder, "conftest.py")
        if os.path.isfile(conftest):
            above.update(fixtures_of(import_file(conftest)))
        self.folders[folder] = above
        return above


def sorted_tests(folder):
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_file() and TEST_FILE.fullmatch(entry.name):
            yield entry.path
    for entry in entries:
        if entry.is_dir() and not SKIPPED_FOLDERS.fullmatch(entry.name):
            if not os.path.exists(os.path.join(entry.path, "pyvenv.cfg")):
                yield from sorted_tests(entry.path)


def import_file(path):
    """Imports a file under the name its packages give it, with the folder above them first in sys.path."""
    base, parts = os.path.dirname(path), [os.path.basename(path)[:-3]]
    while os.path.exists(os.path.join(base, "__init__.py")):
        base, package = os.path.split(base)
        parts.insert(0, package)
    if base not in sys.path:
        sys.path.insert(0, base)
    name = ".".join(parts)
    for depth in range(1, len(parts)):
        __import__(".".join(parts[:depth]))
    known = sys.modules.get(name)
    if known is not None and os.path.realpath(getattr(known, "__file__", "") or "") != os.path.realpath(path):
        raise ImportError("import file mismatch: a module %r was imported from %s" % (name, known.__file__))
    with open(path, "rb") as file:
        source = file.read()
    module = types.ModuleType(name)
    module.__file__ = path
    module.__package__ = name.rpartition(".")[0]
    vars(module).update({EXPLAIN: explain, "@AssertionError": AssertionError})
    sys.modules[name] = module
    try:
        exec(compile_test_file(source, path), vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    return module


def fixtures_of(holder):
    return {value.name: value for value in vars(holder).values() if isinstance(value, FixtureDefinition)}


def marks_of(holder):
    marks = vars(holder).get("pytestmark", [])
    return [mark for mark in (marks if isinstance(marks, list) else [marks]) if isinstance(mark, Mark)]


def items_of_module(module):
    for name, value in list(vars(module.module).items()):
        if inspect.isclass(value):
            if issubclass(value, unittest.TestCase) or (name.startswith("Test") and value.__init__ is object.__init__):
                yield from items_of_class(module, value)
        elif name.startswith("test") and inspect.isfunction(value):
            yield from items_of_function(module, None, name, value, marks_of(module.module))


def items_of_class(module, owner):
    marks = marks_of(module.module) + [mark for base in reversed(owner.__mro__) for mark in marks_of(base)]
    seen = set()
    is_unittest = issubclass(owner, unittest.TestCase)
    holders = [holder for holder in reversed(owner.__mro__) if holder not in (object, unittest.TestCase)]
    names = [name for holder in holders for name in vars(holder) if name.startswith("test")]
    for name in sorted(names) if is_unittest else names:
        function = inspect.getattr_static(owner, name)
        function = getattr(function, "__func__", function)
        if name not in seen and inspect.isfunction(function):
            seen.add(name)
            yield from items_of_function(module, owner, name, function, marks)


def items_of_function(module, owner, name, function, outer_marks):
    own = marks_of(function)
    marks = outer_marks + own
    axes = [parameters_of(mark) for mark in [*own, *reversed(outer_marks)] if mark.name == "parametrize"]
    if not axes:
        yield Item(module, owner, name, function, marks, {})
        return
    for combination in itertools.product(*axes):
        arguments = {key: value for _, values, _ in combination for key, value in values.items()}
        suffix = "-".join(identity for identity, _, _ in combination)
        extra = [mark for _, _, more in combination for mark in more]
        yield Item(module, owner, "%s[%s]" % (name, suffix), function, marks + extra, arguments)


def parameters_of(mark):
    """What one `parametrize` gives: (id, values by name, marks) for each set."""
    names, sets = mark.args[0], mark.args[1] if len(mark.args) > 1 else mark.kwargs["argvalues"]
    ids = mark.kwargs.get("ids")
    is_single = isinstance(names, str) and "," not in names
    names = [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else list(names)
    result = []
    for index, given in enumerate(sets):
        one = given if isinstance(given, ParameterSet) else ParameterSet((given,) if is_single else tuple(given), None, ())
        if len(one.values) != len(names):
            raise UsageError("in \"parametrize\" the number of names (%d) must be equal to the number of values (%d): %r" % (len(names), len(one.values), given))
        identity = one.id
        if identity is None and callable(ids):
            made = [ids(value) for value in one.values]
            identity = "-".join(identify(name, value, index) if text is None else str(text) for name, value, text in zip(names, one.values, made))
        elif identity is None and ids is not None and list(ids)[index] is not None:
            identity = str(list(ids)[index])
        elif identity is None:
            identity = "-".join(identify(name, value, index) for name, value in zip(names, one.values))
        result.append([identity, dict(zip(names, one.values)), one.marks])
    for identity in {one[0] for one in result}:
        same = [one for one in result if one[0] == identity]
        if len(same) > 1:
            for number, one in enumerate(same):
                one[0] += ("_%d" if identity[-1:].isdigit() else "%d") % number
    return result


def identify(name, value, index):
    if isinstance(value, str):
        return value.encode("unicode_escape").decode("ascii")
    if isinstance(value, bytes):
        return value.decode("ascii", "backslashreplace")
    if value is None or isinstance(value, (bool, int, float, complex)):
        return str(value)
    if isinstance(getattr(value, "__name__", None), str):
        return value.__name__
    return "%s%d" % (name, index)


def select(expression):
    """A function that says whether an item is meant by the expression of -k."""
    words = re.findall(r"[()]|[^\s()]+", expression)
    parts = [word if word in ("(", ")", "and", "or", "not") else "has(%r)" % word.lower() for word in words]
    try:
        code = compile(" ".join(parts) or "True", "-k", "eval")
    except SyntaxError:
        raise UsageError("Wrong expression passed to '-k': %s" % expression)

    def is_meant(item):
        keywords = item.keywords
        return bool(eval(code, {"has": lambda word: any(word in keyword for keyword in keywords)}))

    return is_meant
