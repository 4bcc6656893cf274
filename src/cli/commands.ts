import type { CommandModule } from '../commands/command.ts'

/** Headings in the list of commands, as `--help` shows it. */
const FOLDER = 'What is there:'
const CELLS = 'Cells:'
const COST = 'Size and speed:'
const RIGHT = 'Is it right:'
const METADATA = 'Inside of metadata:'
const BYTES = 'Inside of files:'
export const OTHER = 'Other commands:'

/** The command for a target that is given without a command. */
export const OVERVIEW = 'overview'

/**
 * A question, the call that answers it, and more words by which `help` finds it. `places` and `weather` are the arrays of the
 * examples.
 */
export type Question = readonly [question: string, call: string, words?: string]

interface CommandEntry {
  /** Heading in the list of commands. */
  group: string
  summary: string
  /** A question that the command answers, if it is not in the list of questions.ts. */
  question?: Question
  load: () => Promise<{ command: CommandModule<never> }>
}

/** Every command and its module. A module is loaded only when its command is called. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  [OVERVIEW]: {
    group: FOLDER,
    summary:
      'the same as the target alone: what it is, what a reader sees, size, age, TileDB versions, findings, what to do next',
    load: () => import('../commands/overview.ts'),
  },
  ls: {
    group: FOLDER,
    summary:
      'fragments: state, size, time, box; which wait for vacuum, overlap, failed, are not read; files of a fragment; members of a group',
    load: () => import('../commands/ls.ts'),
  },
  schema: {
    group: FOLDER,
    summary: 'dimensions, attributes, types, filters, domain, enumerations, labels; --all: every schema, oldest first',
    load: () => import('../commands/schema.ts'),
  },
  commits: {
    group: FOLDER,
    summary:
      'commit, .vac, .con, .ign and .del files, and what each does: commits, consolidation, vacuum, delete conditions',
    load: () => import('../commands/commits.ts'),
  },
  metadata: {
    group: FOLDER,
    summary: 'key-value metadata of an array or group; tile offsets and statistics of a fragment',
    load: () => import('../commands/metadata.ts'),
  },
  read: {
    group: CELLS,
    summary:
      'cells as TileDB returns them, at any time: as a table, JSON, CSV or Arrow; --where, --range; --provenance: their fragments',
    load: () => import('../commands/read.ts'),
  },
  history: {
    group: CELLS,
    summary: 'every version of a cell: in which fragment, when it was written, what hides it',
    load: () => import('../commands/history.ts'),
  },
  decode: {
    group: CELLS,
    summary: 'cells of one fragment as they are stored: a table, JSON, CSV, Arrow',
    load: () => import('../commands/decode.ts'),
  },
  explain: {
    group: COST,
    summary: 'what a read would do and cost, what makes it slow, what would help; memory',
    load: () => import('../commands/explain.ts'),
  },
  stats: {
    group: COST,
    summary: 'what fills disk and memory: by field, filter, section; ratios, tile sizes; two targets side by side',
    load: () => import('../commands/stats.ts'),
  },
  whatif: {
    group: COST,
    summary: 'what other filters would make of it: size, speed of reading and writing, exact or not; the best of them',
    load: () => import('../commands/whatif.ts'),
  },
  check: {
    group: RIGHT,
    summary:
      'any damage, and why TileDB fails to open it: files, sizes, metadata, filters, checksums; --level cells: every cell',
    load: () => import('../commands/check.ts'),
  },
  why: {
    group: RIGHT,
    summary: 'what a file or folder is for, what is lost without it, whether it may be deleted',
    load: () => import('../commands/why.ts'),
  },
  recover: {
    group: RIGHT,
    summary: 'an array or fragment written anew without its damage: lost metadata from the cells, all whole tiles',
    load: () => import('../commands/recover.ts'),
  },
  'verify-checksums': {
    group: RIGHT,
    summary: 'only the checksums that filters stored: MD5, SHA-256, AES-GCM tags',
    load: () => import('../commands/verify-checksums.ts'),
  },
  diff: {
    group: RIGHT,
    summary: 'two arrays, fragments or schemas compared; --cells: their cells, too',
    load: () => import('../commands/diff.ts'),
  },
  footer: {
    group: METADATA,
    summary: 'footer of the fragment metadata, field by field',
    load: () => import('../commands/footer.ts'),
  },
  rtree: {
    group: METADATA,
    summary: 'R-tree: boxes of the tiles of a sparse fragment; which of them a range touches',
    load: () => import('../commands/rtree.ts'),
  },
  tiles: {
    group: METADATA,
    summary: 'each tile of a fragment: box, offset, size, minimum, maximum, sum, nulls',
    load: () => import('../commands/tiles.ts'),
  },
  tile: {
    group: BYTES,
    summary: 'one tile: its chunks, and its bytes after each filter',
    load: () => import('../commands/tile.ts'),
  },
  dump: {
    group: BYTES,
    summary: 'any file, byte by byte: annotated hex, or the tree of its fields',
    load: () => import('../commands/dump.ts'),
  },
  at: {
    group: BYTES,
    summary:
      'what a byte means, which cells it belongs to, what would notice a flip; or in which file and byte a cell is',
    load: () => import('../commands/at.ts'),
  },
  page: {
    group: OTHER,
    summary: 'a page to look at in a browser and click through: served to this machine, or with -o one file to pass on',
    load: () => import('../commands/page.ts'),
  },
  'write-sample': {
    group: OTHER,
    summary: 'writes a sample array that TileDB opens; or writes given cells with other filters',
    question: [
      'How do I make an array with deletes and consolidated fragments?',
      'write-sample my-history --delete "id > 500" --consolidate fragments',
      'history vacuum append steps fixture write',
    ],
    load: () => import('../commands/write-sample.ts'),
  },
  completion: {
    group: OTHER,
    summary: 'completes commands, fields and fragments in bash, zsh, fish',
    load: () => import('../commands/completion.ts'),
  },
}

/** Other names for commands, which users of other programs may expect. */
export const ALIASES: ReadonlyMap<string, string> = new Map([['verify', 'verify-checksums']])
