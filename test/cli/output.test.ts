import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { execPath } from 'node:process'
import { text } from 'node:stream/consumers'
import { setTimeout as later } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { filesBelow, temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = `${ROOT}bin/tiledb-inspect.js`
const DAMAGED = `${ROOT}examples/damaged/places`

const folder = temporaryFolder()
const array = `${folder}/places`
cpSync(`${ROOT}examples/arrays/places`, array, { recursive: true })
const other = `${folder}/weather`
cpSync(`${ROOT}examples/arrays/weather`, other, { recursive: true })
const [fragmentName] = fragmentNames(array)
const fragment = `${array}/__fragments/${fragmentName}`
const schema = `${array}/__schema/${readdirSync(`${array}/__schema`).find((name) => name.startsWith('__1'))}`

/** Every file of an array: its bytes must stay what they are. */
function contents(): string {
  const every = (path: string) =>
    Array.from(filesBelow(path, ''), ([name, bytes]) => `${name} ${Buffer.from(bytes).toString('base64')}`)
  return [array, other].flatMap(every).join('\n')
}
const before = contents()

function links(): Record<string, string> {
  const made = {
    toArray: `${folder}/to-array`,
    toFile: `${folder}/to-file.json`,
    hard: `${folder}/hard.json`,
    dangling: `${folder}/dangling.json`,
    toFolder: `${folder}/to-folder`,
  }
  symlinkSync('places', made.toArray)
  symlinkSync(schema, made.toFile)
  linkSync(schema, made.hard)
  symlinkSync(`${array}/new.json`, made.dangling)
  symlinkSync(`${array}/__fragments`, made.toFolder)
  return made
}
const { toArray, toFile, hard, dangling, toFolder } = links()
const member = `${folder}/linked-array`
cpSync(`${ROOT}examples/arrays/places`, member, { recursive: true })
const outside = `${folder}/elsewhere.json`
writeFileSync(outside, 'data that a link of the array leads to')
symlinkSync(outside, `${member}/__fragments/stray`)
/** A group as it is written today, and one as it was. */
const GROUPS = ['group', 'old-group']
const GROUP_OWN = ['__group', '__meta', '__schema', '__commits', '__fragments', '__fragment_meta', '__labels']
GROUP_OWN.push('__enumerations', '__tiledb_group.tdb')
mkdirSync(`${folder}/group/__group`, { recursive: true })
mkdirSync(`${folder}/group/__meta`)
mkdirSync(`${folder}/old-group`)
writeFileSync(`${folder}/old-group/__tiledb_group.tdb`, '')
const keyFile = `${folder}/key.txt`
writeFileSync(keyFile, 'k'.repeat(32))

describe('what is read is never written: exit 2', () => {
  test.each([
    ['the file itself', ['dump', schema, '-o', schema, '--json']],
    ['a data file of the array', ['check', array, '-o', `${fragment}/a0.tdb`, '--json']],
    ['a new name in the array', ['check', array, '-o', `${array}/report.json`]],
    ['a new name beside a file that is read', ['dump', schema, '-o', `${fragment}/report.json`]],
    ['a path with ..', ['ls', array, '-o', `${folder}/x/../places/report.json`]],
    ['a path through a link', ['ls', array, '-o', `${toArray}/report.json`]],
    ['a path through a link into the array', ['ls', array, '-o', `${toFolder}/report.json`]],
    ['the target is a link', ['ls', toArray, '-o', `${array}/report.json`]],
    ['a link to a file of it', ['ls', array, '-o', toFile]],
    ['a hard link to a file of it', ['ls', array, '-o', hard]],
    ['a link to a name in it where nothing is yet', ['ls', array, '-o', dangling]],
    ['a file that a link in it leads to', ['ls', member, '-o', outside]],
    ['the second of two', ['ls', other, array, '-o', `${array}/report.json`]],
    ['the second of diff', ['diff', other, array, '-o', `${array}/report.json`]],
    ['of an array that is not read', ['ls', other, '-o', `${array}/report.json`]],
    ['the key file', ['ls', array, '--key-file', keyFile, '-o', keyFile]],
    ['the schema of a sample', ['write-sample', `${folder}/s`, '--schema', keyFile, '-o', keyFile]],
    ['the data of a sample', ['write-sample', `${folder}/s`, '--data', keyFile, '-o', keyFile]],
    ['the sample itself', ['write-sample', `${folder}/s`, '-o', `${folder}/s`]],
    ['within the sample', ['write-sample', `${folder}/s`, '-o', `${folder}/s/x.json`]],
    ['stages', ['tile', fragment, 'lat', '0', '--stages', `${array}/stages/deep`]],
    ['stages through a link', ['tile', fragment, 'lat', '0', '--stages', `${toFolder}/stages`]],
    ['a drawing', ['rtree', array, '--svg', `${array}/boxes.svg`]],
    ['a drawing into the output', ['rtree', array, '--svg', `${folder}/b.svg`, '--json', '-o', `${folder}/b.svg`]],
    ['bytes', ['tile', fragment, 'lat', '0', '--bytes', '-o', `${fragment}/d0.tdb`]],
    ['a folder', ['ls', array, '-o', folder]],
    ...['__schema/x', '__commits/__1_1_00000000000000000000000000000001_22.wrt', '__fragments/x', 'x', 'deep/x'].map(
      (name): [string, string[]] => [`a sample: ${name} of an array`, ['write-sample', `${array}/${name}`]],
    ),
    ['a sample through a link', ['write-sample', `${toFolder}/x`]],
    ['a damaged sample', ['write-sample', `${array}/__schema/x`, '--damage', 'FILE_MISSING']],
    ['a sample in a file that is read', ['write-sample', `${folder}/b.svg`, '-o', `${folder}/b.svg`]],
    ...GROUPS.flatMap((group) => GROUP_OWN.map((name) => `${group}/${name}`)).flatMap((path): [string, string[]][] => [
      [`a sample: ${path}`, ['write-sample', `${folder}/${path}/x`]],
      [`output: ${path}`, ['ls', array, '-o', `${folder}/${path}/x.json`]],
      [`in the place of ${path}`, ['ls', array, '--json', '-o', `${folder}/${path}`]],
    ]),
  ])('%s', async (_, args) => {
    const files = readdirSync(folder).sort()
    const ran = await run(args)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(/^error: .*(expects a|found a folder).*\n$/)
    expect(contents()).toBe(before)
    expect(readdirSync(folder).sort()).toEqual(files)
    expect(readFileSync(outside, 'utf8')).toContain('data')
    expect(readFileSync(keyFile, 'utf8')).toBe('k'.repeat(32))
  })

  test('a stage that is a link to a file that is read', async () => {
    const stages = `${folder}/stages`
    mkdirSync(stages)
    symlinkSync(`${fragment}/d0.tdb`, `${stages}/00-stored.bin`)
    expect((await run(['tile', fragment, 'lat', '0', '--stages', stages])).code).toBe(2)
    expect(contents()).toBe(before)
    expect(readdirSync(stages)).toEqual(['00-stored.bin'])
  })

  test('names that only begin alike, and words that are no paths, are no targets', async () => {
    const near = `${folder}/places-report.json`
    expect((await run(['ls', array, '-o', near])).code).toBe(0)
    expect(JSON.parse(readFileSync(near, 'utf8')).kind).toBe('array')
    mkdirSync(`${folder}/in`)
    const { status } = spawnSync(execPath, [BIN, 'tile', array.concat('/__17'), 'lat', '0', '--bytes', '-o', 'lat'], {
      cwd: `${folder}/in`,
    })
    expect(status).toBe(0)
    expect(statSync(`${folder}/in/lat`).size).toBeGreaterThan(0)
  })
})

test('beside the members of a group there is room', async () => {
  for (const group of GROUPS) {
    expect((await run(['ls', array, '-o', `${folder}/${group}/out.json`])).code).toBe(0)
    expect((await run(['write-sample', `${folder}/${group}/member`])).code).toBe(0)
    expect((await run(['ls', `${folder}/${group}/member`])).code).toBe(0)
    // a name of TileDB's in a folder that is none of its
    mkdirSync(`${folder}/plain/__meta`, { recursive: true })
    expect((await run(['ls', array, '-o', `${folder}/plain/__meta/${group}.json`])).code).toBe(0)
  }
})

test('a sample where an array is names what is in the way', async () => {
  const ran = await run(['write-sample', array])
  expect(ran.code).toBe(2)
  expect(ran.stderr).toMatch(/expected a path where nothing is yet/)
})

describe('a file is whole or not there', () => {
  test('a run that fails leaves nothing, and the error document goes to stdout', async () => {
    const file = `${folder}/nothing.json`
    const ran = await run(['ls', `${folder}/nowhere`, '-o', file])
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.text).error.code).toBe('NOT_FOUND')
    expect(existsSync(file)).toBe(false)
  })

  test('what was there stays where a run fails', async () => {
    const file = `${folder}/kept.csv`
    writeFileSync(file, 'kept')
    const ran = await run(['decode', `${DAMAGED}/__17`, '-o', file])
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/note: .*kept\.csv is not written: it would be incomplete/)
    expect(readFileSync(file, 'utf8')).toBe('kept')
    expect(readdirSync(folder).filter((name) => name.includes('kept'))).toEqual(['kept.csv'])
  })

  test.each(['csv', 'tsv', 'ndjson', 'arrow', 'feather', 'arrows', 'txt'])(
    'cells that cannot be read make no %s, those that can do',
    async (extension) => {
      const file = `${folder}/cells.${extension}`
      await run(['decode', `${DAMAGED}/__17`, '-o', file, '--quiet'])
      expect(existsSync(file)).toBe(false)
      expect((await run(['decode', `${DAMAGED}/__17`, '-o', file, '--keep-going'])).code).toBe(1)
      expect(existsSync(file)).toBe(true)
    },
  )

  test('findings are a result', async () => {
    const file = `${folder}/findings.json`
    expect((await run(['check', DAMAGED, '-o', file])).code).toBe(1)
    expect(JSON.parse(readFileSync(file, 'utf8')).ok).toBe(false)
  })

  test.each(['csv', 'tsv', 'txt'])('of several targets one is not there: %s stays what it was', async (extension) => {
    const file = `${folder}/some.${extension}`
    writeFileSync(file, 'kept')
    for (const targets of [
      [array, `${folder}/nowhere`],
      [`${folder}/nowhere`, array],
    ]) {
      const ran = await run(['ls', ...targets, '-o', file])
      expect(ran.code).toBe(3)
      expect(ran.stderr).toMatch(/nowhere: no such file or folder\n/)
      expect(ran.stderr).toMatch(/note: .*some\.\w+ is not written: it would be incomplete/)
      expect(readFileSync(file, 'utf8')).toBe('kept')
    }
    expect((await run(['ls', array, other, '-o', file])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain(fragmentName)
  })

  test('JSON of several targets has an error document for the one that is not there', async () => {
    const file = `${folder}/some.json`
    writeFileSync(file, 'old')
    expect((await run(['ls', array, `${folder}/nowhere`, '-o', file])).code).toBe(3)
    const [first, second] = readFileSync(file, 'utf8').split(/^(?<=\}\n)(?=\{)/m)
    expect(JSON.parse(first).kind).toBe('array')
    expect(JSON.parse(second).error.code).toBe('NOT_FOUND')
  })

  test('of several targets those that are there are shown', async () => {
    const file = `${folder}/some.ndjson`
    writeFileSync(file, 'old')
    expect((await run(['ls', array, `${folder}/nowhere`, '-o', file])).code).toBe(3)
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    expect(JSON.parse(lines[0]).name).toBe(fragmentName)
    expect(JSON.parse(lines[1]).error.code).toBe('NOT_FOUND')
  })

  test('bytes of a damaged tile make no file', async () => {
    const file = `${folder}/tile.bin`
    expect((await run(['tile', `${DAMAGED}/__17`, 'lat', '0', '--bytes', '-o', file])).code).toBe(1)
    expect(existsSync(file)).toBe(false)
  })

  test('its mode stays, and so does the link to it', async () => {
    const file = `${folder}/mode.json`
    writeFileSync(file, 'old')
    chmodSync(file, 0o640)
    symlinkSync('mode.json', `${folder}/link.json`)
    expect((await run(['ls', array, '-o', `${folder}/link.json`])).code).toBe(0)
    expect(JSON.parse(readFileSync(file, 'utf8')).kind).toBe('array')
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(readlinkSync(`${folder}/link.json`)).toBe('mode.json')
  })

  test('a link that leads nowhere yet is followed', async () => {
    symlinkSync('made.json', `${folder}/forward.json`)
    expect((await run(['ls', array, '-o', `${folder}/forward.json`])).code).toBe(0)
    expect(JSON.parse(readFileSync(`${folder}/made.json`, 'utf8')).kind).toBe('array')
  })

  test('stages are all there or none', async () => {
    const stages = `${folder}/blocked`
    mkdirSync(`${stages}/02-after-ZSTD.bin`, { recursive: true })
    expect((await run(['tile', fragment, 'lat', '0', '--stages', stages])).code).toBe(2)
    expect(readdirSync(stages)).toEqual(['02-after-ZSTD.bin'])
  })

  test('- is stdout, a URL and an empty name are wrong', async () => {
    expect(JSON.parse((await run(['ls', array, '--json', '-o', '-'])).text).kind).toBe('array')
    for (const path of ['', 's3://bucket/x.json', 'https://example.org/x.json', 'ftp://x/y.json'])
      expect((await run(['ls', array, '--json', '-o', path])).code).toBe(2)
    expect((await run(['ls', array, '-o', `file://${folder}/url.json`])).code).toBe(0)
    expect(existsSync(`${folder}/url.json`)).toBe(true)
  })
})

test.each([
  ['write-sample', ['write-sample', 's3://bucket/x']],
  ['write-sample', ['write-sample', `file://${folder}/x`]],
  ['--to', ['recover', array, '--to', 'https://example.org/x']],
  ['--to', ['recover', array, '--to', `file://${folder}/x`]],
  ['--svg', ['rtree', array, '--svg', `file://${folder}/x.svg`]],
  ['--stages', ['tile', fragment, 'lat', '0', '--stages', 's3://bucket/x']],
])('%s: a URL is no place to write to, and not taken for a folder of that name', async (option, args) => {
  const { code, stderr } = await run(args)
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(`${option} expects a path (of this machine|without file://), found `),
  })
})

const built = existsSync(`${ROOT}dist/cli`) && process.platform !== 'win32' ? test : test.skip

describe('from outside', () => {
  /** More than is held in memory. */
  const many = Array.from({ length: 300 }, () => `${fragment}/__fragment_metadata.tdb`)

  built.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s leaves no file', async (signal) => {
    const place = `${folder}/${signal}`
    mkdirSync(place)
    writeFileSync(`${place}/out.json`, 'old')
    const child = spawn(execPath, [BIN, 'dump', ...many, '-o', `${place}/out.json`], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    while (readdirSync(place).length < 2 && child.exitCode === null) await later(5)
    child.kill(signal)
    expect(await ended).toEqual([null, signal])
    expect(readdirSync(place)).toEqual(['out.json'])
    expect(readFileSync(`${place}/out.json`, 'utf8')).toBe('old')
  })

  built('no space leaves no file', () => {
    const place = `${folder}/full`
    mkdirSync(place)
    const call = `ulimit -f 3000; "${execPath}" "${BIN}" dump ${many.slice(0, 20).join(' ')} -o "${place}/out.json"`
    const { status, stderr } = spawnSync('sh', ['-c', call], { encoding: 'utf8' })
    expect(status).toBe(3)
    expect(stderr).toMatch(/^error: .*out\.json: the system says: file too large \(EFBIG\)\n/)
    expect(readdirSync(place)).toEqual([])
  })

  built('a pipe, a device and stdout are written to as they are', async () => {
    const fifo = `${folder}/pipe`
    if (spawnSync('mkfifo', [fifo]).status === 0) {
      const reader = spawn('cat', [fifo], { stdio: ['ignore', 'pipe', 'inherit'] })
      const read = text(reader.stdout)
      expect((await run(['ls', array, '--json', '-o', fifo])).code).toBe(0)
      expect(JSON.parse(await read).kind).toBe('array')
      expect(statSync(fifo).isFIFO()).toBe(true)
    }
    expect((await run(['ls', array, '-o', '/dev/null'])).code).toBe(0)
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
    const { stdout } = spawnSync(execPath, [BIN, 'ls', array, '--json', '-o', '/dev/stdout'], { encoding: 'utf8' })
    expect(JSON.parse(stdout).kind).toBe('array')
    const redirected = `${folder}/redirected`
    spawnSync('sh', ['-c', `"${execPath}" "${BIN}" ls ${array} --json -o /dev/stdout > ${redirected}`])
    expect(JSON.parse(readFileSync(redirected, 'utf8')).kind).toBe('array')
  })

  built('a reader of a pipe that goes away ends it quietly', () => {
    const fifo = `${folder}/short`
    if (spawnSync('mkfifo', [fifo]).status !== 0) return
    const call = `head -c 10 ${fifo} >/dev/null & "${execPath}" "${BIN}" dump ${many.slice(0, 20).join(' ')} --json -o ${fifo}`
    const { stderr, status } = spawnSync('sh', ['-c', call], { encoding: 'utf8' })
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  })
})

describe('extensions', () => {
  test.each([
    ['json', /^\{\n {2}"kind"/],
    ['ndjson', /^\{"lat":/],
    ['jsonl', /^\{"lat":/],
    ['JSONL', /^\{"lat":/],
    ['csv', /^lat,lon/],
    ['tsv', /^lat\tlon[^\r]*\n/],
    ['arrow', /^ARROW1/],
    ['feather', /^ARROW1/],
    ['arrows', /^\ufffd{4}/],
    ['parquet', /^PAR1/],
    ['txt', /places/],
  ])('.%s means what it says', async (extension, expected) => {
    const file = `${folder}/decoded.${extension}`
    expect((await run(['decode', fragment, '-o', file])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toMatch(expected)
  })

  test.each(['xlsx', 'json.gz', 'html', 'svg', 'jsn'])('.%s is refused with those there are', async (one) => {
    const file = `${folder}/unknown.${one}`
    const ran = await run(['ls', array, '-o', file])
    expect(ran).toMatchObject({ code: 2, text: '' })
    expect(ran.stderr).toContain('.json, .ndjson, .jsonl, .csv, .tsv')
    expect(existsSync(file)).toBe(false)
    expect((await run(['ls', array, '--format', 'csv', '-o', file])).code).toBe(0)
  })

  test('a point in a folder is none, nor is one at the beginning', async () => {
    mkdirSync(`${folder}/v1.x`)
    expect((await run(['ls', array, '-o', `${folder}/v1.x/out`])).code).toBe(0)
    expect((await run(['ls', array, '-o', `${folder}/.out`])).code).toBe(0)
  })

  test('say nothing where a command has another output', async () => {
    expect((await run(['completion', 'fish', '-o', `${folder}/tiledb-inspect.fish`])).code).toBe(0)
    expect(readFileSync(`${folder}/tiledb-inspect.fish`, 'utf8')).toContain('complete -c tiledb-inspect')
    expect((await run(['tile', fragment, 'lat', '0', '--bytes', '-o', `${folder}/lat.f64`])).code).toBe(0)
    expect((await run(['rtree', array, '--svg', `${folder}/boxes.png`])).code).toBe(2)
    expect((await run(['rtree', array, '--svg', `${folder}/boxes.svg`])).code).toBe(0)
  })
})
