import type { CommandModule } from '../commands/command.ts'

/** Headings in the list of commands. */
const FIRST = 'Start here:'
const FOLDER = 'What is in a folder:'
const RIGHT = 'Whether it is right:'
const METADATA = 'What the metadata says:'
const BYTES = 'Cells and bytes:'
export const OTHER = 'Other commands:'

/** The command that is meant where a target stands alone. */
export const OVERVIEW = 'overview'

interface CommandEntry {
  group: string
  summary: string
  load: () => Promise<{ command: CommandModule<never> }>
}

/** Every command and its module. A module is loaded only when its command is called. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  [OVERVIEW]: {
    group: FIRST,
    summary: 'what it is, what a reader sees, whether it is right, what to do next; also without the word overview',
    load: () => import('../commands/overview.ts'),
  },
  ls: {
    group: FOLDER,
    summary: 'fragments of an array and what state they are in, files of a fragment, members of a group',
    load: () => import('../commands/ls.ts'),
  },
  schema: {
    group: FOLDER,
    summary: 'array schema: dimensions, attributes, filters, enumerations',
    load: () => import('../commands/schema.ts'),
  },
  commits: {
    group: FOLDER,
    summary: 'commit, vacuum, delete and consolidated files, and which fragments count because of them',
    load: () => import('../commands/commits.ts'),
  },
  stats: {
    group: FOLDER,
    summary: 'what fills disk and memory, by field, filter and section; two targets side by side',
    load: () => import('../commands/stats.ts'),
  },
  check: {
    group: RIGHT,
    summary: 'any damage: files, sizes, metadata, filters, checksums; with --level cells every cell',
    load: () => import('../commands/check.ts'),
  },
  why: {
    group: RIGHT,
    summary: 'what a file or folder is for, what is lost without it, and whether it may be deleted',
    load: () => import('../commands/why.ts'),
  },
  'verify-checksums': {
    group: RIGHT,
    summary: 'only the checksums that filters stored: MD5, SHA-256, AES-GCM tags',
    load: () => import('../commands/verify-checksums.ts'),
  },
  diff: {
    group: RIGHT,
    summary: 'two arrays, fragments or schemas compared; their cells, too, with --cells',
    load: () => import('../commands/diff.ts'),
  },
  footer: {
    group: METADATA,
    summary: 'footer of the fragment metadata, field by field',
    load: () => import('../commands/footer.ts'),
  },
  rtree: {
    group: METADATA,
    summary: 'R-tree: bounding boxes of the tiles of a sparse fragment',
    load: () => import('../commands/rtree.ts'),
  },
  metadata: {
    group: METADATA,
    summary: 'tile offsets and statistics of a fragment; key-value metadata of an array or group',
    load: () => import('../commands/metadata.ts'),
  },
  tiles: {
    group: METADATA,
    summary: 'metadata of a fragment by tile: boxes, offsets, sizes, minima and maxima',
    load: () => import('../commands/tiles.ts'),
  },
  read: {
    group: BYTES,
    summary: 'cells of an array as TileDB returns them, all fragments merged; at any time',
    load: () => import('../commands/read.ts'),
  },
  explain: {
    group: BYTES,
    summary: 'what a read of an array would do and cost, and what makes it slow',
    load: () => import('../commands/explain.ts'),
  },
  history: {
    group: BYTES,
    summary: 'every version of a cell, in which fragment, and what hides it',
    load: () => import('../commands/history.ts'),
  },
  decode: {
    group: BYTES,
    summary: 'cells, in stored order: as a table, JSON, NDJSON, CSV or Arrow',
    load: () => import('../commands/decode.ts'),
  },
  tile: {
    group: BYTES,
    summary: 'anatomy of one tile: chunks, filters, sizes at each stage',
    load: () => import('../commands/tile.ts'),
  },
  dump: {
    group: BYTES,
    summary: 'any file, byte by byte: annotated hex, or the tree of its fields; the bytes of one field',
    load: () => import('../commands/dump.ts'),
  },
  at: {
    group: BYTES,
    summary: 'what a byte means, which cells it belongs to, what would notice a flip; or where a cell is',
    load: () => import('../commands/at.ts'),
  },
  'write-sample': {
    group: OTHER,
    summary: 'writes a sample array that TileDB opens',
    load: () => import('../commands/write-sample.ts'),
  },
  completion: {
    group: OTHER,
    summary: 'completes commands and options in bash, zsh or fish',
    load: () => import('../commands/completion.ts'),
  },
}

/** Command names that users of other programs may expect. */
export const ALIASES: ReadonlyMap<string, string> = new Map([['verify', 'verify-checksums']])
