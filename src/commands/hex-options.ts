import type { Command } from 'commander'
import { onlyWith } from './command.ts'

/** Options of all commands that show bytes. */
export interface HexOptions {
  hex?: boolean
  depth?: string
  at?: string
}

/** Adds `--hex` and the options that limit it. @param alone whether the command shows bytes without `--hex` */
export function addHexOptions(command: Command, alone = false): void {
  const when = alone ? '' : 'with --hex: '
  command
    .option('--hex', 'every byte of it, annotated: offset, hex and text, and what each field is')
    .option('--depth <n>', `${when}levels of fields (all without it)`)
    .option('--at <A..B>', `${when}only bytes A to B of the file, inclusive; 0x… is hexadecimal`)
  if (!alone) onlyWith(command, 'hex', 'depth', 'at')
}
