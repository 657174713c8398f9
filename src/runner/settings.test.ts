import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../errors.ts'
import { readSettings, SETTINGS } from './settings.ts'

function refusal(config: unknown, env: Record<string, string>): ConfigError {
  try {
    readSettings(config, 'bench.config.ts', env)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('readSettings', () => {
  it('has the defaults of the public contract', () => {
    expect(readSettings(undefined, 'bench.config.ts', {})).toMatchObject({
      models: [{ model: null, baseUrl: null, apiKey: null, extraBody: null, labels: {}, isUnlisted: false }],
      k: 3,
      trials: 3,
      sandbox: 'auto',
      resultsDir: 'results',
      temperature: null,
      seed: 42,
      requestTimeout: 600,
    })
  })

  it('lets a variable override the file, and an empty variable count as not set', () => {
    const settings = readSettings({ k: 5, model: 'a' }, 'bench.config.ts', { BENCH_K: '2', BENCH_MODEL: '' })
    expect(settings).toMatchObject({ k: 2, trials: 2, models: [{ model: 'a' }] })
  })

  it('reads JSON for the extra body', () => {
    const settings = readSettings(undefined, 'f', { BENCH_EXTRA_BODY: '{"top_k": 20}' })
    expect(settings.models[0]?.extraBody).toEqual({ top_k: 20 })
  })

  it.each([
    [{ BENCH_K: '0' }, /BENCH_K is "0"/, /whole number from 1/],
    [{ BENCH_K: 'abc' }, /BENCH_K is "abc"/, /whole number from 1/],
    [{ BENCH_K: '2.5' }, /BENCH_K is "2.5"/, /whole number/],
    [{ BENCH_SANDBOX: 'dokcer' }, /BENCH_SANDBOX/, /auto, docker, namespace, emulated/],
    [{ BENCH_BASE_URL: 'localhost' }, /BENCH_BASE_URL/, /http/],
    [{ BENCH_EXTRA_BODY: '[1]' }, /BENCH_EXTRA_BODY/, /JSON object/],
    [{ BENCH_EARLY_STOP: 'maybe' }, /BENCH_EARLY_STOP/, /1 or 0/],
    [{ BENCH_TRIAL: '3' }, /BENCH_TRIAL is not one of/, /Did you mean BENCH_TRIALS/],
    [{ BENCH_TRIALS: '2' }, /fewer than k/, /BENCH_TRIALS/],
  ])('refuses %j and says what fits', (env, message, remedy) => {
    const error = refusal(undefined, env)
    expect(error.message).toMatch(message)
    expect(error.remedy).toMatch(remedy)
  })

  it('refuses an unknown setting of the file with a suggestion, and a value of the wrong type', () => {
    expect(refusal({ modle: 'x' }, {}).remedy).toContain('Did you mean model?')
    expect(refusal({ k: '3' }, {}).message).toContain('k in bench.config.ts is "3"')
    expect(refusal(3, {}).remedy).toContain('defineConfig')
  })

  it('never shows an API key', () => {
    expect(refusal(undefined, { BENCH_API_KEY: '   ' }).message).not.toContain('   ')
  })
})

it('every setting and variable is in the table of the README', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  for (const { name, variable } of SETTINGS) {
    expect(readme).toContain(`\`${variable}\``)
    expect(readme).toContain(`\`${name}\``)
  }
})
