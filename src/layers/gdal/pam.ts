import type { DatasetPart } from '../part.ts'
import { type Embedded, keyText, textTooLong } from '../text.ts'
import { childOf, type Element, parseXml, XmlFault } from '../xml.ts'

/*
 * What GDAL keeps of a raster that TileDB has no place for: XML in the key `_gdal`, as in its files .aux.xml.
 *
 * Source: GDAL, frmts/tiledb/tiledbdense.cpp and overview_model.rst.
 */

export const PAM = '_gdal'
const ROOT = 'PAMDataset'

/** The metadata of a raster. */
export interface Pam {
  /** The coordinate reference system, as text. */
  crs: string | undefined
  /** Six numbers: x of the left upper corner, width of a pixel, and so on. Empty if there are none. */
  transform: readonly number[]
  /** Numbers of pixels. The array may be larger: it is filled up to whole tiles. */
  width: number | undefined
  height: number | undefined
  interleave: string | undefined
  dataType: string | undefined
  /** The numbers of the bands with red, green and blue, from 1. Empty unless the raster has all three. */
  colours: readonly number[]
  /** Number of smaller versions. */
  overviews: number
  /** Keys of the metadata that users see. */
  items: readonly string[]
}

/** The metadata of a raster; undefined if it has none. */
export async function pamOf(part: DatasetPart): Promise<Embedded<Pam> | undefined> {
  const text = await keyText(part, PAM)
  if (text === undefined) return undefined
  const long = textTooLong(text)
  if (long) return long
  try {
    const root = parseXml(text)
    return root.name === ROOT ? { value: pamIn(root) } : { fault: `the element ${root.name}` }
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error
    return { fault: error.message }
  }
}

function pamIn(root: Element): Pam {
  const structure = root.elements.find(
    ({ name, attributes }) => name === 'Metadata' && attributes.get('domain') === 'IMAGE_STRUCTURE',
  )
  const own = root.elements.find(({ name, attributes }) => name === 'Metadata' && !attributes.has('domain'))
  const item = (key: string): string | undefined =>
    structure?.elements.find(({ attributes }) => attributes.get('key') === key)?.text.trim()
  const count = (text: string | undefined): number | undefined =>
    text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
  const number = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))
  const transform = childOf(root, 'GeoTransform')?.text.split(',').map(number) ?? []
  return {
    crs: childOf(root, 'SRS')?.text.trim(),
    transform: transform.length === 6 && transform.every(Number.isFinite) ? transform : [],
    width: count(item('X_SIZE')),
    height: count(item('Y_SIZE')),
    interleave: item('INTERLEAVE'),
    dataType: item('DATA_TYPE'),
    colours: coloursIn(root),
    overviews: count(childOf(root, 'tiledb:OverviewCount')?.text.trim()) ?? 0,
    items: own?.elements.flatMap(({ attributes }) => attributes.get('key') ?? []) ?? [],
  }
}

function coloursIn(root: Element): number[] {
  const bands = root.elements.filter(({ name }) => name === 'PAMRasterBand')
  const colour = (band: Element): string | undefined => childOf(band, 'ColorInterp')?.text.trim()
  const found = ['Red', 'Green', 'Blue'].map((name) => bands.find((band) => colour(band) === name))
  const numbers = found.map((band) => Number(band?.attributes.get('band')))
  return numbers.every((one) => Number.isInteger(one) && one > 0) ? numbers : []
}
