import type { CellRange, Part } from '../anatomy/part.ts'
import { chainTo, pathText } from '../anatomy/path.ts'
import { usage } from '../base/errors.ts'
import type { AtDocument } from '../documents/at.ts'
import type { DumpField } from '../documents/dump.ts'
import type { CommandContext } from './command.ts'
import { selectionOf } from './hex-options.ts'
import { OFFSET } from './option-values.ts'

/** Reads the offset that the user gave to `at`. @throws InspectError USAGE if it is none, or not there */
export function parseOffset(text: string | undefined): number {
  if (text !== undefined && OFFSET.test(text)) return Number(text)
  throw usage(`at expects a byte's offset (or --cell), found ${text === undefined ? 'none' : JSON.stringify(text)}`)
}

/** A part as `at` shows it. It has a value only if it has no parts inside. */
function partResult(part: Part): DumpField {
  const { name, type, offset, length, label, stored, unit, meaning, verdict } = part
  const value = part.children === undefined && part.elements === undefined ? part.value : undefined
  return { name, type, offset, length, label, value, stored_value: stored, unit, meaning, verdict }
}

/** Where a byte of a file lies. */
export interface BytePlace {
  /** The parts around it, from the whole file to the smallest. */
  chain: readonly Part[]
  /** The cells whose values need it, if any. */
  cells: CellRange | undefined
  /** What `at` says of it. */
  facts: Pick<AtDocument, 'offset' | 'byte' | 'file_kind' | 'size' | 'chain' | 'field_path'>
}

/**
 * Finds where a byte lies, and reports faults of the parts around it.
 * @param root the part that is the whole file
 * @param file its path, for messages
 * @throws InspectError USAGE for an offset beyond the file
 */
export async function lookAtByte(cx: CommandContext, root: Part, offset: number, file: string): Promise<BytePlace> {
  const { length: size } = root.space
  if (offset >= size) throw usage({ expected: `an offset below ${size}, the file's size`, found: offset }, { file })
  const chain = await chainTo(root, offset)
  const { onFault } = selectionOf(cx, {}, file)
  for (const { fault } of chain) if (fault) onFault(fault)
  const [byte = 0] = await root.space.read(offset, 1)
  const facts = {
    offset,
    byte,
    file_kind: root.type,
    size,
    chain: chain.map(partResult),
    field_path: pathText(chain.slice(1).flatMap((part) => (part.transparent ? [] : [part.name]))),
  }
  return { chain, cells: chain.findLast((part) => part.cells !== undefined)?.cells, facts }
}
