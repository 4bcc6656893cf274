import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, openSync } from 'node:fs'
import { execPath } from 'node:process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { ClosedPipe, InspectError } from '../../src/base/errors.ts'
import { main } from '../../src/cli/cli.ts'
import { localFiles } from '../../src/node/file.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = `${ROOT}bin/tiledb-inspect.js`
const PLACES = 'examples/arrays/places'
const DAMAGED = 'examples/damaged/places'

/** Runs the program with an output that fails at the given write, counted from 0. */
async function runInto(args: readonly string[], failure: Error, at: number): Promise<{ code: number; stderr: string }> {
  let stderr = ''
  let writes = 0
  const code = await main({
    argv: args,
    env: {},
    stdout: {
      write() {
        if (writes++ >= at) throw failure
      },
      columns: undefined,
      color: false,
      isTTY: false,
    },
    stderr: (text) => {
      stderr += text
    },
    storage: localFiles,
  })
  return { code, stderr }
}

describe('a full disk', () => {
  const full = new InspectError('IO', 'no space left to write', { file: 'standard output' })
  test.each(['table', 'json', 'ndjson', 'csv'])('is no damage: %s', async (format) => {
    expect(await runInto(['ls', PLACES, '--format', format], full, 0)).toEqual({
      code: 3,
      stderr: 'error: standard output: no space left to write\n',
    })
  })

  const there = existsSync('/dev/full') && existsSync(`${ROOT}dist/cli`) ? test : test.skip
  there('is told as the system tells it', () => {
    const { status, stderr } = spawnSync('sh', ['-c', `"${execPath}" "${BIN}" ls --json ${PLACES} >/dev/full`], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 3, stderr: 'error: standard output: no space left to write\n' })
  })
})

describe('a file that cannot grow', () => {
  const to = `${temporaryFolder()}/new`
  const there = existsSync(`${ROOT}dist/cli`) ? test : test.skip

  there('is no damage of what recover writes', () => {
    // In KiB: less than the metadata, which recover copies, and more than any file before it.
    const call = `ulimit -f 4; exec '${execPath}' '${BIN}' recover examples/arrays/places --to '${to}'`
    const { status, stderr } = spawnSync('bash', ['-c', call], { cwd: ROOT, encoding: 'utf8' })
    expect(stderr).toMatch(/^error: .*__fragment_metadata\.tdb: the system says: file too large \(EFBIG\)\n$/)
    expect([status, existsSync(to)]).toEqual([3, false])
  })
})

describe('a pipe that does not block', () => {
  const folder = temporaryFolder()
  const fifo = `${folder}/pipe`
  const noPipes = spawnSync('mkfifo', [fifo]).status !== 0
  const there = existsSync(`${ROOT}dist/cli`) && !noPipes ? test : test.skip

  there('takes all, however slowly it is read', async () => {
    const args = ['dump', '--json', 'examples/arrays/places/__17']
    const { stdout: expected } = spawnSync(execPath, [BIN, ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 })
    // More than a pipe holds.
    expect(expected.length).toBeGreaterThan(4 * 65536)
    const reader = spawn('sh', ['-c', `sleep 0.3; cat '${fifo}'`], { stdio: ['ignore', 'pipe', 'inherit'] })
    const read = text(reader.stdout)
    const writing = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
    const writer = spawn(execPath, [BIN, ...args], { stdio: ['ignore', writing, 'inherit'] })
    closeSync(writing)
    const [status] = await once(writer, 'exit')
    expect(status).toBe(0)
    expect(await read).toBe(expected)
  })
})

describe('stderr that does not block', () => {
  const folder = temporaryFolder()
  const fifo = `${folder}/pipe`
  const noPipes = spawnSync('mkfifo', [fifo]).status !== 0
  const there = existsSync(`${ROOT}dist/cli`) && !noPipes ? test : test.skip

  there('takes every line, however late it is read', async () => {
    const paths = Array.from({ length: 700 }, (_, i) => `there-is-no-such-folder-${'x'.repeat(200)}-${i}`)
    const reader = spawn('sh', ['-c', `sleep 1; cat '${fifo}'`], { stdio: ['ignore', 'pipe', 'inherit'] })
    const read = text(reader.stdout)
    const writing = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
    const writer = spawn(execPath, [BIN, 'ls', ...paths], { stdio: ['ignore', 'ignore', writing] })
    closeSync(writing)
    const [status] = await once(writer, 'exit')
    expect(status).toBe(3)
    const lines = (await read).split('\n').slice(0, -1)
    expect(lines).toHaveLength(paths.length)
    expect(lines.join('').length).toBeGreaterThan(2 * 65_536)
  })
})

describe('a reader that goes away', () => {
  test('hides no damage that was found', async () => {
    expect(await runInto(['verify-checksums', DAMAGED], new ClosedPipe(), 1)).toEqual({ code: 1, stderr: '' })
    expect(await runInto(['verify-checksums', PLACES], new ClosedPipe(), 1)).toEqual({ code: 0, stderr: '' })
  })

  test('ends help quietly', async () => {
    expect(await runInto(['--help'], new ClosedPipe(), 0)).toEqual({ code: 0, stderr: '' })
  })

  test('keeps the exit code of an error in its JSON document', async () => {
    const stderr = expect.stringMatching(/^error: /)
    expect(await runInto(['ls', '--bogus', '--json'], new ClosedPipe(), 0)).toEqual({ code: 2, stderr })
    expect(await runInto(['ls', 'nowhere', '--json'], new ClosedPipe(), 0)).toEqual({ code: 3, stderr })
  })
})

describe('an error in the middle of a document', () => {
  test('of one fragment leaves the others: it is listed behind the cells', async () => {
    const broken = new EditedArray('22/evolved_sparse')
    broken.cut(broken.find(/__1795261514174.*\/__fragment_metadata\.tdb$/), 100)
    const { code, text, stderr } = await run(['decode', '--all-fragments', EDITED, '--json'], {
      storage: broken.storage(),
    })
    const document = JSON.parse(text)
    expect(code).toBe(1)
    expect(document.cells).toHaveLength(20)
    expect(Object.keys(document).at(-1)).toBe('errors')
    expect(stderr).toContain(document.errors[0].message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('that ends the cells stands last: it is JSON still', async () => {
    const { code, text, stderr } = await run(['decode', '--all-fragments', PLACES, '--field', 'nobody', '--json'])
    const document = JSON.parse(text)
    expect(code).toBe(2)
    expect(Object.keys(document).at(-1)).toBe('error')
    expect(stderr).toContain(document.error.message)
  })

  test('fields that cannot be read are listed behind the cells, one whose file is gone once', async () => {
    const { code, text } = await run(['decode', `${DAMAGED}/__17`, '--json', '--field', 'population'])
    const document = JSON.parse(text)
    expect(code).toBe(1)
    expect(document.cells.length).toBeGreaterThan(0)
    const fields = document.errors.map(({ field }: { field: string }) => field)
    expect(fields).toEqual([expect.stringMatching(/^lat, tile 0, /), 'population'])
  })
})
