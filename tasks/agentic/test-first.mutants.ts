/**
 * Do tests test? They are run against the agent's own code, and against that code made wrong in one case at a time: a suite
 * that holds the cases passes the former and fails every one of the latter. So it does not matter how the tests are
 * written, and a literal in a comment, an assertion that always holds or an error that is swallowed gain nothing.
 *
 * All runs are made in one evaluation, each in a child of its own that is told nothing but its main.py. The order of wrong
 * and right ones is drawn anew each time and known to the host alone, which compares what the runs came to. The runs are the
 * model's code, so what they came to is corroborated: but to forge it a test would have to find out which code is right,
 * and that is what a test is for.
 */
import { randomInt } from 'node:crypto'
import { type CheckResult, dedent, type VerifyTools } from 'agent-bench'
import { CODE, isTestOf, TESTS } from './test-first.ts'

export type Case = readonly [input: number, text: string]

type Change = Case | readonly [null, null]

/** For each case the text that it gives wrongly: in turn one that holds the right one, and one that is right elsewhere. */
const wrongOf = (cases: readonly Case[]): readonly Case[] =>
  cases.map(([input, text], index) => [input, index % 2 === 0 ? `${text}.` : (cases[index - 1]?.[1] ?? '')])

/** What is appended to main.py: the function as it was, but for one input. It calls itself as it was. */
const CHANGE = dedent`


  def _change(name, source, case, wrong):
      import functools

      inner = {"__name__": __name__, "__file__": __file__}
      exec(compile(source, __file__, "exec"), inner)

      @functools.wraps(inner[name])
      def changed(*args, **kwargs):
          value = inner[name](*args, **kwargs)
          given = args[0] if args else next(iter(kwargs.values()), None)
          return wrong if isinstance(given, int) and given == case else value

      globals()[name] = changed


`

/** Runs the test file against each change, in a copy of the workspace. The reports are those of the session witness. */
const RUNS = dedent`
  import gc
  import json
  import os
  import shutil
  import site
  import sys
  import tempfile

  WORKSPACE = os.getcwd()


  def prepare():
      sys.path[:] = [path for path in sys.path if path != WORKSPACE]
      # What is compiled already need not be compiled again.
      sys.pycache_prefix = None
      site.main()
      import bench_witness
      import pytest

      witness = bench_witness.SessionWitness
      witness.report = lambda *_: None
      # Over nothing, so that all its parts are loaded before the children are forked.
      os.chdir(tempfile.mkdtemp())
      pytest.main(["-q", "-p", "no:cacheprovider"])
      gc.freeze()
      return witness, pytest


  def run(folder, files, results, witness, pytest):
      os.chdir(folder)
      sys.path.insert(0, folder)
      os.close(3)
      looks = []

      def watch(event, arguments):
          # To compare the code with the agent's own file is to know nothing of what is right.
          if event == "open" and isinstance(arguments[0], (str, bytes)):
              if os.path.abspath(os.fsdecode(arguments[0])) == os.path.join(WORKSPACE, CODE):
                  looks.append(1)

      def report(self, event, status):
          if event == "finish":
              session = {**self.counts, "status": status, "looks": len(looks)}
              os.write(results, json.dumps(session).encode() + b"\\n")

      witness.report = report
      try:
          # Now, as a test may put the workspace itself into sys.path.
          __import__(os.path.splitext(CODE)[0])
      except BaseException:
          pass
      sys.addaudithook(watch)
      pytest.main(["-q", "-p", "no:cacheprovider", *files])


  def start(parts, change):
      folder = tempfile.mkdtemp()
      shutil.copytree(WORKSPACE, folder, dirs_exist_ok=True)
      with open(os.path.join(WORKSPACE, CODE), encoding="utf-8") as file:
          source = file.read()
      with open(os.path.join(folder, CODE), "w", encoding="utf-8") as file:
          file.write(source + CHANGE + "_change(%r, %r, %r, %r)\\n" % (NAME, source, *change))
      read_end, write_end = os.pipe()
      if os.fork() == 0:
          try:
              run(folder, [] if change[0] is None else [TESTS], write_end, *parts)
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
      return "fails" if session["status"] in (1, 2) and bad > 0 else "no test ran"


  def outcomes(changes):
      parts = prepare()
      return [outcome(read_end) for read_end in [start(parts, change) for change in changes]]
`

/** Does every test pass on the right code, and the test file fail on code that is wrong in any one of the cases? */
export async function testsCatch(
  { python, text }: VerifyTools,
  functionName: string,
  cases: readonly Case[],
): Promise<CheckResult> {
  if (!isTestOf(text(TESTS) ?? '', functionName))
    return { ok: false, reason: `${TESTS} has no test of ${functionName}` }
  if (text(CODE) === null) return { ok: false, reason: `there is no ${CODE}` }
  const wrong = wrongOf(cases)
  const run = (changes: readonly Change[]) => {
    const space = { source: RUNS, changes, space: { CHANGE, CODE, TESTS, NAME: functionName } }
    return python('builtins')
      .call('eval', [['[exec(source, space), space["outcomes"](changes)][1]', space]])
      .gives([changes.map(([input]) => (input === null ? 'passes' : 'fails'))])
  }
  const changes = shuffled<Change>([[null, null], ...wrong])
  let result = await run(changes)
  if (/did not end in time/.test(result.reason)) {
    // A busy machine must not cost the agent anything: each run once more, with all of the time for itself.
    for (const change of changes) {
      result = await run([change])
      if (!result.ok) break
    }
  }
  const { ok, reason } = result
  const runs = `${TESTS} on the right code and on ${wrong.length} wrong ones`
  return { ok, reason: ok ? `${runs}: tells them apart` : `${runs}: does not tell them apart (${reason})` }
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  const left = [...items]
  return items.flatMap(() => left.splice(randomInt(left.length), 1))
}
