"""Says what an assertion compared: every `assert` of a test file is compiled so that it keeps both sides."""

import ast

MAX_REPR = 240
OPERATORS = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
EXPLAIN = "@explain"
LEFT, RIGHT, VALUE = "@left", "@right", "@value"


def compile_test_file(source, path):
    """Code of a test file. Names that begin with `@` cannot be names of its own."""
    tree = ast.parse(source, path)
    tree = Rewriter().visit(tree)
    ast.fix_missing_locations(tree)
    return compile(tree, path, "exec", dont_inherit=True)


class Rewriter(ast.NodeTransformer):
    def visit_Assert(self, node):
        test = node.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            keep = [assign(LEFT, test.left), assign(RIGHT, test.comparators[0])]
            condition = ast.Compare(load(LEFT), test.ops, [load(RIGHT)])
            sides = [load(LEFT), load(RIGHT), text(OPERATORS[type(test.ops[0])]), origin(test.left), origin(test.comparators[0])]
        else:
            is_negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
            inner = test.operand if is_negated else test
            keep = [assign(VALUE, inner)]
            condition = ast.UnaryOp(ast.Not(), load(VALUE)) if is_negated else load(VALUE)
            sides = [load(VALUE), text(None), text("not" if is_negated else ""), origin(inner), text(None)]
        message = node.msg if node.msg is not None else text(None)
        explanation = ast.Call(load(EXPLAIN), [message, *sides], [])
        failure = ast.Raise(ast.Call(load("@AssertionError"), [explanation], []), None)
        statements = [*keep, ast.If(ast.UnaryOp(ast.Not(), condition), [failure], [])]
        for statement in statements:
            for part in ast.walk(statement):
                if not hasattr(part, "lineno"):
                    ast.copy_location(part, node)
        return statements


def assign(name, value):
    return ast.Assign([ast.Name(name, ast.Store())], value)


def load(name):
    return ast.Name(name, ast.Load())


def text(value):
    return ast.Constant(value)


def origin(node):
    """What a side was computed by, where that says more than its value."""
    return text(ast.unparse(node) if isinstance(node, (ast.Call, ast.Attribute)) else None)


def short(value):
    try:
        shown = repr(value)
    except Exception as error:
        shown = "<%s raised in repr()>" % type(error).__name__
    if len(shown) > MAX_REPR:
        half = (MAX_REPR - 3) // 2
        shown = shown[:half] + "..." + shown[-half:]
    return shown


def explain(message, left, right, operator, left_origin, right_origin):
    """Text of a failed assertion, the first line as in pytest."""
    if operator in ("", "not"):
        first = "assert %s%s" % (operator + " " if operator else "", short(left))
        sides = [(left, left_origin)]
    else:
        first = "assert %s %s %s" % (short(left), operator, short(right))
        sides = [(left, left_origin), (right, right_origin)]
    lines = [first] if message is None else ["%s" % (message,), first]
    lines += [" +  where %s = %s" % (short(value), source) for value, source in sides if source is not None]
    if operator == "==":
        lines += differences(left, right)
    return "\n".join(lines)


def differences(left, right):
    if isinstance(left, str) and isinstance(right, str) and ("\n" in left or "\n" in right or len(left) > 20):
        import difflib

        shown = difflib.ndiff(right.splitlines(), left.splitlines())
        return ["  " + line for line in list(shown)[:40]]
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)) and type(left) is type(right):
        for index, (one, other) in enumerate(zip(left, right)):
            if one != other:
                return ["  At index %d diff: %s != %s" % (index, short(one), short(other))]
        return ["  %s has %d items, the other %d" % ("Left", len(left), len(right))] if len(left) != len(right) else []
    if isinstance(left, dict) and isinstance(right, dict):
        keys = [key for key in {**left, **right} if key not in left or key not in right or left[key] != right[key]]
        return ["  Differing key %s: %s != %s" % (short(key), short(left.get(key)), short(right.get(key))) for key in keys[:10]]
    return []
