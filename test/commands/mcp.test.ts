import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { InnerCalls } from '../../src/calls/command.ts'
import { main } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { innerCalls } from '../../src/cli/inner-call.ts'
import { serverOf } from '../../src/commands/mcp.ts'
import { serve } from '../../src/commands/mcp-server.ts'
import { localFiles } from '../../src/node/file.ts'
import { run } from '../helpers/run.ts'

const ARRAYS = fileURLToPath(new URL('../../examples/arrays', import.meta.url))
const PLACES = `${ARRAYS}/places`
const KEY = '5'.repeat(64)

let inner: InnerCalls
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(`${tmpdir()}/mcp-`)
  const stdout = { write: () => {}, columns: undefined, color: false, isTTY: false }
  const env = { TILEDB_INSPECT_KEY: KEY, AWS_SECRET_ACCESS_KEY: 'a secret of the cloud' }
  inner = await innerCalls({ argv: [], env, stdout, stderr: () => {}, storage: localFiles }, main)
})

afterAll(() => rmSync(folder, { recursive: true }))

/** What the server answers to lines. */
async function dialogue(lines: readonly string[], roots: readonly string[] = []): Promise<Json[]> {
  const answers: Json[] = []
  async function* each(): AsyncGenerator<string> {
    yield* lines
  }
  await serve(serverOf(inner, roots), each(), (line) => {
    expect(line.endsWith('}\n')).toBe(true)
    answers.push(JSON.parse(line))
  })
  return answers
}

// biome-ignore lint/suspicious/noExplicitAny: messages of a protocol
type Json = any

const request = (id: number, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

async function call(
  name: string,
  args: object,
  roots: readonly string[] = [],
): Promise<{ text: string; isError: boolean }> {
  const [{ result }] = await dialogue([request(1, 'tools/call', { name, arguments: args })], roots)
  expect(Buffer.byteLength(result.content[0].text)).toBeLessThanOrEqual(16 * 1024)
  return { text: result.content[0].text, isError: result.isError }
}

const runs = (command: string, args: readonly string[], roots: readonly string[] = []) =>
  call('run', { command, arguments: args }, roots)

describe('the protocol', () => {
  test('begins with the version of the client, or the newest', async () => {
    for (const [asked, given] of [
      ['2025-06-18', '2025-06-18'],
      ['2099-01-01', '2025-11-25'],
    ]) {
      const [{ id, result }] = await dialogue([request(7, 'initialize', { protocolVersion: asked })])
      expect([id, result.protocolVersion, result.serverInfo.name]).toEqual([7, given, 'tiledb-inspect'])
    }
  })

  test('has three tools that only read', async () => {
    const [{ result }] = await dialogue([request(1, 'tools/list')])
    expect(result.tools.map(({ name }: Json) => name)).toEqual(['overview', 'find_call', 'run'])
    for (const { annotations, inputSchema } of result.tools) {
      expect(annotations.readOnlyHint).toBe(true)
      expect(Object.keys(inputSchema.properties)).toEqual(inputSchema.required)
    }
  })

  test('answers each request and no notification, and goes on after what is wrong', async () => {
    const lines = ['{"jsonrpc":"2.0","method":"notifications/initialized"}', 'no json', '[]', '', request(2, 'ping')]
    const answers = await dialogue([
      ...lines,
      request(3, 'resources/list'),
      request(4, 'tools/call', { name: 'write' }),
    ])
    expect(answers.map(({ id, error, result }) => [id, error?.code ?? result])).toEqual([
      [null, -32700],
      [null, -32600],
      [2, {}],
      [3, -32601],
      [4, -32602],
    ])
  })

  test('does not wait for a call before it answers another request, and answers calls in order', async () => {
    const asked = [1, 2].map((id) => request(id, 'tools/call', { name: 'overview', arguments: { target: PLACES } }))
    expect((await dialogue([...asked, request(3, 'ping')])).map(({ id }) => id)).toEqual([3, 1, 2])
  })
})

describe('the tools', () => {
  test('overview prints what the target alone prints', async () => {
    expect(await call('overview', { target: PLACES })).toEqual({ text: (await run([PLACES])).text, isError: false })
    expect(await call('overview', { target: `${folder}/nowhere` })).toMatchObject({ isError: true })
    expect(await call('overview', {})).toMatchObject({ isError: true, text: 'error: target expects a path or URL\n' })
  })

  test('find_call answers questions, and says which commands run does not take', async () => {
    expect((await call('find_call', { question: 'Why is my read slow?' })).text).toContain('explain places')
    expect((await call('find_call', { question: 'repair' })).text).toContain('run does not take recover')
    expect((await call('find_call', { question: 'xyzzy' })).text).toContain('no question or command has the word')
  })

  test('run prints what the command prints, with its notes and exit code', async () => {
    expect((await runs('ls', [PLACES, '--json'])).text).toBe((await run(['ls', PLACES, '--json'])).text)
    expect((await runs('read', ['--help'])).text).toContain('--where <condition>')
    const damaged = await runs('check', [`${ARRAYS}/../damaged/places`])
    expect(damaged.isError).toBe(false)
    expect(damaged.text).toMatch(/FILE_MISSING[\s\S]*\[exit code 1: damage or a difference was found\]\n$/)
    expect(await runs('check', [PLACES, '--level', 'deep'])).toMatchObject({ isError: true })
  })

  test('an answer is cut after a whole line, and says what is left out and what chooses less', async () => {
    const whole = (await run(['stats', PLACES, '--json'])).text
    const { text } = await runs('stats', [PLACES, '--json'])
    const [, shown = '', end = ''] = /^([\s\S]*\n)(\[left out: [\s\S]*)$/.exec(text) ?? []
    expect(whole.startsWith(shown)).toBe(true)
    expect(shown.length).toBeGreaterThan(10_000)
    const left = (whole.length - shown.length).toLocaleString('en-US')
    expect(end).toContain(`${left} bytes`)
    expect(end).toContain('--field')
  })

  test('a single line is cut inside, but no character is', async () => {
    writeFileSync(`${folder}/line.ndjson`, `${'é'.repeat(20_000)}\n`)
    const array = `${folder}/text`
    const fields = ['--sparse', '--dim', 'x:INT32:0..9:10', '--attr', 'a:STRING_UTF8']
    writeFileSync(`${folder}/rows.ndjson`, `${JSON.stringify({ x: 1, a: 'é'.repeat(20_000) })}\n`)
    expect((await run(['write-sample', array, ...fields, '--data', `${folder}/rows.ndjson`])).code).toBe(0)
    const { text } = await runs('read', [array, '--format', 'ndjson'])
    expect(text).not.toContain('\ufffd')
    expect(text).toContain('[left out: ')
  })
})

describe('what is refused', () => {
  test.each(['recover', 'write-sample', 'page', 'completion', 'mcp', 'help', 'nonsense'])(
    'the command %s',
    async (name) => {
      expect(await runs(name, [`${folder}/written`])).toMatchObject({ isError: true })
    },
  )

  test('every option of every command that names a file', async () => {
    let refused = 0
    for (const [name, { load }] of Object.entries(COMMANDS)) {
      if (!inner.commands.has(name)) continue
      const { command } = await load()
      const { Command } = await import('commander')
      const parser = new Command(name)
      command.configure(parser)
      const long = parser.options.filter(({ flags }) => /<(?:file|dir)>/.test(flags)).map((one) => `${one.long}`)
      const more = parser.registeredArguments.slice(1).map(() => '0')
      for (const option of [...long, '--output', '-o', '--key-file']) {
        const { text, isError } = await runs(name, [PLACES, ...more, option, `${folder}/written`])
        expect([name, option, isError, text.includes('is not taken here')]).toEqual([name, option, true, true])
        refused++
      }
    }
    expect(refused).toBeGreaterThan(60)
    expect(await runs('ls', [PLACES, `-o${folder}/written`])).toMatchObject({ isError: true })
    expect((await run(['ls', `${folder}/written`])).code).toBe(3)
  })

  test('targets outside the roots, also by links and by parent folders', async () => {
    cpSync(PLACES, `${folder}/root/places`, { recursive: true })
    symlinkSync(PLACES, `${folder}/root/link`)
    const roots = [`${folder}/root`]
    expect((await call('overview', { target: `${folder}/root/places` }, roots)).isError).toBe(false)
    for (const target of [
      PLACES,
      `${folder}/root/link`,
      `${folder}/root/../root2`,
      folder,
      's3://bucket/array',
      'https://host/array',
    ]) {
      const { text, isError } = await runs('ls', [target], roots)
      expect([target, isError, text.startsWith('error: expected a target in ')]).toEqual([target, true, true])
    }
    // What lies inside by name only is not there.
    const listed = await runs('ls', ['--recursive', `${folder}/root`], roots)
    expect(listed.text).not.toContain('link')
    expect(await runs('check', [`${folder}/root/places`, '--jobs', '2'], roots)).toMatchObject({ isError: true })
    expect(await runs('dump', ['/proc/self/environ'])).toMatchObject({ isError: true })
  })

  test('keys: none is taken, and none is printed', async () => {
    const { text, isError } = await runs('ls', [PLACES, '--key', KEY])
    expect([isError, text.includes(KEY)]).toEqual([true, false])
    expect(await runs('ls', [PLACES, '--key', KEY, '--nonsense'])).toMatchObject({ isError: true })
    writeFileSync(`${folder}/secrets`, `${KEY} a secret of the cloud\n`)
    const array = `${folder}/encrypted`
    expect((await run(['write-sample', array, '--key', KEY])).code).toBe(0)
    expect((await call('overview', { target: array })).isError).toBe(false)
    const metadata = `${folder}/keyed`
    const put = ['--metadata', `stolen=${JSON.stringify(`${KEY} a secret of the cloud`)}`]
    expect((await run(['write-sample', metadata, ...put])).code).toBe(0)
    expect((await runs('metadata', [metadata, '--json'])).text).toContain('… …')
  })
})
