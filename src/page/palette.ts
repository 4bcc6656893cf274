/**
 * Scales of colours. All but `diverging` grow lighter from end to end, so that people with any colour vision can read them; the ends of
 * `diverging` are blue and red, which they can tell apart. The first three are matplotlib's, the last is by Cynthia Brewer.
 */
const PALETTES = {
  viridis: '440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725',
  cividis: '00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838',
  magma: '000004 180f3d 440f76 721f81 9e2f7f cd4071 f1605d fd9668 feca8d fcfdbf',
  grey: '000000 ffffff',
  diverging: '2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b',
} as const

export type PaletteName = keyof typeof PALETTES

export const PALETTE_NAMES = Object.keys(PALETTES) as readonly PaletteName[]

const stops = new Map<PaletteName, readonly number[]>()

function stopsOf(name: PaletteName): readonly number[] {
  const found = stops.get(name) ?? PALETTES[name].split(' ').map((hex) => Number.parseInt(hex, 16))
  stops.set(name, found)
  return found
}

/** The colour at a place of a scale, from 0 to 1: red, green and blue as one number. */
export function colourAt(part: number, name: PaletteName = 'viridis'): number {
  const scale = stopsOf(name)
  const at = Math.min(1, Math.max(0, part)) * (scale.length - 1)
  const i = Math.min(scale.length - 2, Math.floor(at))
  const mixed = (shift: number): number => {
    const [a = 0, b = 0] = [scale[i], scale[i + 1]].map((colour = 0) => (colour >> shift) & 255)
    return Math.round(a + (b - a) * (at - i)) << shift
  }
  return mixed(16) | mixed(8) | mixed(0)
}

/** How values become places of a scale. */
export interface Scale {
  palette: PaletteName
  low: number
  high: number
  isLog: boolean
}

/** The place of a value on a scale, from 0 to 1; NaN for a value that a logarithm does not have. */
export function placeOnScale({ low, high, isLog }: Scale, value: number): number {
  if (!isLog) return high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0
  if (value <= 0) return Number.NaN
  const [from, to] = [Math.log(low), Math.log(high)]
  return to > from ? (Math.log(value) - from) / (to - from) : 0
}
