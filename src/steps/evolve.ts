import { InspectError, unexpected } from '../base/errors.ts'
import { compareValues } from '../cells/rtree-builder.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { CurrentDomain } from '../format/current-domain.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { defaultFillValue } from '../format/fill-value.ts'
import { NEWEST_STABLE } from '../format/releases.ts'
import type { InspectArray } from '../objects/array.ts'
import { asIs, cell, type DocumentValue, integer, list, listOrNone, object, or, text } from '../write/document.ts'
import { enumerationCells, newEnumeration } from '../write/enumerations.ts'
import { checkSchema, ENUMERATIONS_SINCE } from '../write/schema-check.ts'
import {
  currentDomainOf,
  documentAttribute,
  documentEnumeration,
  type SchemaParts,
  schemaOf,
} from '../write/schema-document.ts'
import { writeSchema } from './create.ts'
import type { StepTarget } from './step-target.ts'

const EVOLUTION_SINCE = 10
const CURRENT_DOMAIN_SINCE = 22

/** The keys of a step that evolves a schema: the changes. */
export const EVOLUTION = {
  add_attributes: asIs,
  drop_attributes: listOrNone(text),
  add_enumerations: asIs,
  extend_enumerations: listOrNone(object({ name: text, values: asIs })),
  drop_enumerations: listOrNone(text),
  current_domain: asIs,
  format_version: or(integer(EVOLUTION_SINCE, NEWEST_STABLE), undefined),
} as const
type Evolution = { [K in keyof typeof EVOLUTION]: ReturnType<(typeof EVOLUTION)[K]> }

/**
 * Writes a newer schema. As in TileDB, the changes are applied in the order of their keys.
 * @returns path of the schema's file in the array
 * @see tiledb/sm/array_schema/array_schema_evolution.cc; Array::upgrade_version for the format version
 */
export async function evolve(
  place: StepTarget,
  changes: Evolution,
  step: DocumentValue,
  time: bigint,
): Promise<string> {
  const array = await place.array()
  const { schema } = await array.newestSchema()
  const { style, uuid } = place.cx
  const version = Math.max(schema.version, changes.format_version ?? 0)
  const since = (first: number, key: string): void => {
    if (version < first && !step.at(key).missing)
      step
        .at(key)
        .fail(`none before format version ${first}: "format_version" upgrades the array`, `version ${version}`)
  }
  if (version < EVOLUTION_SINCE)
    step.fail(
      `an array of format version ${EVOLUTION_SINCE} or newer: "format_version" upgrades it`,
      `version ${version}`,
    )
  for (const key of ['add_enumerations', 'extend_enumerations', 'drop_enumerations']) since(ENUMERATIONS_SINCE, key)
  since(CURRENT_DOMAIN_SINCE, 'current_domain')
  const enumerations = await array.enumerations(schema)
  const added = listOrNone(documentEnumeration({ version, style }, uuid))(changes.add_enumerations)
  await refuseShorter(array, added, step)
  const dropped = new Set(changes.drop_enumerations)
  const extended = new Map(changes.extend_enumerations.map((one) => [one.name, one.values]))
  known(extended.keys(), enumerations, step.at('extend_enumerations'))
  known(dropped, enumerations, step.at('drop_enumerations'))
  const fresh: Enumeration[] = []
  const kept = enumerations.flatMap((one) => {
    const values = extended.get(one.name)
    if (dropped.has(one.name)) return []
    if (!values) return [one]
    const more = list(cell(one.type, one.cell_val_num, style))(values)
    const { name, type, cell_val_num, ordered } = one
    const longer = newEnumeration({ name, type, cell_val_num, ordered }, [...enumerationCells(one), ...more], uuid())
    fresh.push(longer)
    return [longer]
  })
  known(changes.drop_attributes, schema.attributes, step.at('drop_attributes'))
  const attributes = [
    ...schema.attributes,
    ...listOrNone(documentAttribute({ version, style }))(changes.add_attributes),
  ].filter(({ name }) => !changes.drop_attributes.includes(name))
  const all = [...kept, ...added]
  // Before format 6 a schema stores no fill values: cells have the defaults.
  const withFill = attributes.map((one) => ({
    ...one,
    fill_value: one.fill_value ?? defaultFillValue(one.type, one.cell_val_num),
  }))
  const current_domain = currentDomainNow(schema, changes.current_domain, place)
  const now = schemaOf({ ...schema, version, attributes: withFill, current_domain }, schema.domain.dimensions, all)
  const parts: SchemaParts = { schema: now, enumerations: all }
  checked(parts, step.path)
  const name = await writeSchema(place, { schema: now, enumerations: [...fresh, ...added] }, time)
  // TileDB opens the schema whose name sorts last as text.
  const opened = (await (await place.array()).newestSchema()).file.name
  if (opened !== name)
    step
      .at('time')
      .fail('a time whose name comes after those of older schemas, as text too', `${time}: ${opened} stays the newest`)
  return `__schema/${name}`
}

/** Refuses an enumeration of fewer values than one of that name had: cells may index the others, and TileDB's readers fail on them. */
async function refuseShorter(array: InspectArray, added: readonly Enumeration[], step: DocumentValue): Promise<void> {
  if (added.length === 0) return
  for (const { name } of await array.schemaFiles()) {
    for (const before of await array.enumerations(await array.schema(name))) {
      const now = added.find((one) => one.name === before.name)
      const least = enumerationCells(before).length
      const found = now && enumerationCells(now).length
      if (found !== undefined && found < least)
        step
          .at('add_enumerations')
          .fail(
            `${least} values or more in ${JSON.stringify(before.name)}, as before: cells may index them`,
            `${found}`,
          )
    }
  }
}

function known(names: Iterable<string>, all: readonly { name: string }[], at: DocumentValue): void {
  for (const name of names)
    if (!all.some((one) => one.name === name))
      at.fail(`names of ${all.map((one) => one.name).join(', ') || 'nothing'}`, JSON.stringify(name))
}

/** The current domain after a change. It may only grow. @see ArraySchema::expand_current_domain */
function currentDomainNow(
  { current_domain, domain: { dimensions } }: ArraySchema,
  given: DocumentValue,
  { cx }: StepTarget,
): CurrentDomain {
  const none: CurrentDomain = { version: 0, type: undefined, range: undefined }
  if (given.missing) return current_domain ?? none
  const next = currentDomainOf(given, dimensions, cx.style)
  for (const [d, before] of (current_domain?.range ?? []).entries()) {
    const after = next.range?.[d]
    const dimension = dimensions[d]
    if (
      !after ||
      compareValues(dimension, after.min, before.min) > 0 ||
      compareValues(dimension, after.max, before.max) < 0
    )
      throw unexpected(
        'a current domain that holds the one before',
        'one that leaves a part of it',
        `${given.path}.${dimension.name}`,
      )
  }
  return next
}

/** {@link checkSchema}, whose errors have the path of the step before that of the key. */
export function checked(parts: SchemaParts, path: string): void {
  try {
    checkSchema(parts, true)
  } catch (error) {
    if (!(error instanceof InspectError) || error.at.field === undefined) throw error
    const at = { ...error.at, field: `${path}.${error.at.field}` }
    throw new InspectError(error.code, error.fault, at, { cause: error.cause })
  }
}
