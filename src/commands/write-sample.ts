import { Option } from 'commander'
import { addPlace, exitCodeOf, InspectError, usage } from '../base/errors.ts'
import type { SampleDocument, SampleFile } from '../documents/sample.ts'
import { concat } from '../filters/bytes.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { openFolderOutput } from '../node/folder-output.ts'
import { inputName, openText, readText, type TextInput } from '../node/text-input.ts'
import { type ArrayToWrite, arrayFiles, type WrittenFragmentFacts } from '../write/array-writer.ts'
import { planSample, type SampleInputs, type SampleOptions } from '../write/sample.ts'
import { type CommandContext, type CommandModule, collect, documentHead, type Outcome, quoted } from './command.ts'
import { schemaResult } from './schema.ts'

interface WriteSampleOptions extends SampleOptions {
  schema?: string
  data?: string
  labels?: boolean
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
  gzip, zstd, lz4, bzip2, rle, dictionary, double-delta, delta (options level;
  the deltas reinterpret_datatype), bit-width-reduction and positive-delta
  (max_window_size), bitshuffle, byteshuffle, xor, scale-float (scale, offset,
  byte_width), webp (format, quality, lossless), md5, sha256, none.
  An empty text means no filters.

A fragment with other filters, order, tiles or format version:
  tiledb-inspect schema A --json > S.json
  tiledb-inspect decode A/__fragments/F --format ndjson |
    tiledb-inspect write-sample B --schema S.json --data - --filters zstd
`

/** Options that describe a sample; a damage chooses its own. */
const CHOICES: readonly (readonly [flags: string, what: string, repeatable?: boolean])[] = [
  ['--dense', 'a dense array'],
  ['--sparse', 'a sparse array (the default)'],
  ['--dim <spec>', 'a dimension (repeatable; see below)', true],
  ['--attr <spec>', 'an attribute (repeatable; see below)', true],
  ['--enum <spec>', 'an enumeration (repeatable; see below)', true],
  ['--cells <n>', 'cells in all fragments together (1000); in dense arrays at most'],
  ['--fragments <n>', 'fragments (2)'],
  ['--capacity <n>', 'cells of a sparse tile (100)'],
  ['--tile-extent <n>', 'extent of dimensions that do not say theirs'],
  ['--cell-order <order>', 'row-major, col-major or hilbert'],
  ['--tile-order <order>', 'row-major or col-major'],
  ['--duplicates', 'allow several cells at the same coordinates, and write some'],
  ['--filters <pipeline>', 'filters of every attribute that accepts them (see below)'],
  ['--field-filters <NAME=pipeline>', 'filters of one attribute or dimension (repeatable)', true],
  ['--coords-filters <pipeline>', 'filters of dimensions'],
  ['--offsets-filters <pipeline>', 'filters of the offsets of var-sized cells'],
  ['--validity-filters <pipeline>', 'filters of the validity of nullable attributes'],
  ['--max-chunk-size <bytes>', 'of tiles in front of the filters (65536); 0: not cut into chunks'],
  ['--metadata <KEY=JSON>', 'array metadata (repeatable)', true],
  ['--format-version <n>', 'format version, 3 to 22 (22)'],
  ['--experimental', 'allow format version 23, which no TileDB release opens'],
  ['--schema <file>', 'the schema, as schema --json prints it; - for standard input'],
  ['--data <file>', 'the cells, as decode --format ndjson prints them; - for standard input'],
  ['--labels', 'the cells of --data hold values of enumerations, as decode --labels prints them'],
  ['--seed <text>', 'same options and seed, same bytes (1)'],
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
    for (const [flags, what, repeatable] of CHOICES) {
      if (repeatable) command.option(flags, what, collect)
      else command.option(flags, what)
    }
    command
      .option('--damage <code>', 'instead: a small array or group in which check finds this; list: all of them')
      .addHelpText('after', HELP)
  },

  async *run(cx, paths, options) {
    if (options.damage === undefined) {
      yield await writeSample(cx, oneFolder(paths), options)
      return
    }
    refuseBesideDamage(options)
    const { damageKinds, writeDamagedSample } = await import('./damaged-sample.ts')
    const list = options.damage === 'list'
    if (list && paths[0] !== undefined) throw usage('--damage list writes nothing: expected no folder beside it')
    yield list ? damageKinds() : await writeDamagedSample(cx, oneFolder(paths), options.damage)
  },
}

function oneFolder(paths: readonly (string | undefined)[]): string {
  const [path] = paths
  if (paths.length === 1 && path !== undefined) return path
  const found = paths.filter((one) => one !== undefined).length
  throw usage(`write-sample expects one folder, found ${found}`)
}

function refuseBesideDamage(options: object): void {
  const other = CHOICES.map(([flags]) => new Option(flags)).find((option) => option.attributeName() in options)
  if (other) throw usage(`--damage chooses the sample: expected no ${other.long} beside it`)
}

async function writeSample(cx: CommandContext, path: string, options: WriteSampleOptions): Promise<Outcome> {
  const { schema: schemaFile, data: dataFile, labels, ...rest } = options
  if (schemaFile === '-' && dataFile === '-') throw usage('--schema and --data cannot both be standard input')
  const schema =
    schemaFile === undefined ? undefined : { text: await readText(schemaFile), file: inputName(schemaFile) }
  const data = dataFile === undefined ? undefined : openText(dataFile)
  const inputs: SampleInputs = { schema, data: data && { ...data, labels }, style: cx.style }
  const output = await openFolderOutput(path, (place) => cx.refuseReadPlace(place, 'write-sample'))
  try {
    const { array, notes } = planSample(rest, inputs)
    const { codecs, key } = cx.reading
    const writing = {
      codecs,
      key,
      randomBytes: await vectors(codecs, JSON.stringify([rest, schema?.text ?? '']), data),
    }
    const fragments: WrittenFragmentFacts[] = []
    const files: SampleFile[] = []
    const progress = await cx.progress('writing')
    try {
      for await (const file of arrayFiles(array, writing, (fragment) => fragments.push(fragment))) {
        await output.write(file.path, file.bytes)
        files.push({ path: file.path, size: file.bytes.length })
        progress.update(files.length)
      }
    } finally {
      progress.stop()
    }
    output.commit()
    const document = sampleDocument(cx, path, { array, notes, seed: options.seed ?? '1' }, fragments, files)
    return {
      document,
      table: async (out) => (await import('../render/views/write-sample.ts')).sampleTable(document, out),
    }
  } catch (error) {
    throw addPlace(asUsage(error), { file: path })
  } finally {
    output.discard()
  }
}

/** What the system says when a large allocation fails. */
const NO_MEMORY =
  /^RangeError: (?:Invalid (?:typed )?array(?: buffer)? length|Array buffer allocation failed|Invalid string length)/

/** This command reads no arrays that could be damaged. So any error is about the given document or an option. */
function asUsage(error: unknown): unknown {
  if (error instanceof InspectError)
    return exitCodeOf(error) === 1 ? usage(error.message, error.at, { cause: error }) : error
  if (NO_MEMORY.test(String(error))) {
    const why =
      'the cells do not fit in memory: expected smaller tiles (--tile-extent, --capacity), fewer or smaller cells'
    return usage(why, {}, { cause: error })
  }
  return error
}

/**
 * Initialisation vectors: SHA-256 of everything that goes into the array, and of a counter. Equal inputs give equal vectors,
 * and different inputs never do. `data` is read before the first vector is asked for.
 */
async function vectors(
  codecs: Codecs,
  options: string,
  data: TextInput | undefined,
): Promise<(length: number) => Uint8Array> {
  const sha256 = await codecs.sha256()
  let base: Uint8Array | undefined
  let counter = 0
  return (length) => {
    base ??= concat([sha256(new TextEncoder().encode(options)), data?.digest() ?? new Uint8Array(0)])
    const block = new Uint8Array(base.length + 8)
    block.set(base)
    new DataView(block.buffer).setBigUint64(base.length, BigInt(counter++))
    return sha256(block).subarray(0, length)
  }
}

function sampleDocument(
  cx: CommandContext,
  path: string,
  { array, notes, seed }: { array: ArrayToWrite; notes: string[]; seed: string },
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
    cell_num: fragments.reduce((sum, { cell_num }) => sum + cell_num, 0),
    total_size: files.reduce((sum, { size }) => sum + size, 0),
    cell_order: shown.cell_order,
    tile_order: shown.tile_order,
    capacity: shown.capacity,
    coords_filters: shown.coords_filters,
    dimensions: shown.dimensions,
    attributes: shown.attributes,
    enumerations: enumerations.map(({ name }) => name),
    metadata: metadata.map(({ key }) => key),
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
    const fragment = shellWord(`${root}/${version >= 12 ? '__fragments/' : ''}${first.name}`)
    commands.push(`tiledb-inspect decode ${fragment} --limit 10${key}`, `tiledb-inspect footer ${fragment}${key}`)
  }
  return [...commands, `tiledb-inspect verify-checksums ${array}${key}`]
}

/** A path as one word of a shell command. */
function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : quoted(path)
}
