/** How a tool result reads for the model. Every cut says how much is missing and how to get it. */
import type { CapturedStream, ExecResult, ReadResult } from '../sandbox/sandbox.ts'

/** Characters of a tool result that are shown at most; the three numbers below add up to it. */
export const RESULT_CHARACTERS = 8_000
const STDOUT_HEAD = 2_000
const STDOUT_TAIL = 4_000
const STDERR_TAIL = 2_000

/** Decodes UTF-8 (broken sequences become U+FFFD); cut ends may begin or end inside a character, which is left out. */
function decode(bytes: Uint8Array, cut: 'none' | 'start' | 'end'): string {
  let from = 0
  let to = bytes.length
  const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80
  if (cut === 'start') while (from < Math.min(3, to) && isContinuation(bytes[from])) from++
  if (cut === 'end') {
    let back = to
    while (back > 0 && to - back < 3 && isContinuation(bytes[back - 1])) back--
    const lead = bytes[back - 1]
    if (lead !== undefined && lead >= 0xc0) {
      const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
      if (to - back + 1 < length) to = back - 1
    }
  }
  return new TextDecoder().decode(bytes.subarray(from, to))
}

const count = (n: number, unit: string) => `${n.toLocaleString('en-US')} ${unit}`

/** Takes the first `n` UTF-16 units without splitting a surrogate pair. */
function first(text: string, n: number): string {
  const cut = text.slice(0, n)
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

function last(text: string, n: number): string {
  const cut = text.slice(Math.max(0, text.length - n))
  return /^[\uDC00-\uDFFF]/.test(cut) ? cut.slice(1) : cut
}

/** The shown part of a stream: all of it when it fits, else its first `head` and last `tail` characters with a notice between. */
function showStream(stream: CapturedStream, name: string, head: number, tail: number): string {
  const kept = stream.head.length + stream.tail.length
  const notice = (missing: string) =>
    `[… ${missing} of ${name} left out here. To see them, send the output to a file and read that in parts: COMMAND > /tmp/out.txt 2>&1, then read_file with offset and limit …]`
  if (stream.totalBytes <= kept) {
    const text = decode(Buffer.concat([stream.head, stream.tail]), 'none')
    if (text.length <= head + tail) return text
    const missing = text.length - head - tail
    return [
      head > 0 ? `${first(text, head)}\n` : '',
      notice(count(missing, 'characters')),
      `\n${last(text, tail)}`,
    ].join('')
  }
  const start = head > 0 ? first(decode(stream.head, 'end'), head) : ''
  const end = last(decode(stream.tail, 'start'), tail)
  const missing = stream.totalBytes - Buffer.byteLength(start) - Buffer.byteLength(end)
  return [start === '' ? '' : `${start}\n`, notice(count(missing, 'bytes')), `\n${end}`].join('')
}

/** Text of an execute_command result. `timeoutMs` is the limit that was in force. */
export function showExec(result: ExecResult, timeoutMs: number): string {
  const lines: string[] = []
  if (result.stopped === 'timeout') {
    lines.push(`The command was stopped after ${timeoutMs / 1000} s (time limit); all its processes were ended.`)
  } else if (result.stopped === 'output') {
    lines.push('The command was stopped because it printed far too much; all its processes were ended.')
  }
  if (result.exitCode === null) lines.push('exit code: unknown')
  else if (result.exitCode < 0) lines.push(`exit code: ${128 - result.exitCode} (killed by signal ${-result.exitCode})`)
  else lines.push(`exit code: ${result.exitCode}`)
  const stdout = showStream(result.stdout, 'stdout', STDOUT_HEAD, STDOUT_TAIL)
  lines.push(stdout === '' ? 'stdout: (empty)' : `stdout:\n${stdout}`)
  const stderr = showStream(result.stderr, 'stderr', 0, STDERR_TAIL)
  if (stderr.trim() !== '') lines.push(`stderr:\n${stderr}`)
  return lines.join('\n')
}

/** Text of a read_file result: whole lines, as they are, then where the rest is. */
export function showRead(path: string, result: ReadResult): string {
  if (result.totalBytes === 0) return `[${path} is empty]`
  if (result.lineCount === 0) {
    return `[${path} has ${count(result.totalLines, 'lines')}; there is nothing from line ${result.firstLine} on]`
  }
  const text = decode(result.bytes, 'end')
  const lines = text.split('\n')
  if (text.endsWith('\n')) lines.pop()
  let shown = ''
  let shownLines = 0
  let cutLine = false
  for (const line of lines) {
    if (shown.length + line.length + 1 > RESULT_CHARACTERS) {
      if (shownLines === 0) {
        shown = first(line, RESULT_CHARACTERS)
        shownLines = 1
        cutLine = true
      }
      break
    }
    shown += `${line}\n`
    shownLines++
  }
  const lastLine = result.firstLine + shownLines - 1
  const notes: string[] = []
  if (cutLine) {
    notes.push(
      `line ${lastLine} is longer than ${count(RESULT_CHARACTERS, 'characters')} and cut here; use execute_command with cut -c to see the rest of it`,
    )
  }
  if (lastLine < result.totalLines) {
    notes.push(
      `these are lines ${result.firstLine} to ${lastLine} of ${result.totalLines}; to go on, call read_file with offset ${lastLine + 1}`,
    )
  } else if (result.firstLine > 1) {
    notes.push(`these are lines ${result.firstLine} to ${lastLine} of ${result.totalLines}, the end of the file`)
  }
  return notes.length === 0 ? shown : `${shown.endsWith('\n') ? shown : `${shown}\n`}[${notes.join('; ')}]`
}

/** A text of a tool, cut at the limit; the cut says how much is missing. */
export function cutText(text: string, limit = RESULT_CHARACTERS): string {
  const whole = text.toWellFormed()
  if (whole.length <= limit) return whole
  const shown = first(whole, limit)
  return `${shown}\n[… ${count(whole.length - shown.length, 'characters')} left out here; ask for less at once …]`
}
