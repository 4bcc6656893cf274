import type { CellRange, Part } from '../anatomy/part.ts'
import { chainTo, pathText } from '../anatomy/path.ts'
import { usage } from '../base/errors.ts'
import type { AtDocument } from '../documents/at.ts'
import type { DumpField } from '../documents/dump.ts'
import type { CommandContext } from './command.ts'
import { selectionOf } from './hex-options.ts'
import { OFFSET } from './option-values.ts'

/** The offset that `at` gets. @throws InspectError USAGE */
export function parseOffset(text: string | undefined): number {
  if (text !== undefined && OFFSET.test(text)) return Number(text)
  throw usage(`at expects a byte's offset (or --cell), found ${text === undefined ? 'none' : JSON.stringify(text)}`)
}

/** A part as `at` shows it. */
function partResult(part: Part): DumpField {
  const { name, type, offset, length, label, stored, unit, meaning, verdict } = part
  const value = part.children === undefined && part.elements === undefined ? part.value : undefined
  return { name, type, offset, length, label, value, stored_value: stored, unit, meaning, verdict }
}

/** A byte of a file: the parts around it from the file down, the cells that it feeds, and what `at` says of it. */
export interface BytePlace {
  chain: readonly Part[]
  cells: CellRange | undefined
  facts: Pick<AtDocument, 'offset' | 'byte' | 'file_kind' | 'size' | 'chain' | 'field_path'>
}

/** Looks at a byte. Tells what is wrong with the parts around it. @throws InspectError USAGE for an offset beyond the file */
export async function lookAtByte(cx: CommandContext, root: Part, offset: number, file: string): Promise<BytePlace> {
  const { length: size } = root.space
  if (offset >= size) throw usage({ expected: `an offset below ${size}, the file's size`, found: offset }, { file })
  const chain = await chainTo(root, offset)
  const selection = selectionOf(cx, {}, file)
  for (const part of chain) if (part.fault) selection.onFault(part.fault)
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
