import type { CommandModule } from '../calls/command.ts'

/** Headings in the list of commands, as `--help` shows it. */
const FOLDER = 'What is there:'
const CELLS = 'Cells:'
const COST = 'Size and speed:'
const RIGHT = 'Is it right:'
const METADATA = 'Inside metadata:'
const BYTES = 'Inside files:'
export const OTHER = 'Other commands:'

/** The command for a target that is given without a command. */
export const OVERVIEW = 'overview'

/**
 * A question, the call that answers it, and more words by which `help` finds it. By its own words it has to be among the first eight.
 * `places` and `weather` are the arrays of the examples.
 */
export type Question = readonly [question: string, call: string, words?: string]

interface CommandEntry {
  /** Heading in the list of commands. */
  group: string
  summary: string
  /**
   * A question that the command answers. Every command needs one, here or beside others about its subject in questions.ts:
   * test/cli/questions.test.ts asks. Only `completion` has none.
   */
  question?: Question
  load: () => Promise<{ command: CommandModule<never> }>
}

/** Every command and its module. A module is loaded only when its command is called. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  [OVERVIEW]: {
    group: FOLDER,
    summary:
      'shows the same as the target alone: what it is, what a reader sees, size, age, TileDB versions, findings, what to do next',
    load: () => import('../commands/overview.ts'),
  },
  ls: {
    group: FOLDER,
    summary:
      'lists the fragments of an array (state, size, time, box; which wait for vacuum, overlap, failed or are not read), the files of a fragment, or the members of a group',
    load: () => import('../commands/ls.ts'),
  },
  schema: {
    group: FOLDER,
    summary:
      'shows dimensions, attributes, types, filters, domain, enumerations and labels; --all: every schema, oldest first',
    load: () => import('../commands/schema.ts'),
  },
  commits: {
    group: FOLDER,
    summary:
      'lists commit, .vac, .con, .ign and .del files, and says what each does: commits, consolidation, vacuum, delete conditions',
    load: () => import('../commands/commits.ts'),
  },
  metadata: {
    group: FOLDER,
    summary: 'shows the key-value metadata of an array or group, or the tile offsets and statistics of a fragment',
    load: () => import('../commands/metadata.ts'),
  },
  read: {
    group: CELLS,
    summary:
      'shows cells as TileDB returns them, at any time, as a table, JSON, CSV, Arrow or Parquet; --where and --range choose cells, --provenance names their fragments',
    load: () => import('../commands/read.ts'),
  },
  history: {
    group: CELLS,
    summary: 'shows every version of a cell: its fragment, when it was written, and what hides it',
    load: () => import('../commands/history.ts'),
  },
  decode: {
    group: CELLS,
    summary: 'shows the cells of one fragment as they are stored, as a table, JSON, CSV, Arrow or Parquet',
    load: () => import('../commands/decode.ts'),
  },
  explain: {
    group: COST,
    summary: 'says what a read would do and cost, how much memory it needs, what makes it slow, and what would help',
    load: () => import('../commands/explain.ts'),
  },
  stats: {
    group: COST,
    summary:
      'shows what fills disk and memory, by field, filter and section; ratios and tile sizes; two targets side by side',
    load: () => import('../commands/stats.ts'),
  },
  whatif: {
    group: COST,
    summary: 'tries other filters: size, speed of reading and writing, whether they are lossless, and which are best',
    load: () => import('../commands/whatif.ts'),
  },
  check: {
    group: RIGHT,
    summary:
      'finds any damage, and why TileDB fails to open an array: files, sizes, metadata, filters, checksums; --level cells: every cell',
    load: () => import('../commands/check.ts'),
  },
  why: {
    group: RIGHT,
    summary: 'says what a file or folder is for, what is lost without it, and whether it may be deleted',
    load: () => import('../commands/why.ts'),
  },
  recover: {
    group: RIGHT,
    summary:
      'writes an array or fragment anew without its damage: with all whole tiles, and with lost metadata computed from the cells',
    load: () => import('../commands/recover.ts'),
  },
  'verify-checksums': {
    group: RIGHT,
    summary: 'verifies only the checksums that filters stored: MD5, SHA-256, AES-GCM tags',
    load: () => import('../commands/verify-checksums.ts'),
  },
  diff: {
    group: RIGHT,
    summary: 'compares two arrays, datasets, fragments or schemas; --cells: their cells, --files: their bytes',
    load: () => import('../commands/diff.ts'),
  },
  footer: {
    group: METADATA,
    summary: 'shows the footer of the fragment metadata, field by field',
    load: () => import('../commands/footer.ts'),
  },
  rtree: {
    group: METADATA,
    summary: 'shows the R-tree of a sparse fragment: the boxes of its tiles, and which of them a range touches',
    load: () => import('../commands/rtree.ts'),
  },
  tiles: {
    group: METADATA,
    summary: 'shows each tile of a fragment: box, offset, size, minimum, maximum, sum, nulls',
    load: () => import('../commands/tiles.ts'),
  },
  tile: {
    group: BYTES,
    summary: 'shows one tile: its chunks, and its bytes after each filter',
    load: () => import('../commands/tile.ts'),
  },
  dump: {
    group: BYTES,
    summary: 'shows any file byte by byte: as annotated hex, or as the tree of its fields',
    load: () => import('../commands/dump.ts'),
  },
  at: {
    group: BYTES,
    summary:
      'says what a byte means, which cells it belongs to, and what would notice a flip; or at which byte of which file a cell is',
    load: () => import('../commands/at.ts'),
  },
  page: {
    group: OTHER,
    summary: 'makes a page to look at in a browser: served to this machine, or with -o one file to pass on',
    load: () => import('../commands/page.ts'),
  },
  'write-sample': {
    group: OTHER,
    summary: 'writes a sample array that TileDB opens, or your own cells with other filters',
    question: [
      'How do I make an array with deletes and consolidated fragments?',
      'write-sample my-history --delete "id > 500" --consolidate fragments',
      'history vacuum append steps fixture write',
    ],
    load: () => import('../commands/write-sample.ts'),
  },
  mcp: {
    group: OTHER,
    summary:
      'lets agents look at arrays, by the Model Context Protocol over stdin and stdout; it takes only commands that read',
    question: [
      'How does an agent or assistant use it?',
      'mcp --tools',
      'mcp model context protocol server llm ai client claude chat tool',
    ],
    load: () => import('../commands/mcp.ts'),
  },
  completion: {
    group: OTHER,
    summary: 'prints a script that completes commands, fields and fragments in bash, zsh or fish',
    load: () => import('../commands/completion.ts'),
  },
}

/** Other names for commands, which users of other programs may expect. */
export const ALIASES: ReadonlyMap<string, string> = new Map([['verify', 'verify-checksums']])
