import { filesAndFolders, filesOfEachKind, fragmentsAmong } from './targets.mjs'

/** The calls that are compared. A call is `{ argv, columns, key }`: without columns the output is a pipe. */

/** Terminals: their widths. */
const WIDTHS = [80, 140]
const SEPARATED = ['csv', 'ndjson', 'tsv']
/** Commands whose documents can be cells, which have one more format. */
const CELLS = new Set(['read', 'decode'])
/** Commands that take much longer than others. */
const SLOW = new Set(['whatif', 'at'])
/** Makes whatif quick. */
const SMALL_SAMPLE = ['--sample', '4K', '--filters', 'zstd']
const WRONG_KEY = '00112233445566778899aabbccddeeff'
/** Larger files are dumped in part. */
const SMALL_FILE = 20_000
/** Most cells of a read, so that no output is long. */
const CELL_LIMIT = '12'

/** A call in all its formats. */
function everyFormat(argv, key) {
  const forms = [undefined, ...WIDTHS].map((columns) => ({ argv, columns, key }))
  for (const format of ['json', ...SEPARATED]) forms.push({ argv: [...argv, '--format', format], key })
  return forms
}

/** A call as JSON, as a table of one width, and in one more format; of a slow command, only in one of these. */
function someFormats(argv, key, choices) {
  if (SLOW.has(argv[0])) return [choices.pick(everyFormat(argv, key))]
  const [json, ...others] = everyFormat(argv, key).sort((a, b) => Number(isJson(b)) - Number(isJson(a)))
  const tables = others.filter(({ argv }) => !argv.includes('--format'))
  const separated = others.filter(({ argv }) => argv.includes('--format'))
  return [json, choices.pick(tables), choices.pick(separated)]
}

function isJson({ argv }) {
  return argv.at(-1) === 'json'
}

/** What must be known about an array to call commands on it. @param ask runs a call with `--json`; undefined if it fails */
export async function factsOf(target, key, ask) {
  const found = filesAndFolders(target.path)
  const inside = { ...found, fragments: fragmentsAmong(found.folders), fields: [] }
  if (target.kind === 'group') return inside
  const schema = await ask({ argv: ['schema', target.name, '--json', '--int64', 'string'], key })
  const { dimensions = [], attributes = [] } = schema ?? {}
  const fields = [...dimensions, ...attributes].map(({ name }) => name)
  const read = ['read', target.name, '--limit', CELL_LIMIT, '--json', '--int64', 'string']
  const { cells = [] } = (await ask({ argv: read, key })) ?? {}
  return { ...inside, dimensions, attributes, fields, cells }
}

/** A value as `--cell` and `--range` take it. */
function spelled(value, { type }) {
  return /^(?:STRING_|CHAR|BLOB)/.test(type) ? JSON.stringify(value) : String(value)
}

/** Every call on an array or group. */
export function* callsOn(target, facts, key, choices) {
  const path = target.name
  const make = (argv, all) => (all ? everyFormat(argv, key) : someFormats(argv, key, choices))
  for (const argv of target.kind === 'group' ? groupCalls(path) : arrayCalls(path, facts, choices))
    yield* make(argv, argv.length === 2 && !SLOW.has(argv[0]))
  for (const fragment of choices.some(facts.fragments, 2))
    for (const argv of fragmentCalls(`${path}/${fragment}`, path, facts, choices)) yield* make(argv, false)
  for (const file of filesOfEachKind(facts.files, choices)) {
    for (const argv of fileCalls(`${path}/${file}`, target, file, facts, choices)) yield* make(argv, false)
  }
  for (const part of choices.some([...facts.files, ...facts.folders], 4)) yield* make(['why', `${path}/${part}`], false)
  yield* reports(path, key)
  yield { argv: ['page', '-o', 'out/page.html', path], key }
  yield { argv: ['page', '-o', '-', '--max-size', '2K', path], key }
  yield { argv: ['completion', 'words', 'ls', `${path}/`], key }
  yield { argv: ['completion', 'words', 'read', path, '--field', ''], key }
  yield { argv: ['completion', 'words', 'read', path, '--range', ''], key }
  yield { argv: ['overview', path, '--color', 'always'], columns: 80, key }
  yield { argv: ['ls', path, '--vertical'], columns: 80, key }
  if (key === undefined) return
  for (const command of ['overview', 'schema', 'read', 'check', 'ls']) {
    yield* everyFormat([command, path], undefined)
    yield* everyFormat([command, path], WRONG_KEY)
  }
}

/** The calls on a damaged array or group that show what is damaged. */
export function* callsOnDamaged(target, facts, key, choices) {
  const path = target.name
  const make = (argv) => someFormats(argv, key, choices)
  yield* everyFormat(['overview', path], key)
  yield* everyFormat(['check', '--plan', '--level', 'cells', '--all', path], key)
  yield* reports(path, key)
  for (const argv of checks(path)) yield* make(argv)
  for (const command of ['ls', 'schema', 'commits', 'metadata', 'footer', 'stats', 'explain', 'why', 'tiles'])
    yield* make([command, path])
  yield* make(['read', path, '--limit', CELL_LIMIT])
  yield* make(['read', path, '--limit', CELL_LIMIT, '--keep-going', '--provenance'])
  yield* make(['explain', path, '--exact'])
  yield* make(['stats', path, '--read'])
  yield* make(['recover', path, '--to', 'out/recovered'])
  yield* make(['recover', path, '--drop-damaged', '--to', 'out/recovered'])
  yield* make(['diff', path, choices.pick(OTHERS)])
  for (const fragment of choices.some(facts.fragments, 1))
    for (const command of ['ls', 'overview', 'decode', 'footer', 'check']) yield* make([command, `${path}/${fragment}`])
  for (const part of choices.some([...facts.files, ...facts.folders], 4)) yield* make(['why', `${path}/${part}`])
  for (const file of choices.some(facts.files, 2)) yield* make(['dump', `${path}/${file}`, '--tree', '--depth', '4'])
}

/** Checks in the formats of other programs. */
function* reports(path, key) {
  for (const format of ['sarif', 'junit', 'github'])
    yield { argv: ['check', '--level', 'cells', '--all', path, '--format', format], key }
}

function* checks(path) {
  yield ['check', path]
  for (const level of ['structure', 'chunks', 'cells']) {
    yield ['check', '--level', level, path]
    yield ['check', '--level', level, '--all', '--fail-on', 'note', path]
  }
  yield ['check', '--plan', path]
  yield ['check', '--plan', '--level', 'cells', '--all', path]
  yield ['verify-checksums', path]
  yield ['verify-checksums', '--deep', '--all', '--require-checksums', path]
}

function* groupCalls(path) {
  yield [path]
  for (const command of ['overview', 'ls', 'schema', 'metadata', 'commits', 'footer', 'tiles', 'stats'])
    yield [command, path]
  yield ['ls', path, '--depth', 'all']
  yield ['metadata', path, '--all']
  yield ['read', path]
  yield ['why', path]
  yield ['diff', path, path]
  yield ['recover', path, '--to', 'out/recovered']
  yield* checks(path)
}

function* arrayCalls(path, facts, choices) {
  const { fragments, dimensions, attributes, fields, cells } = facts
  const cell = cells.length > 0 ? choices.pick(cells) : undefined
  yield [path]
  for (const command of ['overview', 'ls', 'schema', 'commits', 'metadata', 'stats', 'explain', 'whatif'])
    yield [command, path]
  for (const command of ['footer', 'rtree', 'tiles', 'why', 'dump']) yield [command, path]
  yield ['read', path, '--limit', CELL_LIMIT, '--provenance']
  yield [
    'read',
    path,
    '--limit',
    CELL_LIMIT,
    '--order',
    choices.pick(['row-major', 'col-major', 'global', 'unordered']),
  ]
  yield ['read', path, '--limit', CELL_LIMIT, '--labels', '--keep-going', '--raw']
  yield ['read', path, '-o', 'out/cells.arrow']
  yield ['decode', path, '--all-fragments', '--limit', CELL_LIMIT]
  yield ['schema', path, '--all']
  yield ['schema', path, '--hex', '--depth', '3']
  yield ['metadata', path, '--all']
  yield ['ls', path, '--names']
  yield ['explain', path, '--exact']
  yield ['explain', path, '--latency', '100', '--throughput', '20', '--budget', '1K', '--fail-on', 'note']
  yield ['stats', path, '--read']
  yield ['stats', path, '--all']
  yield ['whatif', path, ...SMALL_SAMPLE]
  yield ['whatif', path, '--emit', 'schema', '--best', 'smallest']
  yield ['whatif', path, '--emit', 'python']
  yield ['whatif', path, ...SMALL_SAMPLE, '--capacity', '7', '--cell-order', 'col-major']
  yield ['recover', path, '--to', 'out/recovered']
  yield ['recover', path, '--drop-damaged', '--to', 'out/recovered']
  yield ['diff', path, path]
  yield ['diff', path, choices.pick(OTHERS), '--names']
  yield ['diff', path, choices.pick(OTHERS), '--cells']
  yield ['diff', path, choices.pick(OTHERS), '--read']
  yield ['stats', path, choices.pick(OTHERS)]
  yield ['overview', path, choices.pick(OTHERS)]
  yield ['rtree', path, '--svg', 'out/boxes.svg']
  yield* checks(path)
  const times = fragments.flatMap((name) => name.match(/(?<=_)\d+(?=_|$)/g) ?? [])
  if (times.length > 0) {
    const time = choices.pick(times)
    for (const command of ['read', 'ls', 'overview', 'explain', 'metadata']) {
      yield [command, path, '--as-of', time]
      yield [command, path, '--between', `${time}..`]
    }
  }
  if (fields.length > 0) yield ['read', path, '--limit', CELL_LIMIT, '--field', choices.pick(fields)]
  if (cell === undefined) return
  const where = dimensions.map((dimension) => `${dimension.name}=${spelled(cell[dimension.name], dimension)}`)
  yield ['history', path, '--cell', where.join(',')]
  if (fragments.length > 0) yield ['at', `${path}/${fragments[0]}`, '--cell', where.join(',')]
  const range = ['--range', `${where[0]}..`]
  yield ['history', path, ...range]
  for (const command of ['ls', 'explain', 'rtree', 'tiles']) yield [command, path, ...range]
  yield ['explain', path, ...range, '--exact']
  yield ['read', path, '--limit', CELL_LIMIT, ...range]
  yield ['stats', path, '--read', ...range]
  yield ['whatif', path, ...SMALL_SAMPLE, ...range, '--capacity', '5']
  const attribute = attributes.length > 0 ? choices.pick(attributes) : undefined
  if (attribute === undefined) return
  const value = JSON.stringify(cell[attribute.name])
  const condition = `attr(${JSON.stringify(attribute.name)}) ${choices.pick(['==', '>', '!='])} ${value}`
  yield ['read', path, '--limit', CELL_LIMIT, '--where', condition]
  yield ['explain', path, '--where', condition]
}

function* fragmentCalls(path, array, { fields, fragments }, choices) {
  for (const command of ['overview', 'ls', 'schema', 'metadata', 'footer', 'rtree', 'tiles', 'stats', 'check', 'why'])
    yield [command, path]
  yield ['decode', path, '--limit', CELL_LIMIT]
  yield ['decode', path, '--limit', CELL_LIMIT, '--fill', '--keep-going', '--labels', '--raw']
  yield ['decode', path, '-o', 'out/cells.arrow']
  yield ['footer', path, '--hex', '--depth', '4']
  yield ['rtree', path, '--hex', '--depth', '4', '--at', '0..400']
  yield ['metadata', path, '--hex', '--at', '0..400']
  yield ['tiles', path, '--tiles', '0..1']
  yield ['check', path, '--level', 'cells', '--plan']
  yield ['verify-checksums', path, '--deep']
  yield ['whatif', path, '--filters', 'gzip:level=1']
  yield ['dump', path, '--tree', '--depth', '3']
  yield ['diff', path, `${array}/${choices.pick(fragments)}`]
  yield ['recover', path, '--to', 'out/fragment']
  for (const field of choices.some(fields, 2)) {
    yield ['tile', path, field]
    yield ['tile', path, field, choices.pick(['0', '1', '99']), '--hex', '--depth', '4', '--at', '0..300']
    yield ['tile', path, field, '--role', choices.pick(['data', 'offsets', 'var', 'validity'])]
    yield ['tile', path, field, '0', '--stages', 'out/stages']
    yield ['tile', path, field, '0', '--bytes', '-o', 'out/tile.bin']
    yield ['decode', path, '--limit', CELL_LIMIT, '--field', field]
  }
}

function* fileCalls(path, target, file, { sizes }, choices) {
  const size = sizes.get(file) ?? 0
  const part = size > SMALL_FILE ? ['--at', '0..400'] : []
  yield ['dump', path, ...part]
  yield ['dump', path, '--tree', '--depth', '3', ...part]
  yield ['dump', path, '--hex', '--at', `0x0..${choices.below(300)}`]
  yield ['at', path, String(choices.below(size + 1))]
  yield ['at', path, String(choices.below(size + 1)), '--no-flips']
  yield ['overview', path]
  yield ['why', path]
  for (const command of choices.some(['ls', 'check', 'schema', 'footer', 'stats', 'metadata', 'diff', 'read'], 2))
    yield command === 'diff' ? [command, path, target.name] : [command, path]
}

/** Arrays that others are compared with. */
const OTHERS = ['examples/places', 'examples/weather']

/** Calls that need no target, or that are wrong. @param commands names of all commands */
export function* otherCalls(commands, codes) {
  const forms = (argv) => everyFormat(argv)
  const [array] = OTHERS
  yield* forms([])
  for (const option of ['--help', '-h', '--version', '-V', 'help', '--nosuch', '-x', '']) yield* forms([option])
  for (const command of commands) {
    yield* forms([command, '--help'])
    yield* forms(['help', command])
    // Commands on nothing, on what does not exist, on what is no array, and with wrong options. A page that is not written is served.
    const needed = { page: ['-o', 'out/page.html'], whatif: SMALL_SAMPLE }
    const call = [command, ...(needed[command] ?? [])]
    const missing = command === 'write-sample' ? 'out/sample' : 'nosuch'
    const wrongCalls = [[], [missing], [''], ['examples'], ['text.txt'], [array, 'nosuch', 'nosuch']]
    for (const wrong of WRONG) wrongCalls.push([array, ...wrong])
    for (const wrong of wrongCalls) {
      yield { argv: [...call, ...wrong], columns: WIDTHS[0] }
      yield { argv: [...call, ...wrong, '--json'] }
    }
    for (const format of ['nosuch', CELLS.has(command) ? 'sarif' : 'arrow', ''])
      yield { argv: [...call, array, '--format', format] }
    yield { argv: [...call, array, '--format'] }
    yield { argv: [command, array, '-o', 'out/a.nosuch'] }
    yield { argv: [command, array, '-o', 'nosuch/out.json'] }
    yield { argv: [command.slice(0, -1), array] }
    yield { argv: [`${command}s`, array] }
  }
  for (const word of HELP_WORDS) yield* forms(['help', ...word.split(' ')])
  for (const shell of ['bash', 'zsh', 'fish', 'nosuch']) yield* forms(['completion', shell])
  yield* forms(['write-sample', '--damage', 'list'])
  for (const code of codes) yield { argv: ['write-sample', 'out/damaged', '--damage', code] }
  for (const options of SAMPLES) yield* forms(['write-sample', 'out/sample', ...options.split(' ')])
}

/** Options that are misspelt, or that have no value or a wrong one. */
const WRONG = [
  ['--nosuch'],
  ['--jsn'],
  ['--rnage', 'x=1'],
  ['--al'],
  ['--limit', 'x'],
  ['--limit', '-1'],
  ['--limit'],
  ['--level', 'nosuch'],
  ['--fail-on', 'nosuch'],
  ['--range', 'nosuch=1..2'],
  ['--range', 'x'],
  ['--range', 'lat=5..1'],
  ['--range', 'lat=a..b'],
  ['--field', 'nosuch'],
  ['--cell', 'nosuch=1'],
  ['--cell', 'lat=1'],
  ['--where', 'a >'],
  ['--where', 'nosuch == 1'],
  ['--order', 'nosuch'],
  ['--as-of', 'yesterday'],
  ['--between', '5..1'],
  ['--tiles', '9..1'],
  ['--tiles', '77..99'],
  ['--at', '9..1'],
  ['--depth', 'x'],
  ['--jobs', '0'],
  ['--shard', '3/2'],
  ['--memory', 'x'],
  ['--memory', '10'],
  ['--key', 'short'],
  ['--key', WRONG_KEY],
  ['--key-file', 'nosuch'],
  ['--int64', 'nosuch'],
  ['--color', 'nosuch'],
  ['--full'],
  ['--raw', '--int64', 'string'],
  ['--vertical'],
  ['--quiet'],
  ['--path', 'nosuch'],
  ['--filters', 'nosuch'],
  ['--emit', 'nosuch'],
  ['--to', 'examples'],
  ['--role', 'nosuch'],
]

const HELP_WORDS = [
  'vacuum slow key fragment corrupt delete nosuchword lost byte size schema group cloud memory time'.split(' '),
  'consolidate filter recover python csv arrow old version ghost compress read write damage verify'.split(' '),
  ['du', 'vacuum fragment', 'why slow', 'cat', 'head', 'info', 'list', '--all'],
].flat()

const SAMPLES = [
  '--dense',
  '--sparse --cells 50 --seed 7',
  '--dense --format-version 5 --filters gzip --cells 30',
  '--dim x:INT32:0..99:10 --attr a:FLOAT64:nullable --attr s:STRING_UTF8 --cells 40 --fragments 3',
  '--cells 30 --delete a>1 --consolidate fragments --vacuum fragments',
  '--format-version 2',
  '--filters nosuch',
  '--dim x',
  '--cells x',
]
