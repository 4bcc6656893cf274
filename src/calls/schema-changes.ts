import type { AttributeDescription, CellValue } from '../documents/common.ts'
import type { SchemaChange, SchemaDocument, SchemaEnumeration } from '../documents/schema.ts'
import { formOf } from '../objects/changed-fields.ts'
import { differences } from './compare-results.ts'

/** The part of a schema document that can change. */
type Comparable = Omit<SchemaDocument, 'kind' | 'path' | 'schema_version' | 'name' | 'encryption' | 'as_of' | 'changes'>

/** The changes of a schema evolution: in attributes, in enumerations, in the current domain, and then in anything else. */
export function schemaChanges(before: Comparable, after: Comparable): SchemaChange[] {
  const { attributes, enumerations, missing_enumerations = [], current_domain, ...rest } = withUsedFilters(before)
  const {
    attributes: attributesNow,
    enumerations: enumerationsNow,
    missing_enumerations: missingNow = [],
    current_domain: domainNow,
    ...restNow
  } = withUsedFilters(after)
  // Without its file nothing tells how an enumeration changed.
  const missing = new Set([...missing_enumerations, ...missingNow])
  const readable = (all: readonly SchemaEnumeration[]) => all.filter(({ name }) => !missing.has(name))
  return [
    ...byName('attribute', attributes, attributesNow, attributeChanges),
    ...byName('enumeration', readable(enumerations), readable(enumerationsNow), enumerationChanges),
    ...domainChanges(current_domain, domainNow),
    ...otherChanges(null, rest, restNow),
  ]
}

/**
 * The schema with the filters that the dimensions' files are written with: a dimension without filters gets those of coordinates.
 * TileDB stores them so when the schema evolves.
 */
export function withUsedFilters<S extends Pick<SchemaDocument, 'coords_filters' | 'dimensions'>>(schema: S): S {
  const { coords_filters, dimensions } = schema
  const used = dimensions.map((one) => (one.filters.filters.length === 0 ? { ...one, filters: coords_filters } : one))
  return { ...schema, dimensions: used }
}

function* byName<T extends { name: string }>(
  what: SchemaChange['what'],
  before: readonly T[],
  after: readonly T[],
  changes: (before: T, after: T) => Iterable<SchemaChange>,
): Generator<SchemaChange> {
  for (const one of before)
    if (!after.some(({ name }) => name === one.name)) yield { change: 'dropped', what, name: one.name }
  for (const one of after) {
    const known = before.find(({ name }) => name === one.name)
    if (known) yield* changes(known, one)
    else yield { change: 'added', what, name: one.name, to: one }
  }
}

function* attributeChanges(before: AttributeDescription, after: AttributeDescription): Generator<SchemaChange> {
  const { name } = after
  const [from, to] = [formOf(before), formOf(after)]
  // Evolution cannot change the form: the attribute was dropped and added again.
  if (from !== to) yield { change: 'changed', what: 'attribute', name, from: before, to: after }
  else yield* otherChanges(`attributes.${name}`, before, after)
}

function* enumerationChanges(before: SchemaEnumeration, after: SchemaEnumeration): Generator<SchemaChange> {
  const { name, values } = after
  const known = before.values.length
  const isSame = (a: CellValue, b: CellValue): boolean => differences('', a, b).next().done === true
  const what = 'enumeration'
  if (values.length > known && before.values.every((value, i) => isSame(value, values[i])))
    yield { change: 'extended', what, name, to: values.slice(known) }
  else yield* otherChanges(`enumerations.${name}`, before, after)
}

function* domainChanges(
  before: SchemaDocument['current_domain'],
  after: SchemaDocument['current_domain'],
): Generator<SchemaChange> {
  if (differences('', before, after).next().done) return
  yield {
    change: before && after ? 'extended' : 'changed',
    what: 'current_domain',
    name: null,
    from: before,
    to: after,
  }
}

function* otherChanges(path: string | null, before: object, after: object): Generator<SchemaChange> {
  for (const { path: name, a, b } of differences(path ?? '', { ...before }, { ...after }))
    yield { change: 'changed', what: 'other', name, from: a, to: b }
}
