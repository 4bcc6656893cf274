import type { Command } from 'commander'
import type { Selection } from '../anatomy/selection.ts'
import { InspectError, usage } from '../base/errors.ts'
import type { CommandContext } from './command.ts'
import { OFFSET, parseSpan, parseWhole } from './option-values.ts'
import { onlyWith } from './options.ts'

/** Options of every command that shows bytes. */
export interface HexOptions {
  hex?: boolean
  depth?: string
  at?: string
}

/** Adds `--hex` and the options that limit it. @param always whether the command shows bytes without `--hex`, too */
export function addHexOptions(command: Command, always = false): void {
  const when = always ? '' : 'with --hex: '
  command
    .option('--hex', 'show every byte, annotated: offset, hex and text, and what each field is')
    .option('--depth <n>', `${when}levels of fields (default: all)`)
    .option('--at <A..B>', `${when}only bytes A to B of the file, both included; 0x… is hexadecimal`)
  if (!always) onlyWith(command, 'hex', 'depth', 'at')
}

/** The parts of a file that the options select. Each fault in them is reported once. */
export function selectionOf(cx: CommandContext, options: HexOptions, file: string): Selection {
  const seen = new Set<string>()
  return {
    depth: parseWhole('--depth', options.depth),
    range: options.at === undefined ? undefined : parseByteRange(options.at),
    onFault(error) {
      const placed = new InspectError(error.code, error.fault, { ...error.at, file: error.at.file ?? file })
      const id = JSON.stringify([placed.code, placed.message, placed.at])
      if (seen.has(id)) return
      seen.add(id)
      cx.fault(placed)
    },
  }
}

/** Parses the bytes of `--at`, ends included. @throws InspectError USAGE */
function parseByteRange(text: string): { from: number; to: number } {
  const range = parseSpan(text, OFFSET)
  if (!range) throw usage(`--at expects A..B, found ${JSON.stringify(text)}`)
  const { from, to = Number.MAX_SAFE_INTEGER } = range
  if (from > to) throw usage(`--at expects A..B with A before B, found ${text}`)
  return { from, to }
}
