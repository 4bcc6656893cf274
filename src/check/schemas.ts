import { InspectError, isAboutBytes, orError, unlessFault } from '../base/errors.ts'
import { shortSize, sizeText } from '../base/sizes.ts'
import { numbersOf } from '../cells/elements.ts'
import { compareValues, isInDomain } from '../cells/rtree-builder.ts'
import { sameBytes } from '../filters/bytes.ts'
import { type ArraySchema, arraySchema } from '../format/array-schema.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import { type Enumeration, enumerationFile, enumerationValueNum, enumerationValues } from '../format/enumeration.ts'
import { INTERNAL_FIELDS } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { asOfText } from '../format/timestamped-name.ts'
import {
  enumerationPath,
  type InspectArray,
  type SchemaFile,
  schemaFileOpened,
  schemasByName,
  timesOpened,
} from '../objects/array.ts'
import { boundedEnumeration } from '../objects/enumerations.ts'
import { readGenericTileHeader, readTileFile } from '../objects/generic-tile.ts'
import { withSource } from '../storage/source.ts'
import { areCellsByNumber } from './by-number.ts'
import type { KnownFault } from './codes/known.ts'
import type { FindingCode, VariantOf } from './codes.ts'
import { type Finding, type FindingPlace, finding, guardedValue, type Items } from './finding.ts'
import { checkedTileFile, filterFindings } from './generic-tiles.ts'
import { pipelinesOf } from './pipelines.ts'
import type { CheckRun } from './run.ts'

/** An enumeration, as a schema names it. */
type NamedEnumeration = Pick<Enumeration, 'name' | 'path_name'>

/** The schemas of one array. Each is checked once. */
export class CheckedSchemas {
  private readonly run: CheckRun
  private readonly array: InspectArray
  readonly files: readonly SchemaFile[]
  /** By name; undefined if a schema could not be read. */
  private readonly checked = new Map<string, ArraySchema | undefined>()
  /** Paths of the schemas whose enumerations were checked. */
  private readonly schemasDone = new Set<string>()
  private readonly enumerationsDone = new Set<string>()
  /** Paths of the files of which the finding about another one tells. */
  private readonly enumerationsExchanged = new Set<string>()

  constructor(run: CheckRun, array: InspectArray, files: readonly SchemaFile[]) {
    this.run = run
    this.array = array
    this.files = files
  }

  get opened(): SchemaFile | undefined {
    return schemaFileOpened(this.files, this.array.cx.now)
  }

  /**
   * Checks all schemas, because TileDB reads all of them to open the array. Checks enumerations only of the schemas that TileDB
   * uses to read and to write, unless the run includes all. A quick check looks only at the schema of the opened array.
   * @param enumerations whether enumerations are checked at all: TileDB does not need them to open the array
   */
  async *checkAll(enumerations = true): Items {
    const { files, opened, array } = this
    if (files.length === 0) yield finding('ARRAY_NO_SCHEMA', { file: array.folder.path }, 'a schema', 'none')
    if (this.run.quick) {
      if (!opened) return
      yield* this.check(opened)
      yield* this.missingEnumerations(opened)
      yield* this.foreign()
      return
    }
    yield* this.checkEncryption()
    for (const file of files) {
      yield* this.check(file)
      if (enumerations && (this.run.all || file === files.at(-1) || file === opened))
        yield* this.checkEnumerations(file.name)
    }
    yield* this.foreign()
    if (enumerations) yield* this.checkEarlierValues()
  }

  /** Reports the schemas of other arrays. */
  private async *foreign(): Items {
    const { files, opened, array } = this
    if (files.length < 2) return
    const { foreignSchemas } = await import('./foreign-schemas.ts')
    for (const { file, changed, isNamed } of (await foreignSchemas(array)).values()) {
      const place = { file: `${array.folder.path}/${file.path}`, field: changed.field }
      const variant = isNamed || file === opened ? undefined : 'unused'
      yield finding('SCHEMA_FOREIGN', place, `${changed.now}, as in the other schemas`, changed.written, variant)
    }
  }

  /** Checks the enumerations of a schema, unless they were checked before. */
  async *checkEnumerations(name: string | undefined): Items {
    const path = this.files.find((one) => one.name === name)?.path
    const schema = this.get(name)
    if (path === undefined || !schema || this.schemasDone.has(path)) return
    this.schemasDone.add(path)
    const file = `${this.array.folder.path}/${path}`
    const known = new Set(schema.enumerations.map(({ name }) => name))
    for (const { name, enumeration } of schema.attributes) {
      if (enumeration !== '' && !known.has(enumeration)) {
        const place = { file, field: `attributes.${name}.enumeration` }
        yield finding('ENUMERATION_UNLISTED', place, 'an enumeration of the schema', JSON.stringify(enumeration))
      }
    }
    for (const enumeration of schema.enumerations) {
      const { name, path_name } = enumeration
      if (this.enumerationsDone.has(path_name)) continue
      this.enumerationsDone.add(path_name)
      const path = enumerationPath(enumeration.path_name)
      if (!(await this.isThere(enumeration))) {
        yield await this.missingEnumeration(file, enumeration)
        continue
      }
      const { folder, cx } = this.array
      const read = yield* withUnknownVersion(
        checkedTileFile(this.run, cx, {
          folder,
          path,
          describe: boundedEnumeration(cx),
          code: 'ENUMERATION_UNREADABLE',
        }),
      )
      if (!read) continue
      const inFile = `${folder.path}/${path}`
      const { value } = read
      const other = await this.exchangedWith(value, path_name)
      if (other !== undefined) {
        const [here, there] = [path_name, value.path_name].map((one) => JSON.stringify(one))
        const place = { file: inFile, field: 'path_name' }
        // One finding is enough for both files.
        if (this.enumerationsExchanged.has(path)) continue
        this.enumerationsExchanged.add(other)
        yield { ...finding('ENUMERATION_NAME', place, here, there, 'exchanged'), exchanged: other }
        continue
      }
      const expected = { name, path_name }
      for (const field of ['name', 'path_name'] as const) {
        if (value[field] === expected[field]) continue
        const [here, there] = [expected, value].map((one) => JSON.stringify(one[field]))
        yield finding('ENUMERATION_NAME', { file: inFile, field }, here, there)
      }
      yield* checkEnumerationValues(value, inFile)
    }
  }

  /** Reports the enumerations of a schema whose files are missing. */
  private async *missingEnumerations({ name, path }: SchemaFile): Items {
    for (const one of this.get(name)?.enumerations ?? [])
      if (!(await this.isThere(one))) yield await this.missingEnumeration(`${this.array.folder.path}/${path}`, one)
  }

  /** Reports an enumeration without its file. If no attribute uses it in the schema with which TileDB opens the array, only other times need it. */
  private async missingEnumeration(file: string, { name, path_name }: NamedEnumeration): Promise<Finding> {
    const { files, opened } = this
    const using = new Set<SchemaFile>()
    for (const one of files) {
      const schema = await this.array.schema(one.name).catch(unlessFault)
      const same = schema?.enumerations.find((other) => other.path_name === path_name)
      // TileDB keeps an enumeration in its schema when its last attribute goes.
      if (same && schema?.attributes.some(({ enumeration }) => enumeration === same.name)) using.add(one)
    }
    const place = { file, field: `enumerations.${name}` }
    const missing = enumerationPath(path_name)
    const expected = `the file ${JSON.stringify(path_name)}`
    if (!opened || using.has(opened)) return { ...finding('ENUMERATION_MISSING', place, expected, 'none'), missing }
    const times = timesOpened(files, using).map(([first, last]) => asOfText(first, last))
    if (times.length === 0) return { ...finding('ENUMERATION_MISSING', place, expected, 'none', 'unused'), missing }
    const variant = (await this.isExtended(name, using)) ? 'extended' : 'older'
    const needed = `${expected}, for reads ${times.join(' and ')}`
    return { ...finding('ENUMERATION_MISSING', place, needed, 'none', variant), missing }
  }

  /**
   * Whether the opened schema has the enumeration of these older schemas with more values: TileDB only ever adds values, unless the
   * enumeration was removed and added again. Then a schema between them is without it.
   */
  private async isExtended(name: string, older: ReadonlySet<SchemaFile>): Promise<boolean> {
    const { opened, array } = this
    // TileDB changes the schema that it opens, so each follows from the one before it in this order.
    const files = schemasByName(this.files)
    const first = files.findIndex((one) => older.has(one))
    const last = opened ? files.indexOf(opened) : -1
    // The enumeration of a later schema may have fewer values.
    if (last < first) return false
    for (const one of files.slice(first, last + 1)) {
      const enumerations = (await array.schema(one.name).catch(unlessFault))?.enumerations
      const same = enumerations?.find((other) => other.name === name)
      if (!same || (one === opened && (await this.valueNum(same.path_name)) === 0)) return false
    }
    return true
  }

  private async isThere(enumeration: NamedEnumeration): Promise<boolean> {
    if (enumeration.path_name.includes('/')) return false
    return (await this.array.folder.kind(enumerationPath(enumeration.path_name))) === 'file'
  }

  /**
   * Checks that the enumerations of the opened schema begin with the values that they had before: cells index these by position. TileDB
   * only ever adds values, but an enumeration can be dropped, and added again with fewer or others.
   */
  private async *checkEarlierValues(): Items {
    const { opened, array, files } = this
    const schema = this.get(opened?.name)
    for (const { name, path_name } of schema?.enumerations ?? []) {
      const earlier = new Map<string, SchemaFile>()
      for (const older of files.slice(0, opened ? files.indexOf(opened) : 0)) {
        const before = this.get(older.name)?.enumerations.find((one) => one.name === name)
        if (before && before.path_name !== path_name) earlier.set(before.path_name, older)
      }
      if (earlier.size === 0) continue
      const now = await this.enumeration(path_name)
      if (!now) continue
      const place = { file: `${array.folder.path}/${opened?.path}`, field: `enumerations.${name}` }
      const num = enumerationValueNum(now)
      let [most, other] = [0, undefined as SchemaFile | undefined]
      for (const [path, file] of earlier) {
        const before = await this.enumeration(path)
        if (!before) continue
        most = Math.max(most, enumerationValueNum(before))
        if (!beginsWith(now, before)) other ??= file
      }
      if (num < most) yield finding('ENUMERATION_VALUES', place, `${most} values or more, as before`, num, 'fewer')
      else if (other)
        yield finding('ENUMERATION_VALUES', place, `the values of ${other.path} first`, 'other ones', 'other')
    }
  }

  /** Number of values of an enumeration; 0 if its file is missing or damaged, which other findings say. Undefined if it was not seen. */
  private async valueNum(path_name: string): Promise<number | undefined> {
    if (path_name.includes('/')) return 0
    const read = await this.readEnumeration(path_name)
    if (read instanceof InspectError) return isAboutBytes(read) ? 0 : undefined
    return enumerationValueNum(read)
  }

  /** Path of the file that has the name of this enumeration, if the file of this one has the name of that; undefined if none has. */
  private async exchangedWith(found: Enumeration, path_name: string): Promise<string | undefined> {
    if (found.path_name === path_name || found.path_name.includes('/')) return undefined
    const other = await this.readEnumeration(found.path_name)
    if (other instanceof InspectError || other.path_name !== path_name) return undefined
    return enumerationPath(found.path_name)
  }

  /** An enumeration, in its file or in that with which this was exchanged; undefined if it cannot be read, or was not seen. */
  private async enumeration(path_name: string): Promise<Enumeration | undefined> {
    const read = path_name.includes('/') ? undefined : await this.readEnumeration(path_name)
    if (!read || read instanceof InspectError) return undefined
    if ((await this.exchangedWith(read, path_name)) === undefined) return read
    const other = await this.readEnumeration(read.path_name)
    return other instanceof InspectError ? undefined : other
  }

  private readEnumeration(path_name: string): Promise<Enumeration | InspectError> {
    const { folder, cx } = this.array
    return orError(() => readTileFile(folder.file(enumerationPath(path_name)), enumerationFile, cx))
  }

  /** Checks that all schemas are encrypted, or none: TileDB opens an array with a key or without. */
  private async *checkEncryption(): Items {
    if (this.files.length < 2) return
    const { folder } = this.array
    const encrypted: string[] = []
    const plain: string[] = []
    for (const { path } of this.files) {
      // The check of the schema reports an unreadable header.
      const header = await withSource(folder.file(path), readGenericTileHeader).catch(() => undefined)
      if (header) (header.encryption_type === 'AES_256_GCM' ? encrypted : plain).push(path)
    }
    if (encrypted.length === 0) return
    for (const path of plain) {
      const place = { file: `${folder.path}/${path}`, offset: 0, field: 'encryption_type' }
      yield finding('SCHEMA_UNREADABLE', place, `AES_256_GCM as in ${encrypted[0]}`, 'NO_ENCRYPTION')
    }
  }

  /** Returns a schema that was checked and could be read. */
  get(name: string | undefined): ArraySchema | undefined {
    return name === undefined ? undefined : this.checked.get(name)
  }

  /** Whether a schema was checked but could not be read. */
  isUnreadable(name: string): boolean {
    return this.checked.has(name) && this.get(name) === undefined
  }

  /** Names of the schemas whose file now has that of another array, by which their fragments cannot be read. */
  async replaced(): Promise<ReadonlySet<string>> {
    if (this.files.length < 2) return new Set()
    const { foreignSchemas } = await import('./foreign-schemas.ts')
    const foreign = Array.from(await foreignSchemas(this.array))
    return new Set(foreign.flatMap(([name, { isReplaced }]) => (isReplaced ? [name] : [])))
  }

  private async *check({ name, path }: SchemaFile): Items {
    const { run, array } = this
    const file = `${array.folder.path}/${path}`
    let schema: ArraySchema | undefined
    if (run.quick) {
      run.counts.file_num++
      schema = yield* withUnknownType(guardedValue('SCHEMA_UNREADABLE', { file }, () => array.schema(name)))
    } else {
      // The array's own reader tells a wrong key from damage. Checking the tile finds all other faults.
      schema = await array.schema(name).catch(() => undefined)
      yield* withUnknownType(
        checkedTileFile(run, array.cx, {
          folder: array.folder,
          path,
          describe: arraySchema,
          code: 'SCHEMA_UNREADABLE',
        }),
      )
    }
    this.checked.set(name, schema)
    if (!schema) return
    yield* schemaFindings(schema, file)
    yield* this.compressors(schema, name, path)
  }

  /** Reports compressors whose numbers contradict their types. The cells tell what TileDB makes of them. */
  private async *compressors(schema: ArraySchema, schemaName: string, path: string): Items {
    for (const [field, { filters }] of pipelinesOf(schema)) {
      for (const { name, compressor } of filters) {
        if (compressor === undefined) continue
        const place = { file: `${this.array.folder.path}/${path}`, field: `${field}.${name}.compressor` }
        const user = userOf(schema, field)
        const isRead = user !== undefined && (await areCellsByNumber(this.array, schemaName, field))
        const variant = isRead ? 'byNumber' : user
        yield finding('SCHEMA_FILTER_COMPRESSOR', place, `the number of ${name}`, compressor, variant)
      }
    }
  }
}

/** The type of an attribute, in a schema. */
const TYPE_OF_ATTRIBUTE = /^attributes\.\d+\.type$/

/** The items of reading a schema. Where that ends at the type of an attribute, TileDB goes on. */
async function* withUnknownType<T>(items: Items<T>): Items<T> {
  for (;;) {
    const { done, value } = await items.next()
    if (done) return value
    const isType = 'code' in value && value.code === 'SCHEMA_UNREADABLE' && TYPE_OF_ATTRIBUTE.test(value.field ?? '')
    if (!isType) {
      yield value
      continue
    }
    const { file, offset, space, field, expected, found } = value
    yield finding('SCHEMA_UNREADABLE', { file, offset, space, field }, expected, found, 'attributeType')
  }
}

/** The items of reading an enumeration. One of an unknown version is as good as lost: TileDB refuses it, too. */
async function* withUnknownVersion<T>(items: Items<T>): Items<T> {
  for (;;) {
    const { done, value } = await items.next()
    if (done) return value
    if ('notExamined' in value && value.notExamined.code === 'UNSUPPORTED_VERSION') {
      const { at, expected = 'version 0', found = 'another one' } = value.notExamined
      yield finding('ENUMERATION_UNREADABLE', { ...at, file: at.file ?? '' }, expected, found, 'version')
    } else yield value
  }
}

/** Checks that the values of an enumeration lie inside its bytes. */
function* checkEnumerationValues(enumeration: Enumeration, file: string): Generator<Finding> {
  const { type, cell_val_num, data, offsets } = enumeration
  let before = 0
  for (const [i, start] of offsets?.entries() ?? []) {
    if (start < before || start > data.length || (i === 0 && start !== 0)) {
      const place = { file, field: `offsets.${i}`, space: 'unfiltered content of the generic tile at 0' }
      yield finding('ENUMERATION_VALUES', place, i === 0 ? 0 : `${before} to ${data.length}`, start)
      return
    }
    before = start
  }
  const size = datatypeSize(type) * Number(cell_val_num)
  if (!offsets && data.length % size !== 0)
    yield finding('ENUMERATION_VALUES', { file, field: 'data' }, `values of ${size} bytes`, `${data.length} bytes`)
  const seen = new Map<string, number>()
  const latin1 = new TextDecoder('latin1')
  for (const [i, bytes] of enumerationValues(enumeration).entries()) {
    const value = latin1.decode(bytes)
    const first = seen.get(value)
    if (first !== undefined) {
      yield finding(
        'ENUMERATION_VALUES',
        { file, field: 'data' },
        'each value once',
        `${first} and ${i} alike`,
        'twice',
      )
      return
    }
    seen.set(value, i)
  }
}

/** Whether an enumeration has all values of an earlier one, in the same places: cells store indexes of values. */
function beginsWith(now: Enumeration, before: Enumeration): boolean {
  const size = before.data.length
  if (!sameBytes(now.data.subarray(0, size), before.data)) return false
  if (!before.offsets || !now.offsets) return before.offsets === now.offsets
  const { offsets } = now
  return before.offsets.every((start, i) => offsets[i] === start) && (offsets[before.offsets.length] ?? size) === size
}

/** Finds contradictions inside a schema. */
function* schemaFindings(schema: ArraySchema, file: string): Generator<Finding> {
  const wrong = (code: FindingCode, field: string, expected: string | number, found: string | number): Finding =>
    finding(code, { file, field }, expected, found)
  const { dimensions } = schema.domain
  const dense = schema.array_type === 'dense'
  if (dimensions.length === 0) yield wrong('SCHEMA_NO_DIMENSION', 'domain.dimensions', '1 or more', 0)
  const names = new Set<string>()
  for (const { name } of [...dimensions, ...schema.attributes, ...schema.dimension_labels]) {
    if (names.has(name)) yield wrong('SCHEMA_DUPLICATE_FIELD', 'name', 'a name of its own', JSON.stringify(name))
    names.add(name)
  }
  for (const { name } of [...dimensions, ...schema.attributes]) {
    if (INTERNAL_FIELDS.includes(name)) {
      yield finding('SCHEMA_DUPLICATE_FIELD', { file, field: 'name' }, 'a name of its own', JSON.stringify(name), 'own')
    }
  }
  const orders = ['row-major', 'col-major']
  if (!orders.includes(schema.tile_order))
    yield wrong('SCHEMA_LAYOUT', 'tile_order', orders.join(' or '), schema.tile_order)
  if (!orders.includes(schema.cell_order) && (dense || schema.cell_order !== 'hilbert')) {
    const place = { file, field: 'cell_order' }
    yield finding('SCHEMA_LAYOUT', place, orders.join(' or '), schema.cell_order, 'cellOrder')
  }
  if (!dense && schema.capacity === 0n) yield wrong('SCHEMA_CAPACITY', 'capacity', '1 or more', 0)
  for (const dimension of dimensions) yield* dimensionFindings(dimension, dense, file)
  yield* largeTileFindings(schema, file)
  for (const { name, type, cell_val_num, fill_value } of schema.attributes) {
    if (!fill_value) continue
    const size = datatypeSize(type) * (cell_val_num === 'var' ? 1 : cell_val_num)
    const fits =
      fill_value.length > 0 && (cell_val_num === 'var' ? fill_value.length % size === 0 : fill_value.length === size)
    if (fits) continue
    const place = { file, field: `attributes.${name}.fill_value` }
    const variant = dense ? undefined : 'sparse'
    yield finding('SCHEMA_FILL_VALUE', place, `${size} bytes`, fill_value.length, variant)
  }
  for (const [field, pipeline] of pipelinesOf(schema)) {
    for (const filter of pipeline.filters) yield* filterFindings(filter, { file, field }, true)
    if (pipeline.filters.some(({ name }) => name === 'AES_256_GCM')) {
      const expected = 'the AES filter in generic tiles alone'
      yield finding('SCHEMA_FILTER_OPTIONS', { file, field }, expected, 'it in a schema', 'aes')
    }
  }
  for (const { name, dimension_index } of schema.dimension_labels) {
    const field = `dimension_labels.${name}.dimension_index`
    const last = dimensions.length - 1
    if (dimension_index > last) yield wrong('LABEL_DIMENSION', field, `at most ${last}`, dimension_index)
  }
  const range = schema.current_domain?.range
  if (range) yield* checkRanges(dimensions, range, 'SCHEMA_CURRENT_DOMAIN', { file, field: 'current_domain' })
}

/**
 * Whose cells a pipeline of a schema filters: with `dimension` every read needs it, with `attribute` the reads of some attributes.
 * Undefined if it filters nothing.
 */
function userOf(
  { array_type, domain: { dimensions }, attributes }: ArraySchema,
  field: string,
): VariantOf<'SCHEMA_FILTER_COMPRESSOR'> | undefined {
  const coordinates = array_type === 'sparse' ? dimensions : []
  const ofDimension =
    (field === 'coords_filters' && coordinates.some(({ filters }) => filters.filters.length === 0)) ||
    (field === 'offsets_filters' && coordinates.some(({ cell_val_num }) => cell_val_num === 'var')) ||
    (field.startsWith('dimensions.') && array_type === 'sparse')
  if (ofDimension) return 'dimension'
  const ofAttribute =
    field.startsWith('attributes.') ||
    (field === 'offsets_filters' && attributes.some(({ cell_val_num }) => cell_val_num === 'var')) ||
    (field === 'validity_filters' && attributes.some(({ nullable }) => nullable))
  return ofAttribute ? 'attribute' : undefined
}

function* dimensionFindings(dimension: Dimension, dense: boolean, file: string): Generator<Finding> {
  const { name, type, cell_val_num, domain, tile_extent } = dimension
  const field = `dimensions.${name}`
  if (cell_val_num === 'var') return
  const size = datatypeSize(type)
  const [low, high] = [domain.subarray(0, size), domain.subarray(size)]
  if (!(compareValues(dimension, low, high) <= 0) || isNaNValue(dimension, low) || isNaNValue(dimension, high)) {
    yield finding('SCHEMA_DOMAIN', { file, field: `${field}.domain` }, 'a lower end below its upper end', 'the reverse')
    return
  }
  if (dense && datatypeKind(type) === 'float') {
    const place = { file, field: `${field}.type` }
    yield finding('SCHEMA_DOMAIN', place, 'an integer type in a dense array', type, 'denseFloat')
    return
  }
  const place = { file, field: `${field}.tile_extent` }
  const variant = dense ? undefined : 'sparse'
  if (!tile_extent) {
    if (dense) yield finding('SCHEMA_TILE_EXTENT', place, 'a tile extent in a dense array', 'none')
    return
  }
  if (datatypeKind(type) === 'float') {
    const [extent] = numbersOf(type, tile_extent)
    // For a domain of one value, TileDB itself writes an extent of 0.
    const point = extent === 0 && compareValues(dimension, low, high) === 0
    if (!(extent > 0) && !point) yield finding('SCHEMA_TILE_EXTENT', place, 'a positive tile extent', extent)
    return
  }
  const extent = integerOf(type, tile_extent)
  const cells = integerOf(type, high) - integerOf(type, low) + 1n
  // An extent too large for its signed type is stored as the unsigned number.
  const unsigned = integerOf('UINT64', tile_extent)
  if (unsigned === 0n || (extent <= 0n && unsigned > cells)) {
    // An extent of 0 fails: opening the array divides by it.
    yield finding('SCHEMA_TILE_EXTENT', place, 'a positive tile extent', extent, unsigned === 0n ? 'zero' : variant)
  } else if (extent > cells) {
    yield finding('SCHEMA_TILE_EXTENT', place, `at most ${cells}, the size of the domain`, extent, variant)
  }
}

/**
 * Bytes of one tile of all fields with which TileDB cannot write: 64 GiB. It reserves them at each write, however few cells are written. On a
 * machine with 23 GiB of memory, which gives out more than it has, 2.30 wrote with 32 GiB and failed with 64.
 */
const TOO_MUCH_RESERVED = 2 ** 36

/** A cell of any number of values takes this for where it starts. */
const OFFSET_BYTES = 8

/** Finds tiles for which no write has the memory. */
function* largeTileFindings(schema: ArraySchema, file: string): Generator<Finding> {
  const { dimensions } = schema.domain
  const dense = schema.array_type === 'dense'
  const cells = dense ? denseTileCells(dimensions) : Number(schema.capacity)
  let cellSize = 0
  for (const { type, cell_val_num } of [...schema.attributes, ...(dense ? [] : dimensions)])
    cellSize += cell_val_num === 'var' ? OFFSET_BYTES : datatypeSize(type) * cell_val_num
  if (!(cells * cellSize >= TOO_MUCH_RESERVED)) return
  const expected = `fewer than ${Math.ceil(TOO_MUCH_RESERVED / cellSize)} cells in a tile, 64 GiB in all fields`
  const found = `${sizeText(cells)}, ${shortSize(cells * cellSize)}`
  if (dense) yield finding('SCHEMA_TILE_EXTENT', { file, field: 'dimensions' }, expected, found, 'large')
  else yield finding('SCHEMA_CAPACITY', { file, field: 'capacity' }, expected, found, 'large')
}

/** Cells in a tile of a dense array; NaN if its dimensions lack what they need. */
function denseTileCells(dimensions: readonly Dimension[]): number {
  let cells = 1
  for (const { type, cell_val_num, tile_extent } of dimensions) {
    if (cell_val_num !== 1 || !tile_extent || datatypeKind(type) === 'float') return Number.NaN
    const extent = Number(integerOf(type, tile_extent))
    cells *= extent > 0 ? extent : Number.NaN
  }
  return cells
}

function isNaNValue({ type }: Dimension, bytes: Uint8Array): boolean {
  return datatypeKind(type) === 'float' && Number.isNaN(numbersOf(type, bytes)[0])
}

/**
 * Checks that the ranges are not reversed, and lie inside the domain.
 *
 * @param ranges one for each dimension
 * @param nanFault the known fault that leaves ranges of NaN; without it such ranges are wrong
 */
export function* checkRanges(
  dimensions: readonly Dimension[],
  ranges: NDRange,
  code: FindingCode,
  place: FindingPlace,
  nanFault?: KnownFault,
): Generator<Finding> {
  for (const [d, dimension] of dimensions.entries()) {
    const { min, max } = ranges[d]
    const at = { ...place, field: `${place.field}.${dimension.name}` }
    const nan = [min, max].filter((end) => dimension.cell_val_num !== 'var' && isNaNValue(dimension, end)).length
    if (nan === 2 && nanFault !== undefined) yield finding(code, at, 'numbers', 'NaN', nanFault)
    else if (nan > 0 || compareValues(dimension, min, max) > 0) {
      yield finding(code, at, 'a lower end below its upper end', 'the reverse')
    } else if (dimension.cell_val_num !== 'var') {
      if (!isInDomain(dimension, ranges[d])) yield finding(code, at, 'a range inside the domain', 'one that leaves it')
    }
  }
}
