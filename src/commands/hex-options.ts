import type { Command } from 'commander'

/** Options of everything that shows bytes. */
export interface HexOptions {
  hex?: boolean
  depth?: string
  at?: string
}

/** Adds `--hex` and what narrows it. */
export function addHexOptions(command: Command): void {
  command
    .option('--hex', 'every byte of it, annotated: offset, hex and text, and what each field is')
    .option('--depth <n>', 'with --hex: levels of fields (all without it)')
    .option('--at <A..B>', 'with --hex: only bytes A to B of the file, inclusive; 0x… is hexadecimal')
}
