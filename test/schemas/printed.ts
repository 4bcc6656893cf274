import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import process, { chdir, cwd } from 'node:process'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { COMMANDS } from '../../src/cli/commands.ts'
import { u64Bytes } from '../../src/damage/bytes.ts'
import { arraySchema } from '../../src/format/array-schema.ts'
import { NEWEST_FORMAT_VERSION } from '../../src/format/format-version.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import type { FixtureFolder } from '../helpers/fixtures.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { arraysOf, unpackWorkspace } from '../helpers/genomicsdb.ts'
import { type RunOptions, run } from '../helpers/run.ts'
import { words } from '../helpers/sessions.ts'
import { firstOf } from '../helpers/turn.ts'
import { dataset, writeFiles } from '../layers/parts.ts'
import { climate, raster, store } from '../layers/specs.ts'

/** One thing that the program printed. */
export interface Printed {
  /** The call, and which of its documents or lines. */
  what: string
  /** File of the schema, and in NDJSON of several lines the part of it: `tiles.json#/$defs/line`. */
  schema: string
  value: unknown
}

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))
const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))
const KEY = "a key for tiledb-inspect's tests"

const SCHEMAS = fileURLToPath(new URL('../../schemas', import.meta.url))
/** Kinds of which NDJSON has the elements of a list, one a line. */
const LINES = new Set(
  readdirSync(SCHEMAS)
    .filter((file) => 'line' in (JSON.parse(readFileSync(`${SCHEMAS}/${file}`, 'utf8')).$defs ?? {}))
    .map((file) => file.slice(0, -'.json'.length)),
)
/** Damages that show what sound arrays do not have. */
const DAMAGES = [
  ...['COMMIT_UNREADABLE', 'FOOTER_UNREADABLE', 'FOOTER_SLACK', 'CHUNK_UNREADABLE', 'TILE_TRAILING_BYTES'],
  ...['SCHEMA_FILTER_COMPRESSOR', 'SCHEMA_FILTER_OPTIONS', 'ENUMERATION_VALUES', 'SCHEMA_UNREADABLE', 'CELL_VALIDITY'],
]

function fragmentsOf(array: string): string[] {
  const folder = existsSync(`${array}/__fragments`) ? `${array}/__fragments` : array
  return readdirSync(folder)
    .map((name) => `${folder}/${name}`)
    .filter((path) => existsSync(`${path}/__fragment_metadata.tdb`))
}

async function* json(args: readonly string[], options: RunOptions = {}): AsyncGenerator<Printed> {
  const { text } = await run([...args, '--json', '--quiet'], options)
  const what = args.join(' ').replaceAll(`${FIXTURES}/`, '')
  for (const document of text.split(/(?<=^\}\n)(?=\{)/m)) {
    if (document.trim() === '') continue
    const value: unknown = JSON.parse(document)
    yield { what, schema: `${kindOf(value)}.json`, value }
  }
}

async function* ndjson(kind: string, args: readonly string[]): AsyncGenerator<Printed> {
  const { text } = await run([...args, '--format', 'ndjson', '--quiet'])
  for (const [i, line] of text.split('\n').slice(0, -1).entries()) {
    const value: unknown = JSON.parse(line)
    const schema = LINES.has(kind) ? `${kind}.json#/$defs/line` : `${kindOf(value)}.json`
    yield { what: `${args.join(' ')}, line ${i}`, schema, value }
  }
}

/** The kind of a document; an error has none. */
function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return 'error'
  return 'kind' in value ? String(value.kind) : 'error'
}

/** What commands print of fixtures. */
export async function* printedOfFixtures(folders: readonly FixtureFolder[]): AsyncGenerator<Printed> {
  for (const { path, kind, key } of folders) {
    const keyed = key === undefined ? [] : ['--key', key]
    for (const command of ['ls', 'metadata']) yield* json([command, path, ...keyed])
    if (kind === 'array') yield* ofArray(path, keyed)
  }
}

/** What every command prints of chosen arrays, and of damage. @param folder where samples may be written */
export async function* printed(folder: string): AsyncGenerator<Printed> {
  yield* ofExamples(`${folder}/examples`)
  yield* ofSelected()
  yield* atOtherTimes()
  yield* histories()
  yield* ofManyFragments(`${folder}/many`)
  yield* whys()
  yield* whatifs()
  yield* recovered(folder)
  yield* datasets(`${folder}/swept/dataset`)
  yield* ofDamage(folder)
  yield* written(folder)
  yield* asLines(`${folder}/lines`)
  yield* ofGenomicsdb(`${folder}/genomicsdb`)
  yield* ofWorkspaces(`${folder}/workspaces`)
  yield* otherwise(folder)
}

/** What the examples in the help of every command print, as documents and as lines: so no command's documents are forgotten. */
async function* ofExamples(folder: string): AsyncGenerator<Printed> {
  for (const name of ['places', 'weather'])
    cpSync(`${EXAMPLES}/arrays/${name}`, `${folder}/${name}`, { recursive: true })
  const before = cwd()
  chdir(folder)
  const kinds = new Set<string>()
  const twice = new Set<string>()
  for (const { load } of Object.values(COMMANDS)) {
    const module = (await load()).command
    const parser = new Command()
    module.configure(parser)
    const isForSeveral = parser.registeredArguments[0]?.variadic === true
    const examples = module.examples.map(([, call]) => call.replace(/ --(?:json|format \S+)/, ''))
    for (const call of new Set(examples)) {
      const args = words(call)
      for await (const one of json(args)) {
        yield one
        const kind = kindOf(one.value)
        const ofLines = kind === 'read' ? 'cells' : kind
        if (!kinds.has(kind)) yield* ndjson(ofLines, args)
        kinds.add(kind)
        // Lines about several targets have the path of each.
        const [command, target, ...options] = args
        const isOfOne = isForSeveral && LINES.has(ofLines) && !options.some((one) => !one.startsWith('-'))
        if (isOfOne && !twice.has(kind)) yield* ndjson(ofLines, [command, target, target, ...options])
        if (isOfOne) twice.add(kind)
      }
    }
  }
  chdir(before)
}

async function* ofArray(path: string, keyed: readonly string[]): AsyncGenerator<Printed> {
  for (const command of ['footer', 'rtree', 'tiles', 'commits', 'stats']) yield* json([command, path, ...keyed])
  yield* json(['schema', '--all', path, ...keyed])
  const [fragment] = fragmentsOf(path)
  if (fragment === undefined) return
  for (const command of ['ls', 'metadata']) yield* json([command, fragment, ...keyed])
  yield* json(['decode', '--limit', '20', fragment, ...keyed])
  yield* json(['read', '--limit', '20', '--provenance', path, ...keyed])
  for (const options of [[], ['--exact'], ['--remedies']]) yield* json(['explain', path, ...options, ...keyed])
}

async function* atOtherTimes(): AsyncGenerator<Printed> {
  const array = `${FIXTURES}/22/deletes`
  for (const command of ['ls', 'stats', 'schema', 'metadata', 'rtree', 'tiles'])
    yield* json([command, array, '--as-of', '15'])
  yield* json(['rtree', '--range', 'x=1..9', array, '--as-of', '15'])
  yield* json(['ls', '--names', array, '--between', '11..'])
  for (const path of [...fragmentsOf(array), `${FIXTURES}/22/group`]) yield* json(['ls', path, '--between', '11..19'])
}

/** What is advised. @param array is made, of copies of a fragment */
async function* ofManyFragments(array: string): AsyncGenerator<Printed> {
  cpSync(`${FIXTURES}/22/sparse_basic`, array, { recursive: true })
  const [name] = fragmentNames(array)
  for (let i = 0; i < 24; i++) {
    const copy = name.replace(/_[0-9a-f]{32}_/, `_${String(i).padStart(32, '0')}_`)
    cpSync(`${array}/__fragments/${name}`, `${array}/__fragments/${copy}`, { recursive: true })
    cpSync(`${array}/__commits/${name}.wrt`, `${array}/__commits/${copy}.wrt`)
  }
  yield* json(['explain', array, '--range', 'x=3'])
  // The copies have one time.
  yield* json(['read', array, '--limit', '2'])
  yield* json(['read', array, '--limit', '2', '--sort-by', 'a:desc'])
  yield* json(['history', array, '--range', 'x=0..9'])
  yield* json(['stats', '--read', array])
  yield* json(['stats', '--read', '--fragments', array])
  yield* json(['check', '--plan', '--level', 'structure', array])
}

/** Arrays of GenomicsDB: of both schema versions, with bytes after a book-keeping, and with a damaged tile. */
/** What the commands on whole workspaces print: of sound ones, of one whose import died, and of one with damage. */
async function* ofWorkspaces(folder: string): AsyncGenerator<Printed> {
  for (const name of ['301', '303']) {
    const workspace = unpackWorkspace(name, folder)
    const [array = ''] = arraysOf(workspace)
    for (const command of ['overview', 'stats', 'read', 'check']) yield* json([command, workspace])
    yield* json(['overview', array])
    for (const args of [[workspace], [workspace, '--samples'], [array]]) yield* json(['ls', ...args])
    yield* ndjson('genomicsdb-workspace', ['ls', workspace])
    yield* ndjson('genomicsdb-array', ['ls', array])
    yield* ndjson('genomicsdb-calls', ['read', workspace, '--provenance', '--limit', '3'])
    yield* json(['verify-checksums', workspace])
    yield* json(['recover', workspace, '--to', `${folder}/${name}.whole`])
    const fragment = readdirSync(array).find((one) => one.startsWith('__') && !one.includes('.')) ?? ''
    for (const command of ['overview', 'ls']) yield* json([command, `${array}/${fragment}`])
    yield* ndjson('genomicsdb-fragment', ['ls', `${array}/${fragment}`])
    writeFileSync(`${workspace}/callset.json.fragmentlist`, 'another')
    for (const args of [['overview'], ['check', '--plan']]) yield* json([...args, workspace])
    for (const file of ['__book_keeping.tdb.gz', 'REF_var.tdb'])
      writeFileSync(`${array}/${fragment}/${file}`, 'damaged')
    for (const args of [['overview'], ['stats'], ['ls'], ['read', '--keep-going']]) yield* json([...args, workspace])
    for (const command of ['ls', 'read']) yield* json([command, array])
    yield* json(['ls', `${array}/${fragment}`])
    rmSync(`${workspace}/callset.json`)
    yield* json(['overview', workspace])
    yield* ndjson('genomicsdb-workspace', ['ls', workspace, workspace])
    yield* ndjson('genomicsdb-array', ['ls', array, array])
    yield* ndjson('genomicsdb-fragment', ['ls', `${array}/${fragment}`, `${array}/${fragment}`])
    yield* ndjson('genomicsdb-workspace', ['ls', '--samples', workspace, workspace])
  }
}

async function* ofGenomicsdb(folder: string): AsyncGenerator<Printed> {
  for (const name of ['301', '302', '303']) {
    const [array] = arraysOf(unpackWorkspace(name, folder))
    for (const command of ['schema', 'footer', 'rtree', 'tiles']) yield* json([command, array])
    yield* ndjson('tiles', ['tiles', array])
    const fragment = `${array}/${readdirSync(array).find((one) => one.startsWith('__') && !one.includes('.'))}`
    yield* json(['decode', '--limit', '2', fragment])
    yield* json(['tile', fragment, 'REF'])
    yield* json(['dump', array])
    yield* json(['dump', fragment])
    yield* json(['at', `${fragment}/END.tdb`, '3'])
    appendFileSync(`${fragment}/__book_keeping.tdb.gz`, 'more')
    yield* json(['footer', fragment])
    appendFileSync(`${fragment}/REF_var.tdb`, 'more')
    yield* json(['tile', fragment, 'REF'])
    writeFileSync(`${fragment}/REF_var.tdb`, new Uint8Array(200))
    yield* json(['tile', fragment, 'REF'])
  }
}

/** Versions of cells in every state, with all that may hide them. */
async function* histories(): AsyncGenerator<Printed> {
  for (const [name, range] of Object.entries({
    deletes_consolidated: 'x=16..',
    vacuum_left: 'x=3',
    evolved_sparse: 'x=10..12',
    dense_vacuum_left: 'x=0',
    sparse_consolidated: 'x=0',
  })) {
    const call = ['history', `${FIXTURES}/22/${name}`, '--range', range]
    for (const times of [[], ['--as-of', '12'], ['--between', '12..14']]) yield* json([...call, ...times])
    yield* ndjson('history', call)
  }
  yield* json(['history', `${EXAMPLES}/arrays/weather`, '--cell', 'station=1,day=7', '--as-of', '2024-01-01'])
  yield* json(['history', `${EXAMPLES}/damaged/failed_write`, '--range', 'x=..'])
  yield* json(['history', `${FIXTURES}/22/deletes_purged`, '--cell', 'x=15,y=15'])
}

/** Filters tried, those that TileDB refuses among them. */
async function* whatifs(): AsyncGenerator<Printed> {
  const weather = `${EXAMPLES}/arrays/weather`
  yield* json(['whatif', weather, '--tile-extent', 'day=100'])
  yield* json(['whatif', weather, '--filters', 'dictionary', '--filters', 'scale-float:scale=3'])
}

/** A fragment of each outcome, with all that may be left out. */
async function* recovered(folder: string): AsyncGenerator<Printed> {
  const array = `${folder}/damaged`
  cpSync(`${FIXTURES}/22/commits_consolidated`, array, { recursive: true })
  const [first, second, third] = fragmentsOf(array)
  rmSync(`${first}/__fragment_metadata.tdb`)
  writeFileSync(`${second}/a0.tdb`, new Uint8Array(100))
  rmSync(third, { recursive: true })
  yield* json(['recover', array, '--drop-damaged', '--to', `${folder}/recovered`])
  yield* json(['recover', '--relocate', `${FIXTURES}/22/group`, '--to', `${folder}/relocated`])
  // The fragment that replaced others is lost: a vacuum would delete the only copies of the cells.
  const unreplaced = `${folder}/unreplaced`
  cpSync(`${FIXTURES}/22/vacuum_left`, unreplaced, { recursive: true })
  for (const fragment of fragmentsOf(unreplaced).filter((path) => path.includes('/__10_30_')))
    rmSync(fragment, { recursive: true })
  yield* json(['stats', unreplaced])
  // A changed cell, which the statistics contradict.
  const changed = `${folder}/changed`
  cpSync(`${FIXTURES}/22/filter_none`, changed, { recursive: true })
  const file = `${fragmentsOf(changed)[0]}/a0.tdb`
  const bytes = readFileSync(file)
  bytes[bytes.length - 4] ^= 1
  writeFileSync(file, bytes)
  yield* json(['recover', changed, '--to', `${folder}/changed.new`])
  yield* json(['recover', `${FIXTURES}/22/rtree_levels`, '--to', `${folder}/copied`])
  yield* json(['write-sample', `${folder}/contradicted`, '--damage', 'COORDINATE_MBR'])
  yield* json(['recover', `${folder}/contradicted`, '--to', `${folder}/contradicted.new`])
  await run(['write-sample', `${folder}/unlisted`, '--damage', 'ENUMERATION_UNREADABLE'])
  yield* json(['recover', `${folder}/unlisted`, '--to', `${folder}/unlisted.new`])
}

/** A group with an array twice, and one that lacks bytes. */
async function* datasets(folder: string): AsyncGenerator<Printed> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/__tiledb_group.tdb`, '')
  cpSync(`${FIXTURES}/22/sparse_basic`, `${folder}/a`, { recursive: true })
  cpSync(`${FIXTURES}/22/sparse_basic`, `${folder}/short`, { recursive: true })
  writeFileSync(`${fragmentsOf(`${folder}/short`)[0]}/d0.tdb`, '')
  symlinkSync('a', `${folder}/b`)
  for (const args of [['ls'], ['stats'], ['stats', '--as-of', '2020-01-01'], []]) yield* json([...args, folder])
  yield* asDataset(`${EXAMPLES}/arrays`)
  const experiment = `${EXAMPLES}/arrays/blood`
  const values = `${experiment}/ms/RNA/X/data`
  yield* json(['why', `${values}/__schema`])
  yield* json(['explain', values])
  yield* json(['history', values, '--cell', 'soma_dim_0=0,soma_dim_1=0'])
  yield* ndjson('group', ['ls', experiment])
  for (const args of [['ls'], []]) yield* json([...args, experiment])
  yield* json([`${experiment}/obs`])
  const plain = `${folder}.plain`
  writeFiles(await dataset(store()), plain)
  yield* json(['ls', plain])
  // Their layers tell which way is up in their pictures.
  for (const [name, spec] of Object.entries({
    raster: raster(4),
    climate: { ...climate(), keys: { Conventions: 'CF-1.8' } },
  })) {
    writeFiles(await dataset(spec), `${folder}.${name}`)
    yield* json([`${folder}.${name}`])
  }
  const unlisted = `${folder}.unlisted`
  cpSync(`${FIXTURES}/22/group`, `${unlisted}/group`, { recursive: true })
  cpSync(`${FIXTURES}/22/sparse_basic`, `${unlisted}/group/unlisted`, { recursive: true })
  yield* json(['ls', '--recursive', unlisted])
  yield* ndjson('dataset', ['ls', '--recursive', unlisted])
  yield* json([`${FIXTURES}/22/dimension_labels`])
  yield* sweeps(folder)
}

/** Sweeps, and what two of them have not in common. */
async function* sweeps(folder: string): AsyncGenerator<Printed> {
  yield* json(['ls', '--recursive', '--depth', '1', EXAMPLES])
  cpSync(`${EXAMPLES}/arrays/places`, `${folder}/../garbled`, { recursive: true })
  const [schema] = readdirSync(`${folder}/../garbled/__schema`)
  writeFileSync(`${folder}/../garbled/__schema/${schema}`, 'x')
  for (const args of [['ls'], ['check', '--shard', '1/1'], ['stats', '--as-of', '2040-01-01']])
    for (const path of [EXAMPLES, `${folder}/..`]) yield* json([...args, '--recursive', path])
  yield* json(['ls', '--recursive', `${FIXTURES}/groups`])
  yield* ndjson('dataset', ['check', '--recursive', EXAMPLES])
  const whole = ['--resume', `${folder}.ndjson`, '--shard', '1/1', '--as-of', '2040-01-01']
  yield* ndjson('dataset', ['stats', '--recursive', ...whole, EXAMPLES])
  const [some, all] = [`${folder}.some.ndjson`, `${folder}.all.ndjson`]
  yield* json(['stats', '--recursive', '--resume', all, EXAMPLES])
  await run(['ls', '--recursive', '--exclude', 'arrays', EXAMPLES, '-o', some])
  yield* json(['diff', some, all])
  yield* ndjson('sweep-diff', ['diff', all, some])
  const values = ['stats', '--read', '--values', `${EXAMPLES}/arrays/places`]
  yield* json(['stats', '--read', '--by', 'sky', '--field', 'rain_mm', `${EXAMPLES}/arrays/weather`])
  for (const option of [[], ['--memory', '48K', '--field', 'lat']]) yield* json([...values, ...option])
  const copies = [`${EXAMPLES}/arrays/places`, `${EXAMPLES}/damaged/places`]
  yield* json(['diff', '--files', ...copies])
  yield* ndjson('file-diff', ['diff', '--files', ...copies])
  const ignore = ['--ignore', 'FILE_MISSING', copies[1]]
  for (const option of [[], ['--plan']]) yield* json(['check', ...option, ...ignore])
  yield* ndjson('check', ['check', ...ignore])
  yield* json(['check', '--recursive', '--ignore', 'FILE_MISSING', EXAMPLES])
  yield* ndjson('dataset', ['check', '--recursive', '--ignore', 'FILE_MISSING', EXAMPLES])
}

/** A plain folder of arrays. */
async function* asDataset(path: string): AsyncGenerator<Printed> {
  yield* json(['ls', '--recursive', path])
  yield* json(['ls', '--as-of', '2040-01-01', path])
}

/** What parts of arrays and groups are for: with every kind of loss. */
async function* whys(): AsyncGenerator<Printed> {
  const footers = `${FIXTURES}/22/dense_fragment_metadata_consolidated/__fragment_meta`
  for (const one of readdirSync(footers)) yield* json(['why', `${footers}/${one}`])
  const removed = `${FIXTURES}/removed`
  for (const [name, parts] of Object.entries({
    dense_consolidated: ['__fragments', '__commits'],
    consolidated_duplicates: ['', '__commits', '__schema'],
    metadata: ['__meta'],
    group: ['__group', 'inner'],
  })) {
    for (const part of parts) {
      const folder = part === '' ? `${removed}/${name}` : `${removed}/${name}/${part}`
      yield* json(['why', folder])
      for (const one of readdirSync(folder)) yield* json(['why', `${folder}/${one}`])
    }
  }
}

/** What takes longer, of a few arrays. */
async function* ofSelected(): AsyncGenerator<Printed> {
  const filters = ['filter_zstd', 'filter_rle', 'filter_bit_width_reduction', 'filter_positive_delta', 'filter_strings']
  const filtered = ['string_filters', 'filter_chunks', 'encrypted', 'filter_md5', 'filter_sha256', ...filters]
  for (const name of firstOf(filtered, 4)) {
    const [fragment] = fragmentsOf(`${FIXTURES}/22/${name}`)
    for (const file of readdirSync(fragment).filter((one) => !one.startsWith('__')))
      yield* json(['tile', fragment, file, '--key', KEY])
  }
  const checked = ['1/sparse_2d_row', '22/group', '22/encrypted', '4/sparse_basic', '9/dense_basic', '22/filter_md5']
  for (const name of firstOf(checked, 3)) {
    const path = `${FIXTURES}/${name}`
    for (const command of ['check', 'verify-checksums']) yield* json([command, path, '--key', KEY, '--shard', '1/1'])
  }
  const dumped = ['1/sparse_2d_row', '22/type_multi_value', '22/encrypted', '4/sparse_basic', '23/sparse_2d_row']
  for (const name of firstOf(dumped, 2)) {
    const [fragment] = fragmentsOf(`${FIXTURES}/${name}`)
    yield* json(['dump', fragment, '--key', KEY])
    for (const file of readdirSync(fragment)) yield* json(['dump', `${fragment}/${file}`, '--depth', '3', '--key', KEY])
  }
  // The examples in help have others of these.
  for (const array of firstOf([`${EXAMPLES}/arrays/places`, `${EXAMPLES}/arrays/weather`], 0)) {
    const [fragment] = fragmentsOf(array)
    yield* json(['check', '--level', 'cells', array])
    yield* json(['dump', fragment, '--depth', '4'])
    for (const file of readdirSync(fragment).slice(0, 2)) yield* json(['at', `${fragment}/${file}`, '100'])
  }
  const [plain] = fragmentsOf(`${FIXTURES}/22/filter_none`)
  for (const offset of ['4', '20']) yield* json(['at', `${plain}/__fragment_metadata.tdb`, offset, '--no-flips'])
  yield* json(['at', `${plain}/a1.tdb`, '40'])
  const dense = `${FIXTURES}/22/dense_basic`
  const [fragment] = fragmentsOf(dense)
  yield* json(['stats', fragment])
  for (const command of ['footer', 'metadata', 'rtree']) yield* json([command, '--hex', '--depth', '2', fragment])
  yield* json(['at', ...(await someCell())])
  // Of an array, with the state of the version and the fragments of others.
  yield* json(['at', `${FIXTURES}/22/deletes`, '--cell', 'x=4,y=19'])
  yield* json(['diff', dense, dense, '--cells'])
  for (const name of ['dropped', 'readded'])
    for (const call of [['schema', '--all'], ['stats']]) yield* json([...call, `${FIXTURES}/labels/${name}`])
  for (const name of ['metadata', 'group']) yield* json(['metadata', '--all', `${FIXTURES}/22/${name}`])
  for (const name of ['duplicates', 'deletes', 'enumerations', 'type_numbers_dense', 'evolved_sparse'])
    yield* json(['stats', '--read', `${FIXTURES}/22/${name}`])
  // Months without a cell.
  const dates = `${FIXTURES}/22/type_datetimes`
  const { text } = await run(['schema', dates, '--json'])
  const days = JSON.parse(text).attributes.find(({ type }: { type: string }) => type === 'DATETIME_DAY')
  yield* json(['stats', '--read', '--by', `${days.name}:month`, dates])
  yield* json(['overview', `${FIXTURES}/22/dense_basic`])
  yield* json(['diff', '--read', `${FIXTURES}/22/deletes`, `${FIXTURES}/22/deletes`, '--as-of', '10', '--as-of', '20'])
  const pair = ['sparse_2d_row_row', 'sparse_2d_row_col'].map((name) => `${FIXTURES}/22/${name}`)
  yield* json(['diff', '--cells', ...pair])
  // Cells of this one are out of order in their file.
  const unordered = `${FIXTURES}/8/hilbert_consolidated`
  yield* json(['diff', '--read', unordered, unordered])
  yield* json(['diff', ...pair.map((path) => `${fragmentsOf(path)[0]}/__fragment_metadata.tdb`)])
}

/** A fragment, and `--cell` with the coordinates of its first. */
async function someCell(): Promise<string[]> {
  const [fragment] = fragmentsOf(`${FIXTURES}/22/dense_basic`)
  const { text } = await run(['decode', '--limit', '1', '--format', 'ndjson', fragment])
  const [[x, first], [y, second]] = Object.entries<unknown>(JSON.parse(text))
  return [fragment, '--cell', `${x}=${first},${y}=${second}`]
}

/** Damage that lies about, and damage that is made for it. */
async function* ofDamage(folder: string): AsyncGenerator<Printed> {
  const unnamed = `${folder}/no enumerations`
  cpSync(`${FIXTURES}/22/enumerations`, unnamed, { recursive: true })
  rmSync(`${unnamed}/__schema/__enumerations`, { recursive: true })
  yield* json(['schema', '--all', unnamed])
  const stray = `${folder}/stray`
  cpSync(`${FIXTURES}/22/dense_basic`, stray, { recursive: true })
  writeFileSync(`${stray}/__fragments/junk.tmp`, '')
  yield* json(['ls', stray])
  for (const name of ['places', 'places/__17', 'places/__17/a2.tdb', 'failed_write'])
    yield* json(['overview', `${EXAMPLES}/damaged/${name}`])
  for (const name of ['22/encrypted', '22/vacuum_left', '22/vacuum_left/__30_30', '22/group', 'groups/invalid'])
    yield* json(['overview', `${FIXTURES}/${name}`])
  for (const name of ['22/vacuum_left', '22/vacuum_left/__30_30', '22/group'])
    yield* json(['overview', `${FIXTURES}/${name}`, '--as-of', '20'])
  const arrays = [`${EXAMPLES}/damaged/places`, `${EXAMPLES}/damaged/failed_write`]
  yield* json(['write-sample', '--damage', 'list'])
  for (const damage of DAMAGES) {
    arrays.push(`${folder}/${damage}`)
    yield* json(['write-sample', `${folder}/${damage}`, '--damage', damage])
  }
  for (const array of arrays) {
    for (const command of ['ls', 'footer', 'commits', 'tiles']) yield* json([command, array])
    for (const command of ['stats', 'schema']) yield* json([command, '--all', array])
    yield* json(['check', '--all', '--level', 'cells', array])
    yield* json(['check', '--plan', '--all', '--shard', '1/1', array])
    yield* json(['verify-checksums', '--all', '--deep', array])
    yield* json(['decode', '--all-fragments', '--limit', '50', array])
    for (const options of [[], ['--keep-going']]) yield* json(['read', '--limit', '50', array, ...options])
  }
  // Of those that have nothing to show in tiles and parts, the gate alone prints these.
  const inside = [
    ...arrays.slice(0, 1),
    ...['FOOTER_UNREADABLE', 'CHUNK_UNREADABLE', 'TILE_TRAILING_BYTES'].map((damage) => `${folder}/${damage}`),
  ]
  for (const array of firstOf([...new Set([...inside, ...arrays])], inside.length)) {
    for (const fragment of fragmentsOf(array).slice(0, 1)) {
      yield* json(['ls', fragment])
      yield* json(['dump', '--depth', '3', fragment])
      for (const file of readdirSync(fragment).filter((name) => !name.startsWith('__')))
        for (const tile of ['0', '1']) yield* json(['tile', fragment, file, tile])
    }
  }
}

/** Samples, and what is told of the newest version, of keys, and of a fragment that lies alone. */
async function* written(folder: string): AsyncGenerator<Printed> {
  const newest = `${folder}/newest`
  const keyed = ['--key', KEY]
  yield* json(['write-sample', `${folder}/dense`, '--dense', '--format-version', '5'])
  // It serves until Ctrl-C.
  const interrupts = setInterval(() => process.emit('SIGINT'), 100)
  yield* json(['page', `${folder}/dense`])
  clearInterval(interrupts)
  yield* json(['page', '--static', `${folder}/site`])
  yield* json([
    'write-sample',
    newest,
    '--format-version',
    String(NEWEST_FORMAT_VERSION),
    '--experimental',
    '--key',
    KEY,
  ])
  for (const command of ['ls', 'schema', 'footer', 'rtree', 'stats', 'check']) yield* json([command, newest, ...keyed])
  for (const command of ['ls', 'verify-checksums', 'check']) yield* json([command, newest])
  const wide = ['--dense', '--dim', 'x:INT32:0..299999:30000', '--attr', 'a:INT64', '--cells', '300000']
  await run(['write-sample', `${folder}/uncompressed`, ...wide, '--filters', ''])
  yield* json(['check', '--plan', '--level', 'structure', `${folder}/uncompressed`])
  const padded = ['--dense', '--dim', 'x:INT32:1..7:4', '--attr', 'a:INT32', '--filters', '', '--fragments', '1']
  yield* json(['write-sample', `${folder}/padded`, ...padded])
  writeFileSync(`${folder}/upgrade.json`, JSON.stringify([{ step: 'evolve', format_version: 22 }]))
  await run(['write-sample', `${folder}/upgraded`, '--format-version', '21', '--steps', `${folder}/upgrade.json`])
  yield* json(['schema', '--all', `${folder}/upgraded`])
  yield* json(['write-sample', `${folder}/steps`, '--delete', 'id > 5', '--consolidate', 'fragments'])
  yield* json(['at', `${fragmentsOf(`${folder}/padded`)[0]}/a0.tdb`, '70', '--no-flips'])
  const [gap, cells] = [`${folder}/gap`, `${folder}/gap.ndjson`]
  writeFileSync(cells, '{"x":1,"a":1,"__written":10}\n{"x":3,"a":3,"__written":20}\n')
  const line = ['--dense', '--dim', 'x:INT32:1..7:4', '--attr', 'a:INT32', '--data', cells]
  await run(['write-sample', gap, ...line, '--consolidate', 'fragments'])
  yield* json(['history', gap, '--range', 'x=..'])
  yield* ndjson('history', ['history', gap, '--range', 'x=..'])
  writeFileSync(cells, '{"x":1,"a":null}\n')
  const taken = ['--sparse', '--dim', 'x:INT32:1..7:4', '--attr', 'a:INT32?', '--data', cells, '--delete', 'a > 5']
  await run(['write-sample', `${folder}/taken`, ...taken])
  yield* json(['history', `${folder}/taken`, '--cell', 'x=1'])
  const long = new EditedArray('22/metadata')
  const claimed = long.find(/\/__meta\/__10_10/)
  long.patch(claimed, 12, u64Bytes(2n ** 25n))
  yield* json(['at', claimed, '60'], { storage: long.storage() })
  const unknown = new EditedArray('22/sparse_basic')
  await unknown.rewrite(unknown.find(/\/__schema\/__\d[^/]*$/), arraySchema, ({ attributes }) => {
    attributes[0].filters.filters[0].options_length = 0
    attributes[0].filters.filters.push({ name: 'UNKNOWN_17', extra: Uint8Array.of(1, 2) })
  })
  yield* json(['schema', EDITED], { storage: unknown.storage() })
  const [fragment] = fragmentsOf(`${FIXTURES}/22/sparse_basic`)
  cpSync(fragment, `${folder}/__alone`, { recursive: true })
  for (const command of ['ls', 'footer']) yield* json([command, `${folder}/__alone`])
}

/** The same in NDJSON. */
async function* asLines(sample: string): AsyncGenerator<Printed> {
  const array = `${FIXTURES}/22/deletes_consolidated`
  const [fragment] = fragmentsOf(array)
  const damaged = `${EXAMPLES}/damaged/places`
  yield* ndjson('array', ['ls', array])
  yield* ndjson('array', ['ls', '--names', array])
  yield* ndjson('fragment', ['ls', fragment])
  yield* ndjson('group', ['ls', `${FIXTURES}/22/group`])
  for (const command of ['schema', 'footer', 'rtree', 'stats']) yield* ndjson(command, [command, array])
  yield* ndjson('tiles', ['tiles', fragment])
  for (const command of ['tiles', 'commits']) yield* ndjson(command, [command, array])
  yield* ndjson('fragment-metadata', ['metadata', fragment])
  yield* ndjson('metadata', ['metadata', array])
  yield* ndjson('cells', ['decode', fragment])
  yield* ndjson('cells', ['read', array])
  yield* ndjson('explain', ['explain', `${FIXTURES}/22/deletes`])
  yield* ndjson('verify-checksums', ['verify-checksums', damaged])
  yield* ndjson('check', ['check', '--shard', '1/1', damaged])
  yield* ndjson('plan', ['check', '--plan', damaged])
  yield* ndjson('diff', ['diff', array, `${FIXTURES}/22/deletes`])
  const [a, b] = ['sparse_2d_row_row', 'sparse_2d_row_col'].map((name) => fragmentsOf(`${FIXTURES}/22/${name}`)[0])
  yield* ndjson('diff', ['diff', a, b])
  yield* ndjson('tile', ['tile', fragment, 'a'])
  yield* ndjson('dump', ['dump', '--depth', '2', fragment])
  yield* ndjson('at', ['at', '--no-flips', `${fragment}/__fragment_metadata.tdb`, '9'])
  yield* ndjson('cell', ['at', ...(await someCell())])
  yield* ndjson('sample', ['write-sample', sample])
  yield* ndjson('steps', ['write-sample', `${sample}-steps`, '--consolidate', 'fragments', '--vacuum', 'fragments'])
  yield* ndjson('damage-kinds', ['write-sample', '--damage', 'list'])
  yield* ndjson('error', ['ls', `${sample}/nowhere`])
  yield* ndjson('fragment', ['ls', fragment, fragment])
  yield* ndjson('group', ['ls', `${FIXTURES}/22/group`, `${FIXTURES}/22/group`])
  yield* ndjson('verify-checksums', ['verify-checksums', damaged, damaged])
}

/** What options change, and errors. */
async function* otherwise(folder: string): AsyncGenerator<Printed> {
  const typed = ['type_numbers_sparse', 'sparse_consolidated', 'type_text', 'type_datetimes', 'type_multi_value']
  for (const name of firstOf(typed, 2)) {
    const array = `${FIXTURES}/22/${name}`
    const [fragment] = fragmentsOf(array)
    for (const option of [['--raw'], ['--int64', 'string']]) {
      for (const command of ['ls', 'schema', 'footer', 'rtree', 'tiles']) yield* json([command, array, ...option])
      yield* json(['metadata', fragment, ...option])
      yield* json(['decode', '--limit', '5', fragment, ...option])
    }
  }
  const places = `${EXAMPLES}/arrays/places`
  const [fragment] = fragmentsOf(places)
  yield* json(['ls', '--names', places])
  yield* json(['ls', '--range', 'lat=0..10', places])
  yield* json(['rtree', '--range', 'lat=0..10', places])
  yield* json(['tile', fragment, 'd0.tdb', '--offset', '0'])
  yield* json(['dump', places, '--path', 'schema.array_type'])
  yield* json(['dump', fragment, '--path', 'footer.format_version'])
  yield* json(['dump', `${fragment}/a0.tdb`, '--path', 'tiles[0]', '--depth', '0'])
  const [damaged] = fragmentsOf(`${EXAMPLES}/damaged/places`)
  yield* json(['dump', `${damaged}/d0.tdb`, '--path', 'tiles[0].chunks[0].data'])
  yield* json(['rtree', '--svg', `${folder}/boxes.svg`, places])
  yield* json(['decode', '--all-fragments', '--limit', '3', places])
  yield* json(['decode', '--all-fragments', '--field', 'nobody', places])
  for (const group of ['old', 'invalid']) yield* json(['ls', '--depth', 'all', `${FIXTURES}/groups/${group}`])
  yield* ndjson('group', ['ls', '--depth', 'all', `${FIXTURES}/groups/old`])
  yield* json(['diff', `${FIXTURES}/groups/old`, `${FIXTURES}/groups/other`, '--cells'])
  for (const command of ['schema', 'stats', 'commits', 'metadata']) yield* json([command, `${FIXTURES}/groups/old`])
  yield* groupsThatCannotBeRead(folder)
  for (const call of [['decode', '--all-fragments'], ['read']])
    yield* json([...call, '--labels', `${FIXTURES}/labels/wanting`])
  yield* labelsThatAreNumbers(folder)
  yield* json(['footer', ...metaFiles(`${FIXTURES}/22/fragment_metadata_consolidated`)])
  yield* json(['ls', `${EXAMPLES}/nowhere`])
  yield* json(['ls', '--nonsense', places])
  yield* json(['tile', fragment, 'nothing'])
}

async function* labelsThatAreNumbers(folder: string): AsyncGenerator<Printed> {
  const [array, data] = [`${folder}/numbers`, `${folder}/numbers.ndjson`]
  writeFileSync(data, '{"d":0,"v":2}\n')
  const fields = ['--dim', 'd:INT32:0..9:10', '--attr', 'v:INT8:enum=e', '--enum', 'e:INT32=7,2']
  yield* json(['write-sample', array, ...fields, '--data', data])
  yield* json(['decode', '--all-fragments', '--labels', array])
}

async function* groupsThatCannotBeRead(folder: string): AsyncGenerator<Printed> {
  const group = `${folder}/unreadable`
  cpSync(`${FIXTURES}/groups/invalid`, group, { recursive: true })
  const sub = `${group}/later`
  rmSync(sub, { recursive: true })
  mkdirSync(`${sub}/__group`, { recursive: true })
  writeFileSync(`${sub}/__group/__1_1_0123456789abcdef0123456789abcdef_2`, '')
  yield* json(['ls', '--depth', 'all', group])
  yield* json(['diff', group, group])
  const above = `${folder}/above`
  cpSync(`${FIXTURES}/22/group`, `${above}/group`, { recursive: true })
  cpSync(`${FIXTURES}/22/group/arr1`, `${above}/group/left`, { recursive: true })
  yield* json(['ls', above])
}

function metaFiles(array: string): string[] {
  return readdirSync(`${array}/__fragment_meta`).map((name) => `${array}/__fragment_meta/${name}`)
}
