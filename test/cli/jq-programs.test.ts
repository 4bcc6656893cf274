import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { raw } from 'jq-wasm'
import { DOCUMENT_KEYS } from '../../src/cli/document-keys.ts'
import { JQ_PROGRAMS } from '../../src/cli/jq-programs.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { quickTrials } from '../helpers/quick-trials.ts'
import { run } from '../helpers/run.ts'
import { DOCUMENTS_OF, PRINTED_BY } from '../schemas/printed-by.ts'

quickTrials()

const PLACES = 'examples/arrays/places'
const WEATHER = 'examples/arrays/weather'
const DAMAGED = 'examples/damaged/places'
const DELETES = 'test/fixtures/22/deletes'
const VACUUM = 'test/fixtures/22/dense_vacuum_left'
const [NAME] = readdirSync(`${PLACES}/__fragments`)
const FRAGMENT = `${PLACES}/__fragments/${NAME}`
const folder = temporaryFolder()

/** What a program prints of a call: the first lines, and the value of NAME in it. */
interface Case {
  args: readonly string[]
  name?: string
  first: readonly string[]
}

const CASES: Readonly<Record<string, Case>> = {
  'overview .opens': { args: [PLACES], first: ['true'] },
  'overview .cell_num': { args: [PLACES], first: ['40'] },
  'overview .format_version': { args: [PLACES], first: ['22'] },
  'ls .fragments[].name': { args: [PLACES], first: [NAME] },
  'ls .fragments[]|[.name,.state]|@tsv': { args: [PLACES], first: [`${NAME}\tlive`] },
  'ls ..|select(.state?=="to-vacuum").name': {
    args: [VACUUM],
    first: ['__10_10_02625bad9919597d6c054f99724f352d_22', '__20_20_1f6d3356797730641c5bc26b12a17341_22'],
  },
  'ls [.read.size,.unread.size]|@tsv': { args: [PLACES], first: ['11426\t0'] },
  'ls .fragments[].cells_in_domain': { args: [PLACES], first: ['40'] },
  'ls [.fragments[].timestamp_range[1]]|max': { args: [PLACES], first: ['1714557600000'] },
  'ls .members[]|[.name,.type,.uri]|@tsv': {
    args: ['examples/arrays/blood'],
    first: ['ms\tgroup\tms', 'obs\tarray\tobs'],
  },
  'schema .dimensions[]|[.name,.type]|@tsv': { args: [PLACES], first: ['lat\tFLOAT64', 'lon\tFLOAT64'] },
  'schema .attributes[]|[.name,.type]|@tsv': { args: [PLACES], first: ['name\tSTRING_UTF8', 'population\tUINT32'] },
  'schema .attributes[].filters.filters[].name': { args: [WEATHER], first: ['BYTESHUFFLE', 'ZSTD'] },
  'commits .commits[].condition//empty': { args: [DELETES], first: ['a < 20'] },
  'metadata .metadata.NAME.value': { args: [WEATHER], name: 'year', first: ['2024'] },
  'metadata .metadata|keys[]': { args: [WEATHER], first: ['missing_share', 'source'] },
  'metadata --all .versions[]|[.key,.deleted]|@tsv': { args: [WEATHER], first: ['__np_flat_missing_share\ttrue'] },
  'read .cells[]': {
    args: [WEATHER, '--field', 'rain_mm', '--limit', '2'],
    first: ['{"station":0,"day":1,"rain_mm":5}'],
  },
  'read .cells[].NAME': { args: [WEATHER, '--limit', '2'], name: 'rain_mm', first: ['5', '9'] },
  'read .cells|length': { args: [PLACES], first: ['40'] },
  'history .versions[]|[.written,.state]|@tsv': {
    args: [WEATHER, '--cell', 'station=1,day=7'],
    first: ['2024-05-01T10:00:00.000Z\tcurrent'],
  },
  'history .versions[].values': {
    args: [WEATHER, '--cell', 'station=1,day=7'],
    first: ['{"temperature":-4.1,"rain_mm":3,"sky":"snow"}'],
  },
  'decode .cells[]': { args: [FRAGMENT, '--field', 'lat', '--limit', '1'], first: ['{"lat":-34.6,"lon":-58.38}'] },
  'explain .total.requests': { args: [WEATHER], first: ['15'] },
  'explain .total.vfs_bytes': { args: [WEATHER], first: ['7841'] },
  'explain .total.seconds': { args: [WEATHER], first: ['0.270133'] },
  'explain .total.tiles_read': { args: [WEATHER], first: ['24'] },
  'explain .result_size.cell_num': { args: [WEATHER], first: ['726'] },
  'explain .fragments[]|[.name,.tiles_touched]|@tsv': { args: [PLACES], first: [`${NAME}\t5`] },
  'stats .fields[]|[.name,.size]|@tsv': { args: [WEATHER], first: ['temperature\t3163', 'rain_mm\t1532'] },
  'stats --read .fields[]|[.name,.min,.max]|@tsv': {
    args: [WEATHER],
    first: ['temperature\t-12.8\t22.1', 'rain_mm\t0\t42'],
  },
  'stats --read [.deletes[].removed_cell_num]|add': { args: [DELETES], first: ['7'] },
  'stats --read .groups[]|[.value,.cell_num]|@tsv': { args: [WEATHER, '--by', 'station'], first: ['0\t121'] },
  'whatif .fields[]|[.name,.stored.bytes]|@tsv': { args: [PLACES, '--field', 'lat'], first: ['lat\t1110'] },
  'check .ok': { args: [DAMAGED], first: ['false'] },
  'check .findings[]|[.severity,.code,.file]|@tsv': {
    args: [DAMAGED],
    first: [`error\tFILE_MISSING\t${DAMAGED}/__fragments/${NAME}/a1_validity.tdb`],
  },
  'check --plan .plans[].lost[]': {
    args: [DAMAGED],
    first: ['founded of 16 cells (tiles 3..4 of 5, lat 4.71..69.65, lon -157.86..30.52)'],
  },
  'why .delete': { args: [`${PLACES}/__commits`], first: ['no'] },
  'recover .cells_lost': { args: [PLACES, '--to', `${folder}/recovered`], first: ['0'] },
  'verify-checksums .unprotected_files[]': { args: [PLACES], first: [`${FRAGMENT}/a0.tdb`] },
  'diff .equal': { args: [PLACES, PLACES], first: ['true'] },
  'diff .differences[].path': { args: [PLACES, WEATHER], first: ['array.total_size'] },
  'footer .nonempty_domain': { args: [FRAGMENT], first: ['[[-37.81,69.65],[-157.86,174.76]]'] },
  'rtree .levels[-1][]': { args: [FRAGMENT], first: ['[[-34.93,-0.18],[-78.47,138.6]]'] },
  'tiles .tiles[]|[.tile,.cell_num]|@tsv': { args: [FRAGMENT], first: ['0\t8', '1\t8'] },
  'tiles .tiles[].fields[]|[.name,.min,.max]|@tsv': {
    args: [FRAGMENT],
    first: ['name\t\t', 'population\t2817000\t11450000'],
  },
  'tile .chunks[].stages[].filter': { args: [FRAGMENT, 'lat', '0'], first: ['CHECKSUM_SHA256', 'ZSTD'] },
  'dump .children[]|[.name,.offset,.length]|@tsv': {
    args: [`${FRAGMENT}/__fragment_metadata.tdb`, '--depth', '1'],
    first: ['rtree\t0\t242'],
  },
  'at .chain[-1].name': { args: [`${FRAGMENT}/__fragment_metadata.tdb`, '0'], first: ['format_version'] },
  'at --cell .cells[].places[]|[.file,.offset]|@tsv': {
    args: [PLACES, 'lat=-0.18,lon=-78.47'],
    first: ['a0.tdb\t36', 'a0_var.tdb\t92'],
  },
  'write-sample .cell_num': { args: [`${folder}/sample`], first: ['1000'] },
}

/** The words of a call: options stand after the target, as one of them takes a value. */
function wordsOf(call: string, args: readonly string[]): string[] {
  const [command, ...options] = call.split(' ')
  const [target, ...more] = args
  return [command, target, ...options, ...more, '--json']
}

describe('the programs of help json', () => {
  /** What each program prints, by call and program. */
  const printed = new Map<string, string[]>()

  beforeAll(async () => {
    const texts: string[] = []
    for (const [call, , program] of JQ_PROGRAMS)
      texts.push((await run(wordsOf(call, CASES[`${call} ${program}`].args))).text)
    // A call of jq takes long in a test, and longer for long documents, so one call runs all programs on short ones.
    const programs = JQ_PROGRAMS.map(([call, , program], i) => {
      const named = program.replace('NAME', CASES[`${call} ${program}`].name ?? 'NAME')
      return `(.[${i}]|[${named}|if type=="string" then . else tojson end])`
    })
    const lines = (await raw(`[${texts.join()}]`, programs.join(','), ['-c'])).split('\n')
    for (const [i, [call, , program]] of JQ_PROGRAMS.entries()) printed.set(`${call} ${program}`, JSON.parse(lines[i]))
  }, 120_000)

  test.each(JQ_PROGRAMS)('%s: %s: %s', (call, _, program) => {
    const key = `${call} ${program}`
    expect(printed.get(key)?.slice(0, CASES[key].first.length)).toEqual(CASES[key].first)
  })

  test('are 25 or more, of every command with documents', () => {
    expect(JQ_PROGRAMS.length).toBeGreaterThanOrEqual(25)
    expect([...new Set(JQ_PROGRAMS.map(([call]) => call.split(' ')[0]))].sort()).toEqual(Object.keys(PRINTED_BY).sort())
    expect(Object.keys(CASES).sort()).toEqual(JQ_PROGRAMS.map(([call, , program]) => `${call} ${program}`).sort())
  })

  test.each(['json', 'jq', 'keys', 'JSON'])('are printed by help %s, in 80 columns', async (word) => {
    const { code, text } = await run(['help', word])
    expect(code).toBe(0)
    for (const [, , program] of JQ_PROGRAMS) expect(text).toContain(`  ${program}\n`)
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('are chosen by a command, or a word', async () => {
    const { text } = await run(['help', 'json', 'vacuum'])
    expect(text).toContain('\nls  waiting for vacuum  ..|select(.state?=="to-vacuum").name\n')
    expect(text.match(/\n\n(.*\n)\n/)).not.toBeNull()
    expect((await run(['help', 'jq', 'history'])).text).not.toContain('explain')
    // Words that no program has are answered by questions.
    expect((await run(['help', 'json', 'pandas'])).text).toContain('How do I get it into pandas')
  })
})

describe('the help of a command names the top keys of its documents', () => {
  let helps: Readonly<Record<string, string>> = {}
  beforeAll(async () => {
    const all = Object.keys(DOCUMENTS_OF).map(async (name) => [name, (await run([name, '--help'])).text] as const)
    helps = Object.fromEntries(await Promise.all(all))
  })

  test.each(Object.keys(DOCUMENTS_OF))('%s', (name) => {
    const text = helps[name].replaceAll(/\s+/g, ' ')
    expect(DOCUMENT_KEYS[name].length).toBeGreaterThan(0)
    const documents = DOCUMENT_KEYS[name].split('\n')
    for (const one of documents)
      expect(text).toContain(documents.length === 1 ? `Document: keys ${one.split(': ')[1]}` : one)
  })

  test('as their schemas have them', () => {
    expect(helps.explain).toMatch(/\n {2}Document: keys [^.]*\btotal\b/)
    expect(helps.history).toMatch(/\n {2}Document: keys [^.]*\bversions\b/)
    expect(helps.ls).toMatch(/\n {2}array: [^:]*\bfragments\b/)
    expect(helps.ls).toMatch(/\n {2}group: [^:]*\bmembers\b/)
  })
})
