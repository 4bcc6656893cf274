import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import process, { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { PagedOutput } from '../../src/node/pager.ts'
import { pauseForEvents } from '../../src/node/pause.ts'
import { progressText } from '../../src/render/progress.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { Meter } from '../../src/storage/metered.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { spawned } from '../helpers/spawned.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PLACES = 'examples/arrays/places'
const folder = temporaryFolder()

test('the line says what is done of how much, with rate and time left, as far as it fits', () => {
  const checking = { what: 'checking' }
  const MiB = 2 ** 20
  expect(progressText(checking, 300 * MiB, 1200 * MiB, 2, 100)).toBe(
    'checking: 300.0 MiB of 1.2 GiB (25 %), 150.0 MiB/s, 6 s left',
  )
  expect(progressText(checking, 300 * MiB, 1200 * MiB, 2, 40)).toBe('checking: 300.0 MiB of 1.2 GiB (25 %)')
  expect(progressText(checking, 300 * MiB, 1200 * MiB, 2, 20)).toBe('checking: 300.0 MiB ')
  expect(progressText(checking, 300 * MiB, undefined, 2, 100)).toBe('checking: 300.0 MiB, 150.0 MiB/s')
  // More than was expected: how much there is, is not known any more.
  expect(progressText(checking, 3 * MiB, 2 * MiB, 2, 100)).toBe('checking: 3.0 MiB, 1.5 MiB/s')
  expect(progressText({ what: 'reading', unit: 'tiles' }, 3, 1200, 2, 100)).toBe(
    'reading: 3 of 1,200 tiles (0 %), 1.5/s, 13 min left',
  )
  // A step that is not yet done is a part of all of them.
  expect(progressText({ what: 'writing', unit: 'steps' }, 1.75, 4, 7, 100)).toBe(
    'writing: 1 of 4 steps (43 %), 0.25/s, 9 s left',
  )
  expect(progressText({ what: 'trying', unit: 'bytes' }, 0, 2048, 0.1, 100)).toBe('trying: 0 B of 2.0 KiB (0 %)')
})

test('bytes that are read twice count once, and skipped bytes count as soon as what follows them is read', async () => {
  const meter = new Meter()
  const file = meter.metered(new MemoryStorage(new Map([['/a', new Uint8Array(100)]]))).open('/a')
  for (const [offset, bytes] of [
    [0, 10],
    [0, 10],
    [5, 20],
    [90, 100],
  ]) {
    await file.read(offset, Math.min(10, 100 - offset))
    expect(meter.bytes).toBe(bytes === 20 ? 15 : bytes)
  }
  meter.restart()
  expect(meter.bytes).toBe(0)
  // A storage has the optional methods of the one below it, and no others.
  expect(meter.metered(localFiles).readEnd).toBe(localFiles.readEnd)
  expect(meter.metered(new MemoryStorage(new Map())).readEnd).toBeUndefined()
})

test('the line changes neither the settings of the terminal nor its cursor', () => {
  const script = `
    import { ProgressLine } from './src/render/progress.ts'
    process.stdin.setRawMode = () => console.error('RAW')
    process.stdin.isTTY = true
    const line = new ProgressLine({ color: false, meter: { bytes: 0, restart() {} } })
    // The program lives until the line was drawn twice.
    const latest = setTimeout(() => line.end(), 20_000)
    const write = process.stderr.write.bind(process.stderr)
    let drawn = 0
    process.stderr.write = (text, ...more) => {
      if (String(text).includes('tiles') && ++drawn === 2) {
        clearTimeout(latest)
        setTimeout(() => line.end(), 10)
      }
      return write(text, ...more)
    }
    line.start()
    const progress = line.begin({ what: 'reading', unit: 'tiles', total: async () => 2 })
    progress.update(1)`
  const args = ['--import', './test/fuzz/register.mjs', '--no-warnings', '--input-type=module', '-e', script]
  const { status, stderr } = spawnSync(execPath, args, { cwd: ROOT, encoding: 'utf8', input: '' })
  expect(status).toBe(0)
  expect(stderr).toContain('reading: 1 of 2 tiles (50 %)')
  expect(stderr).not.toContain('RAW')
  expect(stderr).not.toContain('\u001b[?25')
})

test('work that waits for nothing lets the event loop turn', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await pauseForEvents()
  for (const end = performance.now() + 10_000; performance.now() < end && turns < 2; ) await pauseForEvents()
  clearInterval(timer)
  expect(turns).toBeGreaterThan(1)
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s in the midst of small reads leaves no output file, and ends the program',
  async (signal) => {
    const array = `${folder}/small`
    if (!existsSync(array))
      await run(['write-sample', array, '--cells', '40000', '--fragments', '40', '--capacity', '100'])
    const place = `${folder}/${signal}`
    mkdirSync(place)
    const { child, ended } = spawned([
      'decode',
      '--all-fragments',
      ...Array(1).fill(array),
      '-o',
      `${place}/cells.ndjson`,
    ])
    while (child.exitCode === null && readdirSync(place).length === 0) await new Promise((done) => setTimeout(done, 5))
    child.kill(signal)
    expect(await ended).toEqual([null, signal])
    expect(readdirSync(place)).toEqual([])
  },
)

test('output that does not fill the screen is shown without a pager, which gets all of it once there is more', async () => {
  const file = `${folder}/paged`
  const shown: string[] = []
  const output = new PagedOutput(
    { command: `cat > '${file}'`, rows: 5, columns: 80 },
    (data) => void shown.push(String(data)),
    () => {},
  )
  await output.write('1\n')
  while (shown.length === 0) await new Promise((done) => setTimeout(done, 10))
  expect(shown).toEqual(['1\n'])
  expect(existsSync(file)).toBe(false)
  await output.write('2\n3\n4\n5\n')
  await output.end()
  // What was shown is taken back.
  expect(shown).toEqual(['1\n', '\u001b[1F\u001b[J'])
  expect(readFileSync(file, 'utf8')).toBe('1\n2\n3\n4\n5\n')
})

test('what a killed run has left beside an output is named; what a running one writes is not', async () => {
  const place = `${folder}/left`
  mkdirSync(place)
  // A number that no process has.
  const dead = `.cells.csv.${(2 ** 31 - 2).toString(36)}-mikm1l3k-0.part`
  const running = `.cells.csv.${process.pid.toString(36)}-mikm1l3k-0.part`
  for (const name of [dead, running, '.cells.csv.part', '.cells.csv']) writeFileSync(`${place}/${name}`, '')
  const { code, stderr } = await run(['read', PLACES, '-o', `${place}/cells.csv`])
  expect(code).toBe(0)
  expect(stderr).toBe(
    `note: ${place}/${dead} was left by a run that was killed. Nothing reads it, and it can be removed\n`,
  )
})

test('too many open files are told once, as what they are', async () => {
  const storage = {
    ...localFiles,
    open: (path: string) => {
      const source = localFiles.open(path)
      const read = async (): Promise<never> => {
        throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
      }
      return path.endsWith('_metadata.tdb')
        ? source
        : { name: path, size: () => source.size(), read, close: async () => {} }
    },
  }
  const { code, stderr } = await run(['decode', `${PLACES}/__1714`], { storage })
  expect(code).toBe(3)
  expect(stderr).toBe('error: too many files are open: ulimit -n 4096 raises the limit for the commands of a shell\n')
})

const isBuilt = existsSync(`${ROOT}dist/cli`) && process.platform === 'linux'
;(isBuilt ? test : test.skip)('paths that are not UTF-8 can be given', () => {
  const call = `
    array="$(printf '%s/pl\\377ces' '${folder}')"; cp -R ${PLACES} "$array"
    program="$PWD/bin/tiledb-inspect.js"
    "${execPath}" "$program" read "$array" --limit 1 -o "$(printf '%s/\\376.csv' '${folder}')" || exit 9
    wc -l < "$(printf '%s/\\376.csv' '${folder}')"
    "${execPath}" "$program" recover "$array" --to "$(printf '%s/new\\377' '${folder}')" > /dev/null || exit 9
    cd "$array" && "${execPath}" "$program" ls --names . | wc -l`
  const { status, stdout, stderr } = spawnSync('sh', ['-c', call], { cwd: ROOT, encoding: 'utf8' })
  expect({ status, stdout: stdout.replace(/ /g, ''), stderr }).toEqual({ status: 0, stdout: '2\n1\n', stderr: '' })
})
