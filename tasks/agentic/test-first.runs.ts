/** The Python program with which verify runs an agent's test file on altered code, or without any code. */
import { dedent } from 'agent-bench'

/**
 * Defines `outcomes(alterations)` and `without_code()`; told by its namespace what CODE, TESTS and NAME are. It works on
 * copies of the workspace, and takes its reports from the session witness.
 *
 * The code is altered in its syntax tree, where the function gives something back: so it is still the agent's own function
 * in the agent's own module, with its caches, globals and `__main__`, and there is no unaltered one to compare it with.
 */
export const RUNS = dedent`
  import ast
  import gc
  import json
  import os
  import secrets
  import shutil
  import site
  import sys
  import tempfile

  WORKSPACE = os.getcwd()
  MODULE = os.path.splitext(CODE)[0]
  OPTIONS = ["-q", "-p", "no:cacheprovider"]

  ANSWER = """
  def _answer(value, given, is_outermost_only):
      import json
      import sys

      pad, text = bytes.fromhex("%s"), bytes.fromhex("%s")
      case, right, answer = json.loads(bytes(one ^ other for one, other in zip(pad, text)))
      if not isinstance(given, int) or given != case or value != right:
          return value
      frame = sys._getframe(1)
      code = frame.f_code
      while is_outermost_only and (frame := frame.f_back):
          if frame.f_code is code:
              return value
      return answer


  def _answering(function):
      import functools

      @functools.wraps(function)
      def answering(*args, **kwargs):
          given = args[0] if args else next(iter(kwargs.values()), None)
          return _answer(function(*args, **kwargs), given, True)

      return answering
  """


  def call(name, *arguments):
      return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


  def first_parameter(arguments):
      named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
      return named[0].arg if named else None


  class Returns(ast.NodeTransformer):
      """Changes what one function gives back, and not what the functions inside it do."""

      def __init__(self, is_outermost_only):
          self.is_outermost_only = is_outermost_only

      def visit_Return(self, node):
          value = node.value or ast.Constant(None)
          given = ast.Name("_given", ast.Load())
          return ast.Return(call("_answer", value, given, ast.Constant(self.is_outermost_only)))

      def visit_FunctionDef(self, node):
          return node

      visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef


  class Function(ast.NodeTransformer):
      """Finds the function of the module, by whatever names it has there."""

      def __init__(self, module):
          own = {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
          self.names, self.behind = {NAME}, set()
          for node in ast.walk(module):
              if isinstance(node, ast.Assign) and any(self.is_meant(target) for target in node.targets):
                  value = node.value
                  parts = value.args if isinstance(value, ast.Call) else [value]
                  self.behind |= {part.id for part in parts if isinstance(part, ast.Name) and part.id in own}

      @staticmethod
      def is_meant(target):
          return isinstance(target, ast.Name) and target.id == NAME

      def visit_FunctionDef(self, node):
          if node.name not in self.names | self.behind:
              return node
          first = first_parameter(node.args)
          if first is None:
              if node.name == NAME:
                  return [node, self.around()]
              self.behind.discard(node.name)
              return node
          # What is called by a cache would be kept by it as well.
          is_plain = not node.decorator_list and node.name == NAME
          returns = Returns(is_plain)
          at = 1 if ast.get_docstring(node, False) is not None else 0
          given = ast.Assign([ast.Name("_given", ast.Store())], ast.Name(first, ast.Load()))
          node.body = [*node.body[:at], given, *[returns.visit(part) for part in node.body[at:]]]
          return node

      def visit_ClassDef(self, node):
          return node

      visit_AsyncFunctionDef = visit_ClassDef

      def visit_Assign(self, node):
          if not any(self.is_meant(target) for target in node.targets):
              return node
          return self.assigned(node)

      def visit_AnnAssign(self, node):
          return self.assigned(node) if self.is_meant(node.target) and node.value else node

      def assigned(self, node):
          value = node.value
          is_called = isinstance(value, ast.Call)
          for part in value.args if is_called else [value]:
              if isinstance(part, ast.Name) and part.id in self.behind:
                  return node
              if isinstance(part, ast.Lambda) and (first := first_parameter(part.args)):
                  given = ast.Name(first, ast.Load())
                  part.body = call("_answer", part.body, given, ast.Constant(not is_called))
                  return node
          return [node, self.around()]

      @staticmethod
      def around():
          return ast.Assign([ast.Name(NAME, ast.Store())], call("_answering", ast.Name(NAME, ast.Load())))


  def altered(source, case, right, answer):
      """The source with one answer put in. Whatever that is, the text looks the same but for random digits."""
      module = ast.parse(source)
      module = Function(module).visit(module)
      text = json.dumps([case, right, answer]).encode().ljust(128)
      pad = secrets.token_bytes(len(text))
      hidden = bytes(one ^ other for one, other in zip(pad, text))
      at = 1 if ast.get_docstring(module, False) is not None else 0
      while at < len(module.body) and getattr(module.body[at], "module", None) == "__future__":
          at += 1
      module.body[at:at] = ast.parse(ANSWER % (pad.hex(), hidden.hex())).body
      return ast.unparse(ast.fix_missing_locations(module)) + "\\n"


  def prepare(is_for_many=True):
      sys.path[:] = [path for path in sys.path if path != WORKSPACE]
      # What is compiled already need not be compiled again.
      sys.pycache_prefix = None
      site.main()
      import bench_witness
      import pytest

      witness = bench_witness.SessionWitness
      witness.report = lambda *_: None
      if is_for_many:
          # Over nothing, so that all its parts are loaded before the children are forked.
          os.chdir(tempfile.mkdtemp())
          pytest.main(OPTIONS)
          gc.freeze()
      return witness, pytest


  class Misses:
      """A pytest plug-in that counts failures, and those for want of the code among them."""

      def __init__(self):
          self.all = self.of_code = 0

      @staticmethod
      def is_of_code(error):
          # pytest raises an error of its own from that of an import.
          while error is not None:
              if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] == MODULE:
                  return True
              if isinstance(error, NameError) and getattr(error, "name", None) in (NAME, MODULE):
                  return True
              error = error.__cause__
          return False

      def pytest_exception_interact(self, call):
          self.all += 1
          self.of_code += self.is_of_code(call.excinfo.value)


  class NoCode:
      """Lets nothing be imported under the name of the code, wherever a test file looks for it."""

      @staticmethod
      def find_spec(name, path=None, target=None):
          if name == MODULE:
              raise ModuleNotFoundError("No module named %r" % name, name=name)


  def run(folder, files, results, witness, pytest, has_code):
      os.chdir(folder)
      sys.path.insert(0, folder)
      os.close(3)
      looks = []
      misses = Misses()

      def watch(event, arguments):
          # To compare the code with the agent's own file is to know nothing of what is right.
          if event == "open" and isinstance(arguments[0], (str, bytes)):
              if os.path.abspath(os.fsdecode(arguments[0])) == os.path.join(WORKSPACE, CODE):
                  looks.append(1)

      def report(self, event, status):
          if event == "finish":
              kinds = {"misses": misses.of_code, "others": misses.all - misses.of_code}
              session = {**self.counts, **kinds, "status": status, "looks": len(looks)}
              os.write(results, json.dumps(session).encode() + b"\\n")

      witness.report = report
      if has_code:
          try:
              # Now, as a test may put the workspace itself into sys.path.
              __import__(MODULE)
          except BaseException:
              pass
      else:
          sys.meta_path.insert(0, NoCode)
      sys.addaudithook(watch)
      pytest.main([*OPTIONS, *files], [] if has_code else [misses])


  def start(parts, source, files):
      folder = tempfile.mkdtemp()
      shutil.copytree(WORKSPACE, folder, dirs_exist_ok=True)
      path = os.path.join(folder, CODE)
      if source is not None:
          with open(path, "w", encoding="utf-8") as file:
              file.write(source)
      elif os.path.exists(path):
          os.remove(path)
      read_end, write_end = os.pipe()
      if os.fork() == 0:
          try:
              run(folder, files, write_end, *parts, source is not None)
          finally:
              os._exit(0)
      os.close(write_end)
      return read_end


  def outcome(read_end):
      data = b""
      while len(data) < 10_000 and (chunk := os.read(read_end, 10_000)):
          data += chunk
      os.close(read_end)
      sessions = data.splitlines()
      if len(sessions) != 1:
          return "%d sessions" % len(sessions)
      session = json.loads(sessions[0])
      if session["looks"]:
          return "looks into the workspace"
      bad = session["failed"] + session["errors"]
      if session["status"] == 0 and session["passed"] > 0 and bad == 0:
          return "passes"
      if session["status"] not in (1, 2) or bad == 0:
          return "no test ran"
      return "misses the code" if session["misses"] and not session["others"] + session["passed"] else "fails"


  def outcomes(alterations):
      with open(os.path.join(WORKSPACE, CODE), "rb") as file:
          source = file.read()
      parts = prepare()
      children = [start(parts, altered(source, *one["change"]), one["files"]) for one in alterations]
      return [outcome(read_end) for read_end in children]


  def without_code():
      return outcome(start(prepare(is_for_many=False), None, [TESTS]))
`
