import { describe, expect, test } from 'vitest'
import { normaliseBaseUrl } from './base-url.ts'

describe('the address of a server', () => {
  test.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080'],
    ['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080'],
    ['http://h/v1/chat/completions', 'http://h/v1', 'http://h'],
    ['https://h/proxy', 'https://h/proxy/v1', 'https://h/proxy'],
    ['https://h/api/v1', 'https://h/api/v1', 'https://h/api'],
    ['https://h/v1beta/openai/', 'https://h/v1beta/openai', 'https://h'],
  ])('%s becomes %s', (given, baseUrl, rootUrl) => {
    expect(normaliseBaseUrl(given)).toMatchObject({ baseUrl, rootUrl })
  })

  test('a change is said, an address that is right is left alone', () => {
    expect(normaliseBaseUrl('http://h:1/').note).toContain('http://h:1/v1')
    expect(normaliseBaseUrl('http://h:1/v1').note).toBeNull()
  })

  test.each(['', 'ftp://h', 'http://', 'http://user:secret@h/v1'])('%j is refused with a remedy', given => {
    expect(() => normaliseBaseUrl(given)).toThrow(expect.objectContaining({ code: 'server_refused' }))
  })

  test('what was given is named in the words of whoever gave it', () => {
    const source = { address: '--base-url', key: '--api-key' }
    expect(() => normaliseBaseUrl('ftp://h', source)).toThrow(/^--base-url cannot be used/)
    expect(() => normaliseBaseUrl('ftp://h')).toThrow(/^BENCH_BASE_URL cannot be used/)
    expect(() => normaliseBaseUrl('http://u:p@h/v1', source)).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('--api-key') }),
    )
  })

  test('a password does not reach the message', () => {
    expect(() => normaliseBaseUrl('http://user:secret@h/v1')).not.toThrow(/secret/)
  })
})
