import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
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

  it('takes off for the seed, from the variable and the file', () => {
    expect(readSettings(undefined, 'f', { BENCH_SEED: 'off' }).seed).toBe('off')
    expect(readSettings({ seed: 'off' }, 'f', {}).seed).toBe('off')
    expect(readSettings({ seed: 7 }, 'f', {}).seed).toBe(7)
  })

  it('keeps what is of models out of what is of the run', () => {
    const settings = readSettings(undefined, 'f', { BENCH_API_KEY: 'secret', BENCH_MODEL: 'm' })
    expect(settings.models[0]).toMatchObject({ model: 'm', apiKey: 'secret' })
    expect(Object.keys(settings)).not.toContain('apiKey')
  })

  it.each([
    [{ BENCH_K: '0' }, /BENCH_K is "0"/, /whole number from 1/],
    [{ BENCH_K: '2.5' }, /BENCH_K is "2.5"/, /whole number/],
    [{ BENCH_SANDBOX: 'dokcer' }, /BENCH_SANDBOX/, /one of auto, docker, namespace,/],
    [{ BENCH_SEED: 'of' }, /BENCH_SEED/, /or off/],
    [{ BENCH_BASE_URL: 'localhost' }, /BENCH_BASE_URL/, /http/],
    [{ BENCH_EXTRA_BODY: '[1]' }, /BENCH_EXTRA_BODY/, /JSON object/],
    [{ BENCH_EARLY_STOP: 'maybe' }, /BENCH_EARLY_STOP/, /1 or 0/],
    [{ BENCH_TRIAL: '3' }, /BENCH_TRIAL is not one of/, /Did you mean "BENCH_TRIALS"/],
    [{ BENCH_TRIALS: '2' }, /fewer than k/, /BENCH_TRIALS/],
  ])('refuses %j and says what fits', (env, message, remedy) => {
    const error = refusal(undefined, env)
    expect(error.message).toMatch(message)
    expect(error.remedy).toMatch(remedy)
  })

  it('refuses an unknown setting of the file with a suggestion, and a value of the wrong type', () => {
    expect(refusal({ modell: 'x' }, {}).remedy).toContain('Did you mean "model"?')
    expect(refusal({ k: '3' }, {}).message).toContain('k in bench.config.ts is "3"')
    expect(refusal(3, {}).remedy).toContain('defineConfig')
  })

  it('never shows an API key', () => {
    expect(refusal(undefined, { BENCH_API_KEY: '   ' }).message).not.toContain('   ')
  })
})

it('the table of the README is the table of the settings (`-u` writes it)', async () => {
  const file = fileURLToPath(new URL('../../README.md', import.meta.url))
  const readme = readFileSync(file, 'utf8')
  const rows = SETTINGS.map(
    ({ name, variable, meaning, shown }) => `| \`${variable}\` | \`${name}\` | ${meaning} | ${shown} |\n`,
  )
  const written = readme.replace(
    /(?<=^\| variable \| setting \|.*\n\| --- .*\n)(?:\|.*\n)*?(\| `BENCH_MODEL` \| `models` .*\n)(?:\|.*\n)*/m,
    (_all, models: string) => [rows[0], models, ...rows.slice(1)].join(''),
  )
  for (const row of rows) expect(written).toContain(row)
  await expect(written).toMatchFileSnapshot(file)
})
