import { exitCodeOf, InspectError, orError, withPlace } from '../base/errors.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { addHexOptions, type HexOptions } from '../calls/hex-options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { tellNotOpened } from '../calls/refused.ts'
import { schemaChanges } from '../calls/schema-changes.ts'
import { schemaResult } from '../calls/schema-result.ts'
import { type Takes, targetFor, targetsHelp } from '../calls/targets.ts'
import { asOf, refuseTimes } from '../calls/times.ts'
import { throughGroups } from '../calls/walkers.ts'
import type { SchemaDocument } from '../documents/schema.ts'
import { type ArraySchema, arraySchema } from '../format/array-schema.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { genericTileHeader } from '../format/generic-tile.ts'
import { decodePrefix } from '../format/io.ts'
import { type InspectArray, type SchemaFile, schemaFileOpened } from '../objects/array.ts'
import { enumerationFault } from '../objects/enumerations.ts'
import { readGenericTile, readGenericTileHeader } from '../objects/generic-tile.ts'
import { type FileTarget, type Target, withArticle } from '../objects/target.ts'
import type { ListedSchema, WhichSchema } from '../render/views/schema.ts'
import { readAll, withSource } from '../storage/source.ts'

interface SchemaOptions extends HexOptions {
  all?: boolean
}

const TAKES = {
  array: '',
  'fragment in an array': 'its own schema',
  group: 'of each array',
  'schema or lone file': '',
} as const satisfies Takes
const TAKES_WITH = { '--all': { array: '', group: '' } } as const satisfies CommandModule<never>['takesWith']

export const command: CommandModule<SchemaOptions> = {
  about:
    'With --all it shows every schema of an evolved array. Above the schemas, a line for each says what changed. diff takes schema files from __schema.',
  examples: [
    ['dimensions, attributes, filters', 'schema places'],
    ['what changed between the schemas of an evolved array', 'schema --all places'],
    ['for a script', 'schema --json weather'],
  ],
  takesTimes: true,

  takes: TAKES,
  takesWith: TAKES_WITH,

  configure(command) {
    command
      .argument('<target...>', targetsHelp(TAKES))
      .option('--all', 'show every schema of an evolved array, oldest first')
    addHexOptions(command)
  },

  async *run(cx, [path], options) {
    if (options.all) refuseTimes(cx, 'what --all shows')
    yield* throughGroups(cx, path, await cx.open(path), (inner, target) => schemasOf(cx, inner, target, options))
  },
}

async function* schemasOf(
  cx: CommandContext,
  path: string,
  found: Target,
  options: SchemaOptions,
): AsyncGenerator<Outcome> {
  if (options.all) await targetFor(cx, 'schema --all', TAKES_WITH['--all'], found)
  if (found.type === 'fragment' || found.type === 'file') refuseTimes(cx, withArticle(found.type))
  if (found.type === 'file' && options.hex) {
    yield* (await import('../calls/hex.ts')).fileHex(cx, found.path, options)
    return
  }
  const target = await targetFor(cx, 'schema', TAKES, found)
  switch (target.type) {
    case 'group':
      return
    case 'array': {
      const files = await target.array.schemaFiles()
      // Throws, because an array must have a schema.
      if (files.length === 0) await target.array.newestSchema()
      const opened = schemaFileOpened(files, cx.reading.now)
      let told: ReadonlySet<string> | undefined
      if (options.all && !options.hex) told = yield* allSchemas(cx, target.array, files, opened)
      else {
        const wanted = options.all || !opened ? files : [opened]
        for (const file of wanted) yield* oneSchema(cx, target.array, file, files, options)
      }
      await tellNotOpened(cx, target.array, { schema: true, told })
      return
    }
    case 'fragment': {
      const { schemaName } = await target.fragment.info()
      const files = await target.array.schemaFiles(schemaName)
      const file = files.find(({ name }) => name === schemaName)
      if (!file) {
        const missing = { expected: `the fragment's schema ${schemaName}`, found: 'no such file' }
        throw new InspectError('MISSING_FILE', missing, { file: path })
      }
      yield* oneSchema(cx, target.array, file, files, options)
      return
    }
    case 'file':
      yield await fileOutcome(cx, path, target)
  }
}

/** The schema in a file. */
async function fileOutcome(cx: CommandContext, path: string, target: FileTarget): Promise<Outcome> {
  const bytes = await withSource(cx.storage.open(target.path), readAll)
  const schema = await readGenericTile(bytes, arraySchema, cx.reading, { file: target.path, offset: 0 })
  const { encryption_type } = decodePrefix(bytes, genericTileHeader).value
  const enumerations = target.array ? await readableEnumerations(cx, target.array, schema) : []
  return outcome({
    ...documentHead('schema', cx.shownPath(path)),
    name: target.name,
    encryption: encryption_type,
    ...withPlace({ file: target.path }, () => schemaResult(schema, enumerations, cx.style)),
    ...(target.array ? missingIn(schema, enumerations) : {}),
  })
}

/** A schema of an array, or the bytes of its file. */
async function* oneSchema(
  cx: CommandContext,
  array: InspectArray,
  file: SchemaFile,
  files: SchemaFile[],
  options: SchemaOptions,
): AsyncGenerator<Outcome> {
  const path = `${array.folder.path}/${file.path}`
  if (options.hex) {
    yield* (await import('../calls/hex.ts')).fileHex(cx, path, options)
    return
  }
  const document = await schemaDocument(cx, array, file)
  yield outcome(document, { number: files.indexOf(file) + 1, count: files.length, all: false })
}

/**
 * Shows every schema that can be read, the oldest first, and then the errors of the others. Above the first table there is a line for each
 * schema that is shown.
 * @param opened the schema with which TileDB opens the array
 * @returns paths of the files with errors
 */
async function* allSchemas(
  cx: CommandContext,
  array: InspectArray,
  files: SchemaFile[],
  opened: SchemaFile | undefined,
): AsyncGenerator<Outcome, ReadonlySet<string>> {
  const shown: ListedSchema[] = []
  const faults: InspectError[] = []
  for (const [i, file] of files.entries()) {
    const document = await orError(() => schemaDocument(cx, array, file))
    if (document instanceof InspectError) {
      faults.push(document)
      if (exitCodeOf(document) === 1) continue
      // A wrong key, for example, is wrong for every schema.
      break
    }
    // Numbers begin at 1, so `i` is that of the file before. If that file cannot be read, what changed is not known.
    const last = shown.at(-1)
    const before = last?.number === i ? last.document : undefined
    const changes = before && schemaChanges(...comparedSchemas(before, document))
    shown.push({ document: changes ? { ...document, changes } : document, number: i + 1, isCurrent: file === opened })
  }
  for (const [i, { document, number }] of shown.entries()) {
    const listed = i === 0 && files.length > 1 ? shown : []
    yield outcome(document, { number, count: files.length, all: true }, listed)
  }
  for (const error of faults) yield { kind: 'error', error }
  return new Set(faults.flatMap(({ at }) => at.file ?? []))
}

/** What two documents say of their schemas alone. */
function comparedSchemas(...documents: [SchemaDocument, SchemaDocument]) {
  const [before, after] = documents.map(
    ({ kind, path, schema_version, name, encryption, as_of, changes, ...compared }) => compared,
  )
  return [before, after] as const
}

async function schemaDocument(cx: CommandContext, array: InspectArray, file: SchemaFile): Promise<SchemaDocument> {
  const path = `${array.folder.path}/${file.path}`
  const { encryption_type } = await withSource(cx.storage.open(path), readGenericTileHeader)
  const schema = await array.schema(file.name)
  const enumerations = await readableEnumerations(cx, array, schema)
  return {
    ...documentHead('schema', cx.shownPath(array.folder.path)),
    ...asOf(cx),
    name: file.name,
    encryption: encryption_type,
    ...withPlace({ file: path }, () => schemaResult(schema, enumerations, cx.style)),
    ...missingIn(schema, enumerations),
  }
}

/**
 * The enumerations of a schema that are there. Lost enumerations are left out and reported.
 * @throws InspectError if one is damaged
 */
async function readableEnumerations(
  cx: CommandContext,
  array: InspectArray,
  schema: ArraySchema,
): Promise<Enumeration[]> {
  const found: Enumeration[] = []
  for (const entry of schema.enumerations) {
    const read = await orError(() => array.enumeration(entry))
    if (!(read instanceof InspectError)) found.push(read)
    else if (read.code !== 'NOT_FOUND') throw read
    else cx.fault(enumerationFault(read, `enumerations.${entry.name}`))
  }
  return found
}

/** The key about enumerations that {@link readableEnumerations} has left out. */
function missingIn(schema: ArraySchema, found: readonly Enumeration[]): Pick<SchemaDocument, 'missing_enumerations'> {
  const known = new Set(found.map(({ name }) => name))
  const missing = schema.enumerations.flatMap(({ name }) => (known.has(name) ? [] : [name]))
  return missing.length > 0 ? { missing_enumerations: missing } : {}
}

/** @param listed the schemas that get a line each above the table */
function outcome(document: SchemaDocument, which?: WhichSchema, listed?: readonly ListedSchema[]): Outcome {
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/schema.ts')).schemaTable(document, which, out, listed),
  }
}
