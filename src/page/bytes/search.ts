import type { Part, Space } from '../../anatomy/part.ts'
import { elementPart, pathText } from '../../anatomy/path.ts'
import { isNamed } from '../../anatomy/selection.ts'
import { isLarge } from './nodes.ts'

/** Bytes that are read and looked through at once. */
export const SLICE_BYTES = 2 ** 20
/** The page answers its user at least this often, in milliseconds. */
const TURN = 20

/** One place that was found. */
export type Match = { from: number; to: number } | { steps: readonly string[] }

/** How far a search is: of a space its bytes, of fields how many were looked at. */
type Progress = (done: number) => void

/** Hands over to the browser from time to time. */
function turns(): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < TURN) return
    await new Promise((resolve) => setTimeout(resolve))
    last = performance.now()
  }
}

/** All places of the bytes in a space, in order, also those that overlap. Reads slice by slice. */
export async function* findBytes(
  space: Space,
  wanted: Uint8Array,
  progress: Progress = () => {},
): AsyncGenerator<Match> {
  if (wanted.length === 0) return
  const turn = turns()
  for (let at = 0; at < space.length; at += SLICE_BYTES) {
    // What begins in this slice may end in the next.
    const slice = await space.read(at, Math.min(SLICE_BYTES + wanted.length - 1, space.length - at))
    for (let i = slice.indexOf(wanted[0]); i >= 0 && i < SLICE_BYTES; i = slice.indexOf(wanted[0], i + 1)) {
      if (wanted.every((byte, k) => slice[i + k] === byte)) yield { from: at + i, to: at + i + wanted.length }
      await turn()
    }
    progress(Math.min(space.length, at + SLICE_BYTES))
    await turn()
  }
}

/** All fields whose path has the text, parents first. Values without names are not entered, nor large tiles. */
export async function* findFields(root: Part, text: string, progress: Progress = () => {}): AsyncGenerator<Match> {
  const wanted = text.toLowerCase()
  const turn = turns()
  let seen = 0
  async function* below(part: Part, steps: readonly string[], hasAbove: boolean): AsyncGenerator<Match> {
    progress(++seen)
    await turn()
    // Of a part whose path has the text, all parts inside have it, too: the first is enough, and those that have it anew.
    const own = pathText(steps.slice(-1)).toLowerCase()
    const label = part.label?.toLowerCase()
    const has =
      own.includes(wanted) || label?.includes(wanted) || (!hasAbove && pathText(steps).toLowerCase().includes(wanted))
    if (steps.length > 0 && has) yield { steps }
    if (isLarge(part)) return
    if (part.elements) {
      for (let i = 0; isNamed(part) && i < part.elements.count; i++)
        yield* below(elementPart(part, i), [...steps, String(i)], hasAbove || has === true)
      return
    }
    const children = await part.children?.()
    for (let i = 0; children && i < children.count; i++) {
      const child = await children.at(i)
      yield* below(child, [...steps, child.name], hasAbove || has === true)
    }
  }
  yield* below(root, [], false)
}

/** Bytes in hexadecimal, with or without spaces and `0x`. Undefined if it is something else. */
export function parseHex(text: string): Uint8Array | undefined {
  const digits = text.replace(/0x|[\s,:]/gi, '')
  if (digits === '' || digits.length % 2 !== 0 || !/^[\da-f]+$/i.test(digits)) return undefined
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
