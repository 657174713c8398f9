import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { InfraError } from '../errors.ts'
import { type ExecutorChannel, ExecutorConnection } from './executor-connection.ts'
import { encodeFrame, FrameReader } from './frames.ts'

/** A channel whose other side is the test: a real executor cannot be made to misbehave. */
class ScriptedChannel implements ExecutorChannel {
  readonly sent: unknown[] = []
  readonly #reader = new FrameReader()
  closed = 0
  words = ''
  reply: (bytes: Uint8Array) => void = () => undefined
  end: () => void = () => undefined

  open(listener: Parameters<ExecutorChannel['open']>[0]): void {
    this.reply = listener.onBytes
    this.end = listener.onEnd
  }
  send(bytes: Uint8Array): void {
    for (const frame of this.#reader.push(bytes)) this.sent.push(frame.header)
  }
  lastWords(): string {
    return this.words
  }
  close(): Promise<void> {
    this.closed++
    return Promise.resolve()
  }
}

describe('the connection to an executor', () => {
  let channel: ScriptedChannel
  let connection: ExecutorConnection
  const ask = (signal?: AbortSignal, operation = 'ping') =>
    connection.operate(signal, exchange => exchange({ operation }, undefined, { deadlineMs: 1_000, signal }))
  const settle = () => vi.advanceTimersByTimeAsync(0)

  beforeEach(() => {
    vi.useFakeTimers()
    channel = new ScriptedChannel()
    connection = new ExecutorConnection(channel)
  })
  afterEach(() => vi.useRealTimers())

  it('gives the reply of a request', async () => {
    const asked = ask()
    await settle()
    channel.reply(encodeFrame({ answer: 1 }, Buffer.from('body')))
    const { header, body } = await asked
    expect(header).toEqual({ answer: 1 })
    expect(Buffer.from(body).toString()).toBe('body')
  })

  it('has one request in flight', async () => {
    const first = ask(undefined, 'first')
    const second = ask(undefined, 'second')
    await settle()
    expect(channel.sent).toEqual([{ operation: 'first' }])
    channel.reply(encodeFrame({}))
    await first
    await settle()
    expect(channel.sent).toEqual([{ operation: 'first' }, { operation: 'second' }])
    channel.reply(encodeFrame({}))
    await second
  })

  it.each<[string, (channel: ScriptedChannel) => void | Promise<unknown>, RegExp]>([
    ['when the stream ends', c => c.end(), /it ended/],
    ['when bytes are not a frame', c => c.reply(Buffer.alloc(8, 0xff)), /larger/],
    ['when a header is not an object', c => c.reply(encodeFrame([1])), /without a header/],
    ['when two replies come', c => c.reply(Buffer.concat([encodeFrame({}), encodeFrame({})])), /nobody asked/],
    ['when the executor reports a fault', c => c.reply(encodeFrame({ fault: 'OSError: no room' })), /no room/],
    ['when no reply comes in time', () => vi.advanceTimersByTimeAsync(1_001), /within 1000 ms/],
  ])('is lost for good %s, and closes the channel', async (title, misbehave, why) => {
    channel.words = 'Traceback'
    const asked = ask().catch((error: unknown) => error)
    await settle()
    await misbehave(channel)
    // The first of two replies is a good one; everything after it fails.
    const error = title.includes('two replies') ? await ask().catch((caught: unknown) => caught) : await asked
    expect(error).toBeInstanceOf(InfraError)
    expect(error).toMatchObject({ code: 'sandbox_lost', message: expect.stringMatching(why) })
    expect(String(error)).toContain('Traceback')
    expect(channel.closed).toBe(1)
    await expect(ask()).rejects.toBe(error)
  })

  it('cancels on abort, waits for the reply, and throws the reason', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const asked = ask(controller.signal).catch((error: unknown) => error)
    await settle()
    controller.abort(reason)
    expect(channel.sent).toEqual([{ operation: 'ping' }, { operation: 'cancel' }])
    const next = ask(undefined, 'next')
    await settle()
    expect(channel.sent).toHaveLength(2)
    channel.reply(encodeFrame({}))
    expect(await asked).toBe(reason)
    await settle()
    channel.reply(encodeFrame({ of: 'next' }))
    expect((await next).header).toEqual({ of: 'next' })
  })

  it('is lost when a cancelled request does not end', async () => {
    const controller = new AbortController()
    const asked = ask(controller.signal).catch((error: unknown) => error)
    await settle()
    controller.abort(new Error('enough'))
    await vi.advanceTimersByTimeAsync(10_001)
    expect(await asked).toMatchObject({ code: 'sandbox_lost', message: expect.stringMatching(/cancel/) })
  })

  it('sends nothing when the signal aborted before', async () => {
    const reason = new Error('never')
    await expect(ask(AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(channel.sent).toEqual([])
  })

  it('says so when it is lost while a command of the agent runs', async () => {
    const options = { deadlineMs: 1_000, isCommandOfAgent: true }
    const asked = connection.operate(undefined, exchange => exchange({}, undefined, options))
    const caught = asked.catch((error: unknown) => error)
    await settle()
    channel.end()
    expect(await caught).toMatchObject({ code: 'sandbox_lost_during_command' })
  })

  it('fails what waits when it is closed', async () => {
    const asked = ask().catch((error: unknown) => error)
    await settle()
    await connection.close()
    expect(await asked).toMatchObject({ code: 'sandbox_lost' })
    expect(channel.closed).toBe(1)
  })
})
