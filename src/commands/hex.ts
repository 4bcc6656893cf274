import { partNode, type Selection } from '../anatomy/document.ts'
import type { Anatomist } from '../anatomy/generic-tile.ts'
import { fileSpace, type Part, type Space } from '../anatomy/part.ts'
import { InspectError } from '../base/errors.ts'
import type { Output } from '../base/result.ts'
import { formatCount } from '../render/units.ts'
import type { ByteSource } from '../source/source.ts'
import { type CommandContext, documentHead, type Outcome } from './command.ts'
import type { HexOptions } from './hex-options.ts'

/** What anatomy needs, of a command. */
export function anatomist(cx: CommandContext): Anatomist {
  return { cx: cx.reading, style: cx.style }
}

/** Which parts the options select; faults go to the command. */
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
  if (!/^\d+$/.test(text))
    throw new InspectError('USAGE', `--depth expects a whole number from 0 on, found ${JSON.stringify(text)}`)
  return Number(text)
}

/** `A..B`, `A..`, `..B` or `A`, decimal or 0x…, inclusive. */
export function parseByteRange(text: string): { from: number; to: number } {
  const match = /^(\d+|0x[\da-f]+)?(\.\.)?(\d+|0x[\da-f]+)?$/i.exec(text)
  if (!match || text === '' || text === '..' || (match[2] === undefined && match[3] !== undefined))
    throw new InspectError('USAGE', `--at expects A..B, found ${JSON.stringify(text)}`)
  const [, first, dots, last] = match
  const from = first === undefined ? 0 : Number(first)
  const to = dots === undefined ? from : last === undefined ? Number.MAX_SAFE_INTEGER : Number(last)
  if (from > to) throw new InspectError('USAGE', `--at expects A..B with A before B, found ${text}`)
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

/** A file's bytes as a space, for parts of it. */
export async function spaceOf(source: ByteSource): Promise<Space> {
  return fileSpace(source, await source.size())
}

/** The parts as a `dump` document and as annotated hex (or, `tree`, names and values alone). */
export function hexOutcome(cx: CommandContext, subject: HexSubject, options: HexOptions & { tree?: boolean }): Outcome {
  const { parts, path, role, source } = subject
  const selection = selectionOf(cx, options, source.name)
  const [only] = parts
  const head = { ...documentHead('dump', path), role }
  return {
    get document() {
      return parts.length === 1
        ? { ...head, ...partNode(only, selection) }
        : { ...head, children: parts.map((part) => partNode(part, selection, 1)) }
    },
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
