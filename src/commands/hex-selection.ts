import type { Selection } from '../anatomy/selection.ts'
import { InspectError, usage } from '../base/errors.ts'
import type { CommandContext } from './command.ts'
import type { HexOptions } from './hex-options.ts'
import { OFFSET, parseSpan, parseWhole } from './numbers.ts'

/** The parts that the options select. The command gets the faults. */
export function selectionOf(cx: CommandContext, options: HexOptions, file: string): Selection {
  const seen = new Set<string>()
  return {
    depth: parseWhole('--depth', options.depth),
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

/** The bytes of `--at`, ends included. */
function parseByteRange(text: string): { from: number; to: number } {
  const range = parseSpan(text, OFFSET)
  if (!range) throw usage(`--at expects A..B, found ${JSON.stringify(text)}`)
  const { from, to = Number.MAX_SAFE_INTEGER } = range
  if (from > to) throw usage(`--at expects A..B with A before B, found ${text}`)
  return { from, to }
}
