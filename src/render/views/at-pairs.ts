import type { AtCells, AtDocument } from '../../documents/at.ts'
import type { Pairs } from '../table.ts'
import { shortValue } from '../units.ts'
import { countText, fieldName, valuesText } from './wording.ts'

/** Results of `at` as names and texts, for the command line and for the page. */

/** Returns the cells whose values depend on a byte. */
export function cellPairs({ tile, from, to, field, coordinates, value, padding }: AtCells): Pairs {
  const which = from === to ? `cell ${countText(from)}` : `cells ${countText(from)} to ${countText(to)}`
  const ofField = field === undefined ? '' : `, ${fieldName(field)}`
  const outside = padding ? ' (padding, outside of the non-empty domain)' : ''
  return [
    ['belongs to', `${which} of tile ${countText(tile)}${ofField}`],
    coordinates && ['coordinates', `${valuesText(coordinates)}${outside}`],
    value !== undefined && ['value', shortValue(value)],
  ]
}

function detectorText(name: string, ofCells: ReadonlySet<string>): string {
  if (ofCells.has(name)) return `${name} (check --level cells)`
  // Of 35 broken frames, 5 were read by TileDB 2.30 as other values (November 2026).
  return name === 'zstd' ? 'zstd (TileDB reads some broken frames without an error)' : name
}

/** Says what was checked to see whether a flip is noticed. */
function placeText(detected_in: AtDocument['detected_in']): string {
  if (detected_in === 'array') return ''
  if (detected_in === 'array --all') return ' (by check --all: nothing uses this file)'
  return ` (tried on this ${detected_in} alone, as the array is large or far: check --level cells may find more)`
}

/** Returns what would detect a flip of the byte. */
export function noticePairs(document: AtDocument): Pairs {
  const { detected_by, detected_in, not_tried, cell_findings } = document
  if (detected_by === undefined) return []
  const name = 'a flip here is noticed by'
  if (not_tried !== undefined) return [[name, `not known: ${not_tried}`]]
  if (detected_by === null) return [[name, 'not determined: the bytes cannot be read as they are']]
  const only = placeText(detected_in)
  if (detected_by.length === 0) return [[name, `nothing${only}`]]
  const bits = (document.detected_by_bit ?? []).flatMap((names, bit) => (names.length > 0 ? [] : [bit]))
  const some = bits.length === 0 ? '' : `; bit${bits.length > 1 ? 's' : ''} ${bits.join(', ')}: by nothing`
  const ofCells = new Set<string>(cell_findings)
  const ofTiles = new Set(document.findings_by_bit?.flat().filter((code) => !ofCells.has(code)))
  return [
    [name, `${detected_by.map((one) => detectorText(one, ofCells)).join(', ')}${some}${only}`],
    ofTiles.size > 0 && ['check then finds', [...ofTiles].join(', ')],
    ofCells.size > 0 && ['check --level cells', [...ofCells].join(', ')],
  ]
}
