import type { Command } from 'commander'

/** Options of everything that shows bytes. */
export interface HexOptions {
  hex?: boolean
  depth?: string
  at?: string
}

/** Adds `--hex` and what narrows it. @param alone the command shows bytes without being asked for it */
export function addHexOptions(command: Command, alone = false): void {
  const when = alone ? '' : 'with --hex: '
  command
    .option('--hex', 'every byte of it, annotated: offset, hex and text, and what each field is')
    .option('--depth <n>', `${when}levels of fields (all without it)`)
    .option('--at <A..B>', `${when}only bytes A to B of the file, inclusive; 0x… is hexadecimal`)
}
