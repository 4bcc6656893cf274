import type { Part, Space } from '../../anatomy/part.ts'
import { elementPart, pathText } from '../../anatomy/path.ts'
import { isNamed } from '../../anatomy/selection.ts'
import { yieldToBrowser } from '../yield-to-browser.ts'
import { isLarge, type NodeRange } from './nodes.ts'

/** Number of bytes that are read and searched at once. */
export const SLICE_BYTES = 2 ** 20

/** A result of a search: bytes of a space, or the path of a field. */
export type Match = NodeRange | { steps: readonly string[] }

/** Called with the number of bytes or fields that were searched so far. */
type Progress = (done: number) => void

/** Finds all places of the bytes in a space, in order, even if they overlap. */
export async function* findBytes(
  space: Space,
  wanted: Uint8Array,
  progress: Progress = () => {},
): AsyncGenerator<Match> {
  if (wanted.length === 0) return
  for (let at = 0; at < space.length; at += SLICE_BYTES) {
    // A match that begins in this slice may end in the next.
    const slice = await space.read(at, Math.min(SLICE_BYTES + wanted.length - 1, space.length - at))
    for (let i = slice.indexOf(wanted[0]); i >= 0 && i < SLICE_BYTES; i = slice.indexOf(wanted[0], i + 1)) {
      if (wanted.every((byte, k) => slice[i + k] === byte)) yield { from: at + i, to: at + i + wanted.length }
      await yieldToBrowser()
    }
    progress(Math.min(space.length, at + SLICE_BYTES))
    await yieldToBrowser()
  }
}

/** Finds all fields whose path contains the text, parents first. Does not look into large tiles or into values without names. */
export async function* findFields(root: Part, text: string, progress: Progress = () => {}): AsyncGenerator<Match> {
  const wanted = text.toLowerCase()
  let seen = 0
  async function* below(part: Part, steps: readonly string[], hasAbove: boolean): AsyncGenerator<Match> {
    progress(++seen)
    await yieldToBrowser()
    // If the path of a part has the text, the paths of all parts inside have it, too. Those count only if their own name has it.
    const name = pathText(steps.slice(-1)).toLowerCase()
    const label = part.label?.toLowerCase()
    const has =
      name.includes(wanted) || label?.includes(wanted) || (!hasAbove && pathText(steps).toLowerCase().includes(wanted))
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

/** Parses bytes in hexadecimal, with or without spaces and `0x`. Undefined if the text is something else. */
export function parseHex(text: string): Uint8Array | undefined {
  const digits = text.replace(/0x|[\s,:]/gi, '')
  if (digits === '' || digits.length % 2 !== 0 || !/^[\da-f]+$/i.test(digits)) return undefined
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
