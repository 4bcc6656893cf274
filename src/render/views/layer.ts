import type { LayerPart, LayerPlace } from '../../documents/common.ts'
import type { LayerTable } from '../../layers/layer.ts'
import type { Pair } from '../table.ts'
import { countText, fieldName, NOTHING } from './wording.ts'

/*
 * What a layer above TileDB says, whatever the layer is.
 */

type FactValue = LayerPart['facts'][number]['value']

/** `SOMAExperiment, SOMA encoding 1.1.0` */
export function layerTitle({ title, type, version, version_known: isKnown }: LayerPart): string {
  if (version === null) return `${type} of ${title}`
  return `${type} of ${title} ${version}${isKnown ? '' : ', a version that is not known here'}`
}

/** A pair for each fact. */
export function layerPairs({ facts }: LayerPart): Pair[] {
  return facts.map(({ name, value }): Pair => [name, factText(value)])
}

/** A value of a fact. Most names of a list are left out if there are many. */
export function factText(value: FactValue): string {
  if (value === null) return NOTHING
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return nameText(value)
  if (typeof value === 'number' || typeof value === 'bigint') return numberText(value)
  if (value.length === 0) return NOTHING
  const shown = value.slice(0, MAX_NAMES).map((one) => (typeof one === 'string' ? nameText(one) : numberText(one)))
  const more = value.length - shown.length
  return shown.join(', ') + (more > 0 ? `, and ${countText(more)} more` : '')
}

function numberText(value: number | bigint): string {
  return typeof value === 'number' && !Number.isInteger(value) ? String(value) : countText(value)
}

const MAX_NAMES = 12

/** A text of a dataset, which may be of any length. A table shows no more than a beginning. */
function nameText(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
}

const MAX_CHARACTERS = 2000

/** The rows of a table as texts, the heading first. */
export function layerRows({ columns, rows }: LayerTable): string[][] {
  return [[...columns], ...rows.map((row) => row.map(factText))]
}

/** What an array is: `obs, of the SOMAExperiment blood; a cell is an observation`, then what its fields are. */
export function placeTexts({ dataset, dataset_type, member, layer_type, cell_is, fields }: LayerPlace): string[] {
  const what = dataset === null ? layer_type : `${nameText(member)}, of the ${dataset_type} ${dataset}`
  const own = fields.map(({ name, is }) => `${fieldName(name)} is ${nameText(is)}`)
  return [
    cell_is === null ? what : `${what}; a cell is ${nameText(cell_is)}`,
    ...(own.length > 0 ? [own.join(', ')] : []),
  ]
}
