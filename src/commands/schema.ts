import { InspectError, orError, withPlace } from '../base/errors.ts'
import type { DocumentHead } from '../documents/common.ts'
import type { SchemaDocument, SchemaEnumeration } from '../documents/schema.ts'
import { type ArraySchema, arraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import { type Enumeration, enumerationValues, enumerationValueType } from '../format/enumeration.ts'
import { genericTileHeader } from '../format/generic-tile.ts'
import { decodePrefix } from '../format/io.ts'
import { type CellValue, cellValue, type ValueStyle } from '../format/value.ts'
import type { WhichSchema } from '../render/views/schema.ts'
import { readAll, withSource } from '../source/source.ts'
import { type InspectArray, type SchemaFile, schemaFileOpened } from '../store/array.ts'
import { readGenericTile, readGenericTileHeader } from '../store/generic-tile.ts'
import { type FileTarget, type Target, withArticle } from '../store/target.ts'
import type { CommandContext, CommandModule } from './command.ts'
import { documentHead } from './document-parts.ts'
import { addHexOptions, type HexOptions } from './hex-options.ts'
import type { Outcome } from './outcome.ts'
import { schemaChanges } from './schema-changes.ts'
import { type Takes, targetFor, targetsHelp } from './targets.ts'
import { asOf, refuseTimes } from './times.ts'
import { domainResult, pipelineResult, rangesResult } from './values.ts'
import { throughGroups } from './walkers.ts'

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
    yield* throughGroups(cx, path, await cx.open(path), (path, target) => schemasOf(cx, path, target, options))
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
    yield* (await import('./hex.ts')).fileHex(cx, found.path, options)
    return
  }
  const target = await targetFor(cx, 'schema', TAKES, found)
  switch (target.type) {
    case 'group':
      return
    case 'array': {
      const files = await target.array.schemaFiles()
      if (files.length === 0) await target.array.newestSchema()
      const opened = schemaFileOpened(files, cx.reading.now)
      if (options.all && !options.hex) yield* allSchemas(cx, target.array, files)
      else
        for (const file of options.all || !opened ? files : [opened])
          yield* oneSchema(cx, target.array, file, files, options)
      return
    }
    case 'fragment': {
      const { schemaName } = await target.fragment.info()
      const files = await target.array.schemaFiles(schemaName)
      const file = files.find(({ name }) => name === schemaName)
      const missing = { expected: `the fragment's schema ${schemaName}`, found: 'no such file' }
      if (!file) throw new InspectError('MISSING_FILE', missing, { file: path })
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
  const enumerations = target.array ? await target.array.enumerations(schema) : []
  return outcome({
    ...documentHead('schema', cx.shownPath(path)),
    name: target.name,
    encryption: encryption_type,
    ...withPlace({ file: target.path }, () => schemaResult(schema, enumerations, cx.style)),
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
    yield* (await import('./hex.ts')).fileHex(cx, path, options)
    return
  }
  const document = await schemaDocument(cx, array, file)
  yield outcome(document, { number: files.indexOf(file) + 1, count: files.length, all: false })
}

/** Shows every schema, the oldest first. Above the first table there is a line for each schema. */
async function* allSchemas(cx: CommandContext, array: InspectArray, files: SchemaFile[]): AsyncGenerator<Outcome> {
  const documents: SchemaDocument[] = []
  let fault: InspectError | undefined
  for (const file of files) {
    const document = await orError(() => schemaDocument(cx, array, file))
    if (document instanceof InspectError) {
      fault = document
      break
    }
    const before = documents.at(-1)
    documents.push(before ? { ...document, changes: schemaChanges(...comparedSchemas(before, document)) } : document)
  }
  for (const [i, document] of documents.entries()) {
    const which = { number: i + 1, count: files.length, all: true }
    const steps = i === 0 && files.length > 1 ? documents : []
    yield outcome(document, which, steps)
  }
  if (fault) throw fault
}

/** Schemas without the keys that differ in every schema. */
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
  const enumerations = await array.enumerations(schema)
  return {
    ...documentHead('schema', cx.shownPath(array.folder.path)),
    ...asOf(cx),
    name: file.name,
    encryption: encryption_type,
    ...withPlace({ file: path }, () => schemaResult(schema, enumerations, cx.style)),
  }
}

/** @param steps the schemas that get a line each above the table */
function outcome(document: SchemaDocument, which?: WhichSchema, steps?: readonly SchemaDocument[]): Outcome {
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/schema.ts')).schemaTable(document, which, out, steps),
  }
}

/** A schema in the form of the `schema` document. */
export function schemaResult(
  schema: ArraySchema,
  enumerations: readonly Enumeration[],
  style: ValueStyle,
): Omit<SchemaDocument, keyof DocumentHead | 'name' | 'encryption'> {
  const dimensions = schema.domain.dimensions
  const domain = schema.current_domain?.range
  const ranges = domain ? rangesResult(dimensions, domain, style) : undefined
  return {
    format_version: schema.version,
    array_type: schema.array_type,
    tile_order: schema.tile_order,
    cell_order: schema.cell_order,
    capacity: schema.capacity,
    allows_duplicates: schema.allows_duplicates,
    coords_filters: pipelineResult(schema.coords_filters),
    offsets_filters: pipelineResult(schema.offsets_filters),
    validity_filters: schema.validity_filters && pipelineResult(schema.validity_filters),
    dimensions: dimensions.map((dimension) => ({
      ...nameAndType(dimension),
      domain: domainResult(dimension.type, dimension.domain, style),
      // Raw, because an extent is a count in the dimension's unit, never a date.
      tile_extent: dimension.tile_extent ? cellValue(dimension.type, 1, dimension.tile_extent, { raw: true }) : null,
      filters: pipelineResult(dimension.filters),
    })),
    attributes: schema.attributes.map((attribute) => ({
      ...nameAndType(attribute),
      nullable: attribute.nullable,
      fill_value: attribute.fill_value ? fillValue(attribute, attribute.fill_value, style) : null,
      fill_value_validity: attribute.nullable ? attribute.fill_value_validity : undefined,
      order: attribute.order,
      enumeration: attribute.enumeration === '' ? null : attribute.enumeration,
      filters: pipelineResult(attribute.filters),
    })),
    enumerations: enumerations.map((e) => enumerationResult(e, style)),
    dimension_labels: schema.dimension_labels.map((label) => ({
      name: label.name,
      dimension_index: label.dimension_index,
      order: label.order,
      type: label.type,
      cell_val_num: label.cell_val_num,
      attribute: label.attribute,
      uri: label.uri,
      relative: label.relative,
      external: label.external,
    })),
    current_domain: ranges ? Object.fromEntries(dimensions.map(({ name }, d) => [name, ranges[d]])) : null,
  }
}

function fillValue({ name, type, cell_val_num }: Attribute, bytes: Uint8Array, style: ValueStyle): CellValue {
  return withPlace({ field: `attributes.${name}.fill_value` }, () => cellValue(type, cell_val_num, bytes, style))
}

type NameAndType = Pick<SchemaEnumeration, 'name' | 'type' | 'cell_val_num'>

/** The first keys of a field and of an enumeration. */
function nameAndType({ name, type, cell_val_num }: NameAndType): NameAndType {
  return { name, type, cell_val_num }
}

/** An enumeration with its values in their order. */
export function enumerationResult(enumeration: Enumeration, style: ValueStyle): SchemaEnumeration {
  const values = enumerationValues(enumeration)
  const type = enumerationValueType(enumeration, values)
  return {
    ...nameAndType(enumeration),
    ordered: enumeration.ordered,
    values: values.map((bytes) => cellValue(type, enumeration.cell_val_num, bytes, style)),
  }
}
