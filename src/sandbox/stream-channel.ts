/** What the channels of all drivers do alike: keep the last words, end once, close once. */
import type { ExecutorChannel } from './executor-connection.ts'

const MAX_LAST_WORDS = 8 * 1024

/** The streams of one executor, whatever carries them. */
export interface ExecutorStreams {
  /** Called once. `onEnd` may be called more than once. */
  listen(listener: { onOutput(bytes: Buffer): void; onWords(text: string): void; onEnd(): void }): void
  write(bytes: Uint8Array): void
  /** Ends the executor by ending its input, and removes what is left of it. Called once. */
  end(): Promise<void>
}

export function streamChannel(streams: ExecutorStreams): ExecutorChannel {
  let words = ''
  let hasEnded = false
  let closing: Promise<void> | null = null
  return {
    open(listener) {
      streams.listen({
        onOutput: bytes => listener.onBytes(bytes),
        onWords: text => {
          words = (words + text).slice(-MAX_LAST_WORDS)
        },
        onEnd: () => {
          if (hasEnded) return
          hasEnded = true
          listener.onEnd()
        },
      })
    },
    send: bytes => streams.write(bytes),
    lastWords: () => words,
    close() {
      closing ??= streams.end()
      return closing
    },
  }
}
