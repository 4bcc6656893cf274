import { unlessFault } from '../../base/errors.ts'
import { finding, type Items } from '../../check/finding.ts'
import type { ArraySchema } from '../../format/array-schema.ts'
import { lengthsText } from '../lengths.ts'
import { checkRelative } from '../members.ts'
import { namesText } from '../names-text.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import {
  ENCODING_VERSION,
  ENCODINGS,
  isNDArray,
  isSomaType,
  JOINID,
  OBJECT_TYPE,
  RESERVED,
  rowOf,
  type SomaType,
  storingOf,
  typeOf,
} from './objects.ts'
import { isUpgraded, type Shape, shapeOf } from './shape.ts'

/** Names that begin as reserved ones, and that tiledbsoma itself writes. */
const OWN_FIELDS: ReadonlySet<string> = new Set([JOINID, 'soma_data', 'soma_geometry'])

const STORED_AS = { group: 'a group', sparse: 'a sparse array', dense: 'a dense array' } as const

/** Checks what the objects say of themselves: types, versions, members, fields, shapes. Reads key-value metadata and schemas. */
export async function* checkObjects(top: DatasetPart): Items {
  const versions = await versionsOf(top)
  for (const part of top.all()) {
    if (!part.target || part.member?.again) continue
    yield* checkMetadata(part, versions)
    yield* checkMembers(part)
    yield* checkFields(part)
  }
  yield* checkRelative(top)
  yield* checkUpgrades(top)
  for (const part of top.all()) if ((await typeOf(part)) === 'SOMAMeasurement') yield* checkShapes(part)
}

/** The version that most objects have, and all versions. */
async function versionsOf(top: DatasetPart): Promise<string | undefined> {
  const counts = new Map<string, number>()
  for (const part of top.all()) {
    const version = await part.text(ENCODING_VERSION)
    if (version !== undefined) counts.set(version, (counts.get(version) ?? 0) + 1)
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}

async function* checkMetadata(part: DatasetPart, usual: string | undefined): Items {
  const type = await part.text(OBJECT_TYPE)
  const version = await part.text(ENCODING_VERSION)
  const storing = await storingOf(part)
  if (storing === undefined) return
  const at = findingPlace(part, OBJECT_TYPE)
  if (type === undefined && version === undefined) {
    const expected = `the keys ${OBJECT_TYPE} and ${ENCODING_VERSION}`
    yield finding('LAYER_METADATA', at, expected, 'neither of these keys')
    return
  }
  if (type === undefined) yield finding('LAYER_METADATA', at, `the key ${OBJECT_TYPE}`, 'no such key')
  else if (!isSomaType(type)) yield finding('LAYER_METADATA', at, 'a type of SOMA', JSON.stringify(type))
  else if (rowOf(type).storing !== storing)
    yield finding('LAYER_METADATA', at, `what ${STORED_AS[storing]} can be`, type)
  const place = findingPlace(part, ENCODING_VERSION)
  if (version === undefined) yield finding('LAYER_METADATA', place, `the key ${ENCODING_VERSION}`, 'no such key')
  else if (!Object.hasOwn(ENCODINGS, version))
    yield finding('LAYER_VERSION', place, Object.keys(ENCODINGS).join(' or '), JSON.stringify(version))
  else if (version !== usual) yield finding('LAYER_VERSION', place, `${usual}, as others say`, version, 'mixed')
}

async function* checkMembers(part: DatasetPart): Items {
  const type = await typeOf(part)
  if (!type) return
  const { needs = {}, may = {} } = rowOf(type)
  for (const [name, needed] of Object.entries(needs)) {
    const member = part.parts.get(name)
    if (!member) yield finding('LAYER_MEMBER', findingPlace(part, name), `${needed} ${name}`, 'no such member')
    // One that is listed and lost is an error of its group.
    else if (member.target) yield* checkType(member, needed)
  }
  for (const [name, one] of Object.entries(may)) {
    const member = part.parts.get(name)
    if (member?.target) yield* checkType(member, one)
  }
  // `ms` is the only collection whose members have a type.
  if (part.names.at(-1) === 'ms' && type === 'SOMACollection')
    for (const member of part.parts.values()) if (member.target) yield* checkType(member, 'SOMAMeasurement')
  // A write that broke off leaves what was not added to its group yet.
  for (const { name } of (await part.group?.unlisted().catch(unlessFault)) ?? []) {
    const found = `${[...part.names, name].join('/')}, which its group does not list`
    yield finding('LAYER_MEMBER', findingPlace(part, name), 'only members in the folder', found, 'unlisted')
  }
}

async function* checkType(member: DatasetPart, needed: SomaType): Items {
  const type = await typeOf(member)
  // One that says nothing is the finding of its metadata.
  if (type && type !== needed)
    yield finding('LAYER_MEMBER', findingPlace(member, OBJECT_TYPE), `${needed} ${member.path}`, type, 'type')
}

async function* checkFields(part: DatasetPart): Items {
  const type = await typeOf(part)
  const schema = await part.schema()
  if (!type || !schema) return
  const at = findingPlace(part)
  if (type === 'SOMASparseNDArray' || type === 'SOMADenseNDArray') {
    if (!isNDArray(schema))
      yield finding(
        'LAYER_SCHEMA',
        at,
        'dimensions soma_dim_0, soma_dim_1… and the attribute soma_data',
        namesOf(schema),
      )
    return
  }
  if (type !== 'SOMADataFrame') return
  const fields = [...schema.domain.dimensions, ...schema.attributes]
  const joinid = fields.find(({ name }) => name === JOINID)
  if (joinid?.type !== 'INT64')
    yield finding(
      'LAYER_SCHEMA',
      findingPlace(part, JOINID),
      `the column ${JOINID} INT64`,
      joinid?.type ?? namesOf(schema),
    )
  for (const { name } of fields)
    if (name.startsWith(RESERVED) && !OWN_FIELDS.has(name))
      yield finding(
        'LAYER_SCHEMA',
        findingPlace(part, name),
        `no other column that begins with ${RESERVED}`,
        name,
        'reserved',
      )
}

function namesOf({ domain, attributes }: ArraySchema): string {
  return [...domain.dimensions, ...attributes].map(({ name }) => name || '(unnamed)').join(', ')
}

/** Whether some arrays have a shape and others have none. An upgrade leaves `uns` and dense arrays as they are. */
async function* checkUpgrades(top: DatasetPart): Items {
  const old: DatasetPart[] = []
  let upgraded = 0
  for (const part of top.all()) {
    const schema = await part.schema()
    if (!schema || part.names.includes('uns') || schema.array_type === 'dense' || !(await typeOf(part))) continue
    if (isUpgraded(schema)) upgraded++
    else old.push(part)
  }
  if (upgraded > 0)
    for (const part of old)
      yield finding('LAYER_SHAPES_DIFFER', findingPlace(part), 'a current domain, as the others have', 'none', 'old')
}

/** Whether the layers of a measurement have one shape. */
async function* checkShapes(measurement: DatasetPart): Items {
  const shapes: { part: DatasetPart; shape: Shape }[] = []
  for (const part of measurement.parts.get('X')?.parts.values() ?? []) {
    const schema = await part.schema()
    if (schema && isUpgraded(schema) && isNDArray(schema)) shapes.push({ part, shape: shapeOf(schema) })
  }
  const counts = new Map<string, number>()
  for (const { shape } of shapes) counts.set(lengthsText(shape), (counts.get(lengthsText(shape)) ?? 0) + 1)
  if (counts.size < 2) return
  // With two shapes, nobody knows which is right: both are named.
  const [[usual, most] = ['', 0], [, next] = ['', 0]] = [...counts].sort((a, b) => b[1] - a[1])
  for (const { part, shape } of shapes) {
    const found = lengthsText(shape)
    if (most > next && found === usual) continue
    const others = namesText([...counts.keys()].filter((one) => one !== found))
    yield finding('LAYER_SHAPES_DIFFER', findingPlace(part), `the shape of the other layers: ${others}`, found)
  }
}
