import type { Anatomist } from '../anatomy/generic-tile.ts'
import { type Elements, fileSpace, type Part, type Space } from '../anatomy/part.ts'
import { elementPart } from '../anatomy/path.ts'
import { isNamed, type Selection, selected, tellFault } from '../anatomy/selection.ts'
import { InspectError, usage } from '../base/errors.ts'
import type { Output } from '../base/result.ts'
import type { CellValue } from '../documents/common.ts'
import type { DumpDocument, DumpNode } from '../documents/dump.ts'
import { formatCount } from '../render/units.ts'
import type { ByteSource } from '../source/source.ts'
import { type CommandContext, documentHead, type Outcome } from './command.ts'
import type { HexOptions } from './hex-options.ts'

/** The context of a command, as anatomy needs it. */
export function anatomist(cx: CommandContext): Anatomist {
  return { cx: cx.reading, style: cx.style }
}

/** The parts that the options select. The command gets the faults. */
export function selectionOf(cx: CommandContext, options: HexOptions, file: string): Selection {
  const seen = new Set<string>()
  return {
    depth: options.depth === undefined ? undefined : parseDepth(options.depth),
    range: options.at === undefined ? undefined : parseByteRange(options.at),
    onFault(error) {
      const placed = new InspectError(error.code, error.message, { ...error.at, file: error.at.file ?? file })
      const id = JSON.stringify([placed.code, placed.message, placed.at])
      if (seen.has(id)) return
      seen.add(id)
      cx.fault(placed)
    },
  }
}

function parseDepth(text: string): number {
  if (!/^\d+$/.test(text)) throw usage(`--depth expects a whole number from 0 on, found ${JSON.stringify(text)}`)
  return Number(text)
}

/** `A..B`, `A..`, `..B` or `A`, decimal or 0x…, inclusive. */
export function parseByteRange(text: string): { from: number; to: number } {
  const match = /^(\d+|0x[\da-f]+)?(\.\.)?(\d+|0x[\da-f]+)?$/i.exec(text)
  if (!match || text === '' || text === '..' || (match[2] === undefined && match[3] !== undefined))
    throw usage(`--at expects A..B, found ${JSON.stringify(text)}`)
  const [, first, dots, last] = match
  const from = first === undefined ? 0 : Number(first)
  const to = dots === undefined ? from : last === undefined ? Number.MAX_SAFE_INTEGER : Number(last)
  if (from > to) throw usage(`--at expects A..B with A before B, found ${text}`)
  return { from, to }
}

/** What is shown of one file. */
export interface HexSubject {
  /** As the user would write it. */
  path: string
  /** In words. */
  role: string
  source: ByteSource
  parts: readonly Part[]
}

/** A file's bytes as a space for its parts. */
export async function spaceOf(source: ByteSource): Promise<Space> {
  return fileSpace(source, await source.size())
}

/** The parts as a `dump` document and as annotated hex; with `tree`, only names and values. */
export function hexOutcome(cx: CommandContext, subject: HexSubject, options: HexOptions & { tree?: boolean }): Outcome {
  const { parts, path, role, source } = subject
  const selection = selectionOf(cx, options, source.name)
  const [only] = parts
  const head = { ...documentHead('dump', path), role }
  const document: DumpDocument =
    parts.length === 1
      ? { ...head, ...partNode(only, selection) }
      : { ...head, children: parts.map((part) => partNode(part, selection, 1)) }
  return {
    document,
    async table(out: Output) {
      const { hexTitle, hexView } = await import('../render/views/hex.ts')
      const size = await source.size()
      const bytes = `${formatCount(size)} ${size === 1 ? 'byte' : 'bytes'}`
      const whole = parts.length === 1 && only.length === size
      await hexTitle(path, `${role}, ${whole ? bytes : `in a file of ${bytes}`}`, out)
      await hexView(parts, { ...selection, full: cx.full, tree: options.tree }, out)
    },
  }
}

/** A part as a node of the document. Children are made while it is printed. */
function partNode(part: Part, selection: Selection, depth = 0): DumpNode {
  const { name, type, space, offset, length, label, stored, unit, description, verdict, fault } = part
  tellFault(part, selection)
  return {
    name,
    type,
    offset,
    length,
    space: space.name,
    label,
    value: part.elements && !isNamed(part) ? values(part.elements) : part.value,
    stored,
    unit,
    meaning: part.meaning ?? description,
    verdict,
    error: fault && { code: fault.code, message: fault.message },
    cells: part.cells,
    children: depth === selection.depth ? undefined : childNodes(part, selection, depth + 1),
  }
}

function values(elements: Elements): Iterable<CellValue> {
  return {
    *[Symbol.iterator]() {
      for (let i = 0; i < elements.count; i++) yield elements.value(i)
    },
  }
}

function childNodes(part: Part, selection: Selection, depth: number): AsyncIterable<DumpNode> | undefined {
  if (!part.children && !isNamed(part)) return undefined
  return {
    async *[Symbol.asyncIterator]() {
      if (isNamed(part)) {
        for (let i = 0; part.elements && i < part.elements.count; i++)
          yield partNode(elementPart(part, i), selection, depth)
        return
      }
      const children = await part.children?.()
      if (children)
        for await (const { child } of selected(part, children, selection)) yield partNode(child, selection, depth)
    },
  }
}
