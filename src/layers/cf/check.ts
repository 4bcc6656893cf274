import { finding, type Items } from '../../check/finding.ts'
import { namesText } from '../names-text.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { isUnlisted } from '../unlisted.ts'
import { hasCells } from '../written.ts'
import {
  ATTRIBUTE,
  coordinateNames,
  DIMENSION,
  isCoordinate,
  type VariableAxis,
  variableAxes,
  variablesIn,
} from './variables.ts'

/** Checks the variables of a dataset, group by group. */
export async function* checkVariables(top: DatasetPart): Items {
  for (const part of top.all()) {
    if (part.array) yield* checkKeys(part)
    if (part.group) yield* checkGroup(part)
  }
}

/** Whether the keys of attributes and dimensions belong to some that the array has. */
async function* checkKeys(part: DatasetPart): Items {
  const schema = await part.schema()
  if (!schema) return
  const owners = { [ATTRIBUTE]: schema.attributes, [DIMENSION]: schema.domain.dimensions }
  for (const key of (await part.metadata()).keys())
    for (const [start, fields] of Object.entries(owners)) {
      if (!key.startsWith(start)) continue
      const rest = key.slice(start.length)
      if (fields.some(({ name }) => rest.startsWith(`${name}.`))) continue
      const kind = start === ATTRIBUTE ? 'an attribute' : 'a dimension'
      const others = fields.map(({ name }) => name || '(unnamed)').join(', ')
      const found = `no ${rest.slice(0, rest.lastIndexOf('.')) || rest}, only ${others || 'none'}`
      yield finding('LAYER_METADATA', findingPlace(part, key), `metadata of ${kind} that the array has`, found, 'stray')
    }
}

/** A dimension of an array in a group. */
interface Use {
  part: DatasetPart
  axis: VariableAxis
}

async function* checkGroup(group: DatasetPart): Items {
  const uses = new Map<string, Use[]>()
  const coordinates = new Map<string, DatasetPart>()
  for (const part of variablesIn(group)) {
    const schema = await part.schema()
    if (!schema) continue
    const axes = variableAxes(schema)
    if (isCoordinate(part, schema)) coordinates.set(axes[0]?.name ?? '', part)
    for (const axis of axes) uses.set(axis.name, [...(uses.get(axis.name) ?? []), { part, axis }])
  }
  for (const [name, ofName] of uses) {
    yield* checkDimension(name, ofName)
    const coordinate = coordinates.get(name)
    if (coordinate) yield* checkWritten(coordinate, ofName)
    else for (const one of coordinateNames(name)) yield* checkListed(group, one)
  }
}

/** Whether all arrays with a dimension have the same one. */
async function* checkDimension(name: string, uses: readonly Use[]): Items {
  const counts = new Map<string, number>()
  for (const { axis } of uses) counts.set(axis.text, (counts.get(axis.text) ?? 0) + 1)
  if (counts.size < 2) return
  // With two of each, nobody knows which is right: all are named.
  const [[usual, most] = ['', 0], [, next] = ['', 0]] = [...counts].sort((a, b) => b[1] - a[1])
  for (const { part, axis } of uses) {
    if (most > next && axis.text === usual) continue
    const others = namesText([...counts.keys()].filter((one) => one !== axis.text))
    yield finding(
      'LAYER_SHAPES_DIFFER',
      findingPlace(part, name),
      `the dimension ${name} of other arrays: ${others}`,
      axis.text,
      'dimension',
    )
  }
}

/** Whether the coordinates of a dimension were written, if a variable with it was. */
async function* checkWritten(coordinate: DatasetPart, uses: readonly Use[]): Items {
  if ((await hasCells(coordinate)) !== false) return
  for (const { part } of uses)
    if (part !== coordinate && (await hasCells(part))) {
      yield finding(
        'LAYER_INCOMPLETE',
        findingPlace(coordinate),
        `coordinates, as ${part.path} has cells`,
        'no fragment',
        'empty',
      )
      return
    }
}

/** Whether an array of coordinates lies in the folder, but is no member. */
async function* checkListed(group: DatasetPart, name: string): Items {
  if (group.parts.has(name) || !(await isUnlisted(group, name))) return
  const found = `an array ${name} in its folder that it does not list`
  yield finding(
    'LAYER_MEMBER',
    findingPlace(group, name),
    `the coordinates of ${name} among the members`,
    found,
    'unlisted',
  )
}
