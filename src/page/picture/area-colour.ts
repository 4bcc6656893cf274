/** Red, green and blue, from 0 to 255. */
type Parts = readonly number[]

/** Least contrast of what must be seen to what is beside it, by WCAG. */
const CONTRAST = 3
/** Parts of the way from one colour to the next that are tried. */
const STEPS = 50

function partsOf(colour: string): Parts {
  const digits = colour.length === 4 ? colour.replace(/\w/g, '$&$&') : colour
  return [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16))
}

function luminance(parts: Parts): number {
  const [r = 0, g = 0, b = 0] = parts.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: Parts, other: Parts): number {
  const [a, b] = [luminance(one) + 0.05, luminance(other) + 0.05]
  return Math.max(a / b, b / a)
}

/** The colour of an area on paper: as pale as it may be and still be seen. It goes from the paper to the colour, and on to the ink. */
export function areaColour(colour: string, paper: string, ink: string): string {
  const [from, middle, end] = [paper, colour, ink].map(partsOf) as [Parts, Parts, Parts]
  for (let step = 0; step <= 2 * STEPS; step++) {
    const [a, b] = step <= STEPS ? [from, middle] : [middle, end]
    const share = step <= STEPS ? step / STEPS : step / STEPS - 1
    const mixed = a.map((part, i) => Math.round(part + ((b[i] ?? 0) - part) * share))
    if (contrast(mixed, from) >= CONTRAST) return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`
  }
  return ink
}
