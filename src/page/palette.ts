/** Colours of a scale that grows lighter, and that people with any colour vision can read. */
const SCALE = [0x440154, 0x414487, 0x2a788e, 0x22a884, 0x7ad151, 0xfde725]

/** The colour at a place of the scale, from 0 to 1. */
export function colourAt(part: number): number {
  const at = Math.min(1, Math.max(0, part)) * (SCALE.length - 1)
  const i = Math.min(SCALE.length - 2, Math.floor(at))
  const mixed = (shift: number): number => {
    const [a, b] = [SCALE[i], SCALE[i + 1]].map((colour) => (colour >> shift) & 255)
    return Math.round(a + (b - a) * (at - i)) << shift
  }
  return mixed(16) | mixed(8) | mixed(0)
}
