import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get, parseJson } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const ARRAY = `${FIXTURES}/22/encrypted`
const [FRAGMENT_NAME] = fragmentNames(ARRAY)
const FRAGMENT = `${ARRAY}/__fragments/${FRAGMENT_NAME}`
const KEY = String(get(parseJson(readFileSync(`${ARRAY}.expected.json`, 'utf8')), 'key'))
const HEX = Buffer.from(KEY).toString('hex')
const BASE64 = Buffer.from(KEY).toString('base64')
const WRONG = 'x'.repeat(32)

const folder = temporaryFolder()

function keyFile(name: string, content: string | Uint8Array): string {
  writeFileSync(`${folder}/${name}`, content)
  return `${folder}/${name}`
}

describe('a key opens an encrypted array', () => {
  test.each([
    ['32 characters', KEY],
    ['64 hex digits', HEX],
    ['64 hex digits, large ones', HEX.toUpperCase()],
    ['base64', BASE64],
    ['base64 without its end', BASE64.replace(/=+$/, '')],
    ['base64 with a newline', `${BASE64}\n`],
  ])('as %s', async (_, key) => {
    const want = (await run(['decode', '--key', KEY, FRAGMENT, '--format', 'ndjson'])).text
    expect(want).toContain('\n')
    const file = keyFile('key', key)
    for (const args of [
      ['--key', key],
      ['--key-file', file],
    ]) {
      expect(await run(['decode', ...args, FRAGMENT, '--format', 'ndjson'])).toMatchObject({
        code: 0,
        text: want,
        stderr: '',
      })
    }
    const ran = await run(['decode', FRAGMENT, '--format', 'ndjson'], { env: { TILEDB_INSPECT_KEY: key } })
    expect(ran).toMatchObject({ code: 0, text: want })
  })

  test('in a file of 32 raw bytes, with a newline behind them or not', async () => {
    for (const end of ['', '\n', '\r\n']) {
      expect((await run(['ls', '--key-file', keyFile('raw', `${KEY}${end}`), ARRAY])).code).toBe(0)
    }
  })

  test('from the option sooner than from the environment', async () => {
    expect((await run(['ls', '--key', KEY, ARRAY], { env: { TILEDB_INSPECT_KEY: WRONG } })).code).toBe(0)
    expect((await run(['ls', '--key', WRONG, ARRAY], { env: { TILEDB_INSPECT_KEY: KEY } })).code).toBe(3)
  })

  test('and is no trouble where nothing is encrypted', async () => {
    expect(await run(['ls', '--key', KEY, `${FIXTURES}/22/sparse_basic`])).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('without its key an encrypted array', () => {
  test.each(['ls', 'schema', 'footer', 'rtree', 'verify-checksums'])(
    'is not examined by %s: exit 3',
    async (command) => {
      const ran = await run([command, ARRAY])
      expect(ran.code).toBe(3)
      expect(ran.stderr).toMatch(/^error: .*--key/)
    },
  )

  test('says so in JSON', async () => {
    const ran = await runJson(['schema', ARRAY])
    expect(ran.documents).toMatchObject([{ error: { code: 'KEY_NEEDED' } }])
  })
})

describe('a wrong key', () => {
  test.each(['ls', 'schema', 'footer', 'rtree', 'verify-checksums'])(
    'is no damage: %s gives exit 3',
    async (command) => {
      const ran = await run([command, '--key', WRONG, ARRAY])
      expect(ran.code).toBe(3)
      expect(ran.stderr).toMatch(/key is wrong/)
    },
  )

  test('is never printed', async () => {
    const secret = 'S3cret-that-is-33-characters-long'
    const ran = await run(['ls', '--key', secret, ARRAY])
    expect(ran.code).toBe(2)
    expect(ran.text + ran.stderr).not.toContain(secret)
    const wrong = await runJson(['schema', '--key', WRONG, ARRAY])
    expect(wrong.documents).toMatchObject([{ error: { code: 'WRONG_KEY' } }])
    expect(wrong.text + wrong.stderr).not.toContain(WRONG)
  })

  test('and damage are told apart by what the key does open', async () => {
    const damaged = `${folder}/damaged`
    cpSync(ARRAY, damaged, { recursive: true })
    const file = `${damaged}/__fragments/${FRAGMENT_NAME}/a0.tdb`
    const bytes = readFileSync(file)
    bytes[bytes.length - 1] ^= 1
    writeFileSync(file, bytes)
    const ran = await run(['decode', '--key', KEY, `${damaged}/__fragments/${FRAGMENT_NAME}`])
    expect(ran.code).toBe(1)
    expect((await run(['verify-checksums', '--key', KEY, damaged])).code).toBe(1)
  })
})

describe('a key file', () => {
  test('that is not there is not examined: exit 3', async () => {
    expect((await run(['ls', '--key-file', `${folder}/missing`, ARRAY])).code).toBe(3)
  })

  test('that holds no key is wrong usage: exit 2', async () => {
    for (const content of ['', '\n', 'short', HEX.slice(1), `${HEX}00`]) {
      expect((await run(['ls', '--key-file', keyFile('bad', content), ARRAY])).code).toBe(2)
    }
  })
})
