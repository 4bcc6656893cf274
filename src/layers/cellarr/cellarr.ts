import { finding, type Items, type Level } from '../../check/finding.ts'
import { isIdType } from '../columns.ts'
import { checkAxisCoordinates, guardedJoin, rowAxis } from '../joins.ts'
import type { FactValue, Layer, LayerDescription, LayerMember } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { rowCount } from '../written.ts'

/*
 * A store of cellarr: a plain folder with three data frames, and matrices of cells by genes. Coordinates are the rows of two of the
 * frames. Since 0.3 the matrices are in the group `assays`.
 *
 * Source: cellarr, src/cellarr/build and src/cellarr/CellArrDataset.py.
 */

const CELLS = 'cell_metadata'
const GENES = 'gene_annotation'
const ASSAYS = 'assays'

/** The data frames, and what the rows of each are. */
const FRAMES: Readonly<Record<string, string>> = { [CELLS]: 'cells', [GENES]: 'genes', sample_metadata: 'samples' }

/** Dimensions of a matrix. */
const DIMENSIONS = ['cell_index', 'gene_index']

/** cellarr: matrices of single cells. */
export const cellarr: Layer = {
  describe,
  async *check(part: DatasetPart, level: Level): Items {
    yield* checkParts(part)
    if (level === 'cells') yield* checkJoins(part)
  },
  async words(part) {
    const name = part.names.at(-1) ?? ''
    const rows = Object.hasOwn(FRAMES, name) ? FRAMES[name] : undefined
    if (rows !== undefined) return { type: `frame: ${rows}`, dataset_type: STORE, cell: `a row of ${rows}` }
    const fields = { cell_index: `the row of ${CELLS}`, gene_index: `the row of ${GENES}` }
    return { type: 'matrix', dataset_type: STORE, cell: `a value of the matrix ${name}`, fields }
  },
}

const STORE = 'store'

/** What a store has besides its frames: in the folder itself before 0.3. */
function othersOf(store: DatasetPart): DatasetPart[] {
  const all = [...store.parts.values(), ...(store.parts.get(ASSAYS)?.parts.values() ?? [])]
  return all.filter(({ names }) => !Object.hasOwn(FRAMES, names.at(-1) ?? ''))
}

function matricesOf(store: DatasetPart): DatasetPart[] {
  return othersOf(store).filter(({ array }) => array)
}

async function describe(part: DatasetPart): Promise<LayerDescription> {
  const members = new Map<string, LayerMember>()
  const facts: { name: string; value: FactValue }[] = []
  for (const [name, rows] of Object.entries(FRAMES)) {
    const frame = part.parts.get(name)
    const count = frame && (await rowCount(frame))
    facts.push({ name: rows, value: count ?? null })
    if (frame) members.set(frame.path, { type: `frame: ${rows}`, facts: [{ name: 'rows', value: count ?? null }] })
  }
  const matrices = matricesOf(part)
  for (const one of matrices) {
    const attribute = (await one.schema())?.attributes[0]
    const values = attribute ? [{ name: 'values', value: attribute.type }] : []
    members.set(one.path, { type: 'matrix', facts: [...values, { name: 'cells', value: one.seen.cell_num ?? null }] })
  }
  facts.push({ name: 'matrices', value: matrices.map(({ names }) => names.at(-1) ?? '') })
  const type = STORE
  return { layer: 'cellarr', title: 'cellarr', type, version: null, is_version_known: true, facts, tables: [], members }
}

async function* checkParts(store: DatasetPart): Items {
  for (const name of Object.keys(FRAMES)) {
    const frame = store.parts.get(name)
    if (!frame?.target && !frame?.isLost)
      yield finding('LAYER_MEMBER', findingPlace(store, name), `the data frame ${name}`, 'none')
    else if (frame.target && !frame.array)
      yield finding('LAYER_MEMBER', findingPlace(frame), `the data frame ${name}`, 'a group', 'type')
  }
  const matrices = matricesOf(store)
  // If members are lost, one of them may be the matrix.
  if (matrices.length === 0 && !othersOf(store).some(({ isLost }) => isLost))
    yield finding('LAYER_MEMBER', findingPlace(store, ASSAYS), 'a matrix, which is usually named counts', 'no matrix')
  for (const part of matrices) {
    const schema = await part.schema()
    if (!schema) continue
    const names = schema.domain.dimensions.map(({ name }) => name)
    const isRight = names.length === DIMENSIONS.length && names.every((name, d) => name === DIMENSIONS[d])
    const areIds = schema.domain.dimensions.every(({ type }) => isIdType(type))
    if (!isRight || !areIds || schema.array_type !== 'sparse') {
      const types = schema.domain.dimensions.map(({ name, type }) => `${name} ${type}`).join(', ')
      const expected = `a sparse array of integers ${DIMENSIONS.join(', ')}`
      yield finding('LAYER_SCHEMA', findingPlace(part), expected, `a ${schema.array_type} array of ${types}`)
    }
  }
}

async function* checkJoins(store: DatasetPart): Items {
  const cells = yield* rowAxis(store.parts.get(CELLS))
  const genes = yield* rowAxis(store.parts.get(GENES))
  const byName = new Map([
    ['cell_index', cells],
    ['gene_index', genes],
  ])
  for (const part of matricesOf(store)) {
    const schema = await part.schema()
    if (schema?.array_type !== 'sparse' || !schema.domain.dimensions.every(({ type }) => isIdType(type))) continue
    const axes = schema.domain.dimensions.map(({ name }) => byName.get(name))
    yield* guardedJoin(part, () => checkAxisCoordinates(part, axes))
  }
}
