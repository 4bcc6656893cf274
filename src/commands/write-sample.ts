import { Option } from 'commander'
import { concat } from '../base/bytes.ts'
import { addPlace, exitCodeOf, InspectError, lacksMemory, usage, withPlace } from '../base/errors.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../base/json-text.ts'
import { extensionOf } from '../base/paths.ts'
import type { Prose } from '../base/prose.ts'
import { shellWord } from '../base/shell-word.ts'
import { sum } from '../base/sum.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { collect } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { schemaResult } from '../calls/schema-result.ts'
import { parseTime } from '../calls/times.ts'
import type { SampleDocument, SampleFile } from '../documents/sample.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { fragmentsFolder } from '../format/commit-files.ts'
import { NEWEST_FORMAT_VERSION } from '../format/format-version.ts'
import { NEWEST_STABLE } from '../format/releases.ts'
import { absolutePath } from '../node/current-folder.ts'
import { localFiles } from '../node/file.ts'
import { noteLeftBeside } from '../node/file-output.ts'
import { type FolderOutput, openFolderAddition, openFolderOutput } from '../node/folder-output.ts'
import { writingCodecs } from '../node/node-codecs.ts'
import { bytesIn, decodedText, type Input, inputName, openInput, peeked, readText } from '../node/text-input.ts'
import { optimizeLater } from '../storage/lean-heap.ts'
import { type ArrayToWrite, type WrittenFragmentFacts, writtenArrayFiles } from '../write/array-writer.ts'
import { csvRows } from '../write/csv-cells.ts'
import { DocumentValue } from '../write/document.ts'
import { parseMetadata } from '../write/field-options.ts'
import { filtersHelp } from '../write/filter-options.ts'
import type { WriteContext } from '../write/generic-tile-writer.ts'
import { ndjsonRows, type RowInput } from '../write/ndjson-cells.ts'
import {
  firstTimestamp,
  planSample,
  type SampledArray,
  type SampleInputs,
  type SampleOptions,
} from '../write/sample.ts'
import { OLDEST_WRITTEN } from '../write/schema-check.ts'

interface WriteSampleOptions extends SampleOptions {
  schema?: string
  data?: readonly string[]
  labels?: boolean
  timestamp?: readonly string[]
  append?: boolean
  steps?: string
  delete?: readonly string[]
  consolidate?: readonly string[]
  vacuum?: readonly string[]
  damage?: string
}

const HELP = `
Fields:
  --dim NAME:TYPE[:LO..HI[:EXTENT]]
      x:INT32:1..100:10   day:DATETIME_DAY:2024-01-01..2024-12-31:7
      id:STRING_ASCII
  --attr NAME:TYPE[:N|:var][:nullable][:enum=E][:fill=VALUE]
      a:INT64   rgb:UINT8:3   list:FLOAT32:var:nullable   k:UINT8:enum=color
      STRING_*, BLOB, GEOM_* and ANY are var-sized unless a number follows;
      "?" is short for :nullable
  --enum NAME:TYPE[:ordered]=V,V,…
      color:STRING_ASCII=red,green,blue   (or =[JSON array])
  --metadata KEY=JSON
      title='"trees"'   range=[1,2.5]
      raw='{"type":"BLOB","value":{"base64":"AAE="}}'

Filters, in writing order, separated by commas, options after colons:
  zstd:level=9,bit-width-reduction:max_window_size=256,sha256
  ${filtersHelp()}
  An empty text means no filters.

Steps (schemas/steps-file.json has all keys, docs/writing.md what they do):
  {"steps": [
    {"step": "write", "data": "rows.arrow", "time": "2024-01-31"},
    {"step": "delete", "where": "a > 9"},
    {"step": "consolidate"}, {"step": "vacuum"}]}

To write a fragment with other filters, order, tiles or format version:
  tiledb-inspect schema A --json > S.json
  tiledb-inspect decode A/__fragments/F --format ndjson |
    tiledb-inspect write-sample B --schema S.json --data - --filters zstd
`

type OptionRow = readonly [flags: string, what: string, repeatable?: boolean]

/** The options that say what a new array is like. `--append` refuses them. */
const SHAPE_OPTIONS: readonly OptionRow[] = [
  ['--dense', 'a dense array'],
  ['--sparse', 'a sparse array (the default)'],
  ['--dim <spec>', 'a dimension (repeatable; see below)', true],
  ['--attr <spec>', 'an attribute (repeatable; see below)', true],
  ['--enum <spec>', 'an enumeration (repeatable; see below)', true],
  ['--cells <n>', 'cells in all fragments together (1000); dense arrays may have fewer'],
  ['--fragments <n>', 'number of fragments (2)'],
  ['--capacity <n>', 'cells of a sparse tile (100)'],
  ['--tile-extent <n>', 'tile extent of dimensions that give none'],
  ['--cell-order <order>', 'row-major, col-major or hilbert'],
  ['--tile-order <order>', 'row-major or col-major'],
  ['--duplicates', 'allow several cells at the same coordinates, and write some'],
  ['--filters <pipeline>', 'filters of every attribute that accepts them (see below)'],
  ['--field-filters <NAME=pipeline>', 'filters of one attribute or dimension (repeatable)', true],
  ['--coords-filters <pipeline>', 'filters of dimensions'],
  ['--offsets-filters <pipeline>', 'filters of the offsets of var-sized cells'],
  ['--validity-filters <pipeline>', 'filters of the validity of nullable attributes'],
  ['--max-chunk-size <bytes>', 'unfiltered bytes of a chunk (65536); 0: tiles are not cut into chunks'],
  ['--format-version <n>', `format version, ${OLDEST_WRITTEN} to ${NEWEST_STABLE} (${NEWEST_STABLE})`],
  ['--experimental', `allow format version ${NEWEST_FORMAT_VERSION}, which no TileDB release opens`],
  ['--schema <file>', 'the schema, as schema --json prints it; - for standard input'],
]

/** All options except `--damage`, which refuses them. */
const OPTIONS: readonly OptionRow[] = [
  ...SHAPE_OPTIONS,
  ['--metadata <KEY=JSON>', 'array metadata (repeatable)', true],
  [
    '--data <file>',
    'the cells: NDJSON as decode prints it, .csv, .tsv or Arrow IPC (repeatable); - for standard input',
    true,
  ],
  ['--labels', 'the cells of --data hold values of enumerations, as decode --labels prints them'],
  ['--timestamp <time>', 'time of the first fragment, then of the next (repeatable): milliseconds or a date', true],
  ['--append', 'write into an array that exists; its files are not changed'],
  ['--steps <file>', 'then do the steps in this file: JSON (see below)'],
  ['--delete <condition>', 'then delete these cells (repeatable)', true],
  ['--consolidate <mode>', 'then consolidate: fragments, fragment_meta, commits or array_meta (repeatable)', true],
  ['--vacuum <mode>', 'then remove what consolidation has replaced (repeatable)', true],
  ['--seed <text>', 'the same options and the same seed give the same bytes (1)'],
]

export const command: CommandModule<WriteSampleOptions> = {
  examples: [
    ['a sparse array of trees', 'write-sample trees'],
    ['a dense one as an old TileDB wrote it', 'write-sample old --dense --format-version 5 --filters gzip'],
    ['fields of your own', 'write-sample mine --dim x:INT32:0..99:10 --attr a:FLOAT64'],
    [
      'what check says of damage, here of an R-tree that misses cells',
      'write-sample broken --damage RTREE_CONTAINMENT',
    ],
  ],

  configure(command) {
    command.argument('[dir]', 'folder to make; never overwritten')
    for (const [flags, what, repeatable] of OPTIONS) {
      if (repeatable) command.option(flags, what, collect)
      else command.option(flags, what)
    }
    command
      .option(
        '--damage <code>',
        'instead, write a small array or group in which check finds this code; list: show all codes',
      )
      .addHelpText('after', HELP)
  },

  async *run(cx, paths, options) {
    optimizeLater()
    if (options.damage === undefined) {
      yield await writeSample(cx, oneFolder(paths), options)
      return
    }
    refuseBeside(options, '--damage', OPTIONS, 'it chooses the sample')
    const { damageKinds, writeDamagedSample } = await import('./damaged-sample.ts')
    const list = options.damage === 'list'
    if (list && paths[0] !== undefined) throw usage('--damage list writes nothing: expected no folder, found one')
    yield list ? damageKinds() : await writeDamagedSample(cx, oneFolder(paths), options.damage)
  },
}

function oneFolder(paths: readonly (string | undefined)[]): string {
  const [path] = paths
  if (paths.length === 1 && path !== undefined) return path
  const found = paths.filter((one) => one !== undefined).length
  throw usage(`write-sample expects one folder, found ${found}`)
}

/** The first of some options that the call has. */
function firstUsed(rows: readonly OptionRow[], options: object): Option | undefined {
  return rows.map(([flags]) => new Option(flags)).find((one) => one.attributeName() in options)
}

/** @throws InspectError USAGE if the call has one of some options beside `option` */
function refuseBeside(options: object, option: string, others: readonly OptionRow[], why: string): void {
  const other = firstUsed(others, options)
  if (other) throw usage(`${option}: ${why}, so expected no ${other.long} beside it`)
}

/** @throws InspectError USAGE for options that do not go together, and if there is nothing to append to */
async function refuseContradictions(path: string, options: WriteSampleOptions): Promise<void> {
  const { schema, data = [], labels, append, steps } = options
  const inputNames = [['--schema', schema], ['--steps', steps], ...data.map((name) => ['--data', name])]
  const fromStandardInput = inputNames.filter(([, name]) => name === '-').map(([option]) => option)
  if (labels && data.length === 0 && steps === undefined)
    throw usage('--labels expects --data or --steps beside it, found neither')
  if (fromStandardInput.length > 1) throw usage(`${fromStandardInput.join(' and ')} cannot both be standard input`)
  if (append && (await localFiles.kind(absolutePath(path))) !== 'folder')
    throw usage('--append expects an array or a group that exists', { file: path })
  if (append) refuseBeside(options, '--append', SHAPE_OPTIONS, 'the array that is there has its own')
}

/**
 * The steps after the sample is written, or after what is there already.
 * @param times of the writes, in milliseconds
 * @param text content of the file of steps
 */
function stepsAfter(options: WriteSampleOptions, times: readonly bigint[], text: string | undefined): Json[] {
  const { append, metadata, data = [], steps: file, delete: deletes = [], consolidate = [], vacuum = [] } = options
  return [
    ...(append ? data.map((name, i) => ({ step: 'write', data: name, time: times[i] ?? null })) : []),
    ...(append && metadata ? [{ step: 'metadata', put: metadataValues(metadata) }] : []),
    ...(file === undefined || text === undefined ? [] : withPlace({ file: inputName(file) }, () => stepsOf(text))),
    ...deletes.map((where) => ({ step: 'delete', where })),
    ...consolidate.map((mode) => ({ step: 'consolidate', mode })),
    ...vacuum.map((mode) => ({ step: 'vacuum', mode })),
  ]
}

async function writeSample(cx: CommandContext, path: string, options: WriteSampleOptions): Promise<Outcome> {
  const { schema: schemaFile, data = [], labels, timestamp = [], append, steps: stepsFile, ...rest } = options
  const { delete: deletes, consolidate, vacuum, ...sampleOptions } = rest
  await refuseContradictions(path, options)
  const times = timestamp.map((text) => parseTime(cx, '--timestamp', text))
  const inputFiles: Input[] = []
  const rows = (name: string): RowInput => {
    const input = openInput(name, cx.reading.memory)
    inputFiles.push(input)
    return { file: input.file, each: rowsOf(input, extensionOf(name)), labels }
  }
  noteLeftBeside(path, cx.note)
  const output = append
    ? openFolderAddition(path, rankOf)
    : await openFolderOutput(path, (place) => cx.refuseReadPlace(place, 'write-sample'))
  try {
    const schema =
      schemaFile === undefined
        ? undefined
        : { text: await readText(schemaFile, '--schema', cx.reading.memory), file: inputName(schemaFile) }
    const stepsText = stepsFile === undefined ? undefined : await readText(stepsFile, '--steps', cx.reading.memory)
    const steps = stepsAfter(options, times, stepsText)
    // A file of steps may make the array itself. It then needs no sample.
    const isPlanned = !append && (stepsText === undefined || firstUsed(SHAPE_OPTIONS, options) !== undefined)
    const { cells, fragments } = sampleOptions
    if (stepsText !== undefined && cells === undefined && fragments === undefined && data.length === 0)
      sampleOptions.cells = '0'
    let making: ((cells: number) => void) | undefined
    const inputs: SampleInputs = {
      schema,
      data: data.length > 0 ? data.map(rows) : undefined,
      times,
      style: cx.style,
      pause: cx.reading.pause,
      onMade: (more) => making?.(more),
    }
    const sample = isPlanned ? planSample(sampleOptions, inputs) : undefined
    const { key } = cx.reading
    const writing = async (salt: string): Promise<WriteContext> => {
      const salts = [
        sampleOptions,
        schema?.text ?? '',
        ...(steps.length + timestamp.length > 0 || salt ? [steps, timestamp, salt] : []),
      ]
      const text = JSON.stringify(salts, (_, value) => (typeof value === 'bigint' ? String(value) : value))
      const { pause } = cx.reading
      return { codecs: writingCodecs, key, randomBytes: await vectors(writingCodecs, text, inputFiles), pause }
    }
    const seed = options.seed ?? '1'
    if (steps.length === 0 && sample)
      return await writeArray(cx, path, output, sample, {
        writing: await writing(''),
        seed,
        whenMade: (on) => {
          making = on
        },
      })
    const first = times[0] ?? (isPlanned || append ? undefined : firstTimestamp(seed))
    const { writeSteps } = await import('./written-steps.ts')
    return await writeSteps(cx, {
      path,
      output,
      append: append === true,
      sample,
      before: first === undefined ? undefined : first - 1n,
      steps,
      file: stepsFile,
      seed,
      writing,
      rows,
    })
  } catch (error) {
    throw addPlace(asUsage(error, append ? absolutePath(path) : undefined), { file: path })
  } finally {
    output.discard()
  }
}

/** Extensions of Arrow IPC streams and files. Such files with another extension are known by their first bytes. */
const ARROW_EXTENSIONS = ['arrow', 'arrows', 'feather', 'ipc']
/** Bytes of the mark at the start of an Arrow IPC file. */
const MARK_BYTES = 6

/** The rows of an input, in the format that its extension or its first bytes tell. */
function rowsOf({ pieces }: Input, format: string): RowInput['each'] {
  if (format === 'csv' || format === 'tsv') return csvRows(decodedText(pieces), format === 'tsv' ? '\t' : ',')
  return async (take, fields) => {
    const { start, all } = await peeked(pieces, MARK_BYTES)
    if (!ARROW_EXTENSIONS.includes(format) && !isArrow(start)) return ndjsonRows(decodedText(all))(take, fields)
    const { arrowRows } = await import('../write/arrow-rows.ts')
    return arrowRows(() => bytesIn(all), writingCodecs)(take, fields)
  }
}

/** Whether bytes begin as those of an Arrow IPC file or stream. NDJSON never begins so. */
function isArrow(start: Uint8Array): boolean {
  const text = String.fromCharCode(...start.subarray(0, MARK_BYTES))
  return text === 'ARROW1' || text.startsWith('\xff\xff\xff\xff')
}

/** The steps of a file: `{"steps": […]}`, or the list alone. */
function stepsOf(text: string): Json[] {
  const json = parseJson(text)
  const steps = isJsonObject(json)
    ? new DocumentValue(json).object(['$schema', 'steps'], ['steps']).at('steps').value
    : json
  if (Array.isArray(steps)) return steps
  throw usage('--steps expects {"steps": […]}, found something else')
}

function metadataValues(texts: readonly string[]): JsonObject {
  const values = texts.map((text): [string, Json] => {
    const { key } = parseMetadata(text)
    return [key, parseJson(text.slice(text.indexOf('=') + 1))]
  })
  return Object.fromEntries(values)
}

/** Order in which files get their names: data, then schemas, then what makes data visible, then what hides other data. */
function rankOf(file: string): number {
  if (/\.(?:vac|con|ign)$/.test(file)) return 4
  if (/\.(?:wrt|ok|del|meta)$/.test(file) || /(?:^|\/)__(?:meta|group)\//.test(file)) return 3
  if (/(?:^|\/)__schema\//.test(file)) return file.includes('__enumerations/') ? 1 : 2
  return 0
}

async function writeArray(
  cx: CommandContext,
  path: string,
  output: FolderOutput,
  { array, most_cells, notes }: SampledArray,
  { writing, seed, whenMade }: { writing: WriteContext; seed: string; whenMade: (on: (cells: number) => void) => void },
): Promise<Outcome> {
  const fragments: WrittenFragmentFacts[] = []
  const files: SampleFile[] = []
  const progress = cx.progress({ what: 'writing', unit: 'cells', total: most_cells })
  // To make cells takes as long as to write them, so that each is half of the work. Given cells are not made.
  const half = most_cells === undefined ? 1 : 2
  let done = 0
  const onCells = (more: number): void => {
    done += more / half
    progress.update(Math.floor(done))
  }
  whenMade(onCells)
  try {
    for await (const file of writtenArrayFiles(array, { ...writing, onCells }, (fragment) =>
      fragments.push(fragment),
    )) {
      await output.write(file.path, file.bytes)
      files.push({ path: file.path, size: file.bytes.length })
    }
  } finally {
    progress.stop()
  }
  output.commit()
  const document = sampleDocument(cx, path, { array, notes, seed }, fragments, files)
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/write-sample.ts')).sampleTable(document, out),
  }
}

/**
 * The error as one about wrong usage: damage is then in a file or an option of the user. Errors about the array that `--append`
 * writes into stay as they are.
 * @param root the path of that array
 */
function asUsage(error: unknown, root: string | undefined): unknown {
  if (error instanceof InspectError) {
    const isInArray = root !== undefined && error.at.file?.startsWith(root)
    return exitCodeOf(error) === 1 && !isInArray ? usage(error.fault, error.at, { cause: error }) : error
  }
  if (lacksMemory(error)) {
    const why =
      'the cells do not fit in memory: expected smaller tiles (--tile-extent, --capacity), fewer or smaller cells'
    return usage(why, {}, { cause: error })
  }
  return error
}

/**
 * A function that gives initialisation vectors: the SHA-256 of everything that goes into the array, and of a counter. Equal inputs
 * give equal vectors, and different inputs never do. An input file is read before the first vector for its cells is needed.
 */
async function vectors(
  codecs: Codecs,
  options: string,
  inputFiles: readonly Input[],
): Promise<(length: number) => Uint8Array> {
  const sha256 = await codecs.sha256()
  const base = sha256(new TextEncoder().encode(options))
  let counter = 0
  return (length) => {
    const count = new Uint8Array(BigUint64Array.of(BigInt(counter++)).buffer)
    return sha256(concat([base, ...inputFiles.map((one) => one.digest()), count])).subarray(0, length)
  }
}

function sampleDocument(
  cx: CommandContext,
  path: string,
  { array, notes, seed }: { array: ArrayToWrite; notes: Prose[]; seed: string },
  fragments: readonly WrittenFragmentFacts[],
  files: readonly SampleFile[],
): SampleDocument {
  const encrypted = cx.reading.key !== undefined
  const { schema, enumerations, metadata } = array
  const shown = schemaResult(schema, enumerations, cx.style)
  return {
    ...documentHead('sample', cx.shownPath(path)),
    format_version: schema.version,
    array_type: shown.array_type,
    encryption: encrypted ? 'AES_256_GCM' : 'NO_ENCRYPTION',
    seed,
    cell_num: sum(fragments, ({ cell_num }) => cell_num),
    total_size: sum(files, ({ size }) => size),
    cell_order: shown.cell_order,
    tile_order: shown.tile_order,
    capacity: shown.capacity,
    coords_filters: shown.coords_filters,
    dimensions: shown.dimensions,
    attributes: shown.attributes,
    enumerations: enumerations.map(({ name }) => name),
    metadata_keys: metadata.map(({ key }) => key),
    fragments,
    files,
    notes,
    next: nextCommands(path, schema.version, fragments, encrypted),
  }
}

/** Commands to try on the sample. */
function nextCommands(path: string, version: number, fragments: readonly WrittenFragmentFacts[], encrypted: boolean) {
  const root = path.replace(/\/+$/, '')
  const array = shellWord(root)
  const key = encrypted ? ' --key KEY' : ''
  const commands = [`tiledb-inspect ls ${array}${key}`, `tiledb-inspect schema ${array}${key}`]
  const [first] = fragments
  if (first) {
    const fragment = shellWord(`${root}/${fragmentsFolder(version)}${first.name}`)
    commands.push(`tiledb-inspect decode ${fragment} --limit 10${key}`, `tiledb-inspect footer ${fragment}${key}`)
  }
  return [...commands, `tiledb-inspect verify-checksums ${array}${key}`]
}
