import { InspectError, usage } from '../base/errors.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { collect, openRecursive, RECURSIVE_OPTION } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { noteBytesToRead } from '../calls/reading-ahead.ts'
import { type Takes, takesKind, targetFor, targetsHelp } from '../calls/targets.ts'
import { parseEnd } from '../calls/times.ts'
import type { DiffDocument, DiffVerdict } from '../documents/diff.ts'
import { kindOf, type Target } from '../objects/target.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray } from '../read/query.ts'
import { DiffComparison, type DiffOptions, TAKES } from './diff-comparison.ts'
import { compareArraysRead, compareObjects } from './diff-objects.ts'

/** What `diff` takes: files of other kinds than {@link TAKES} has are compared byte by byte. */
const TAKES_ANY = {
  array: '',
  fragment: '',
  group: 'its members',
  file: 'other than schemas and fragment metadata: its bytes',
} as const satisfies Takes
/** What `diff --files` takes. Two data files are compared so without the option. */
const TAKES_FILES = { array: '', fragment: '', group: 'all that lies in it', file: '' } as const satisfies Takes
const TAKES_READ = { array: '', group: '' } as const satisfies Takes

export const command: CommandModule<DiffOptions> = {
  about:
    'Datasets are compared member by member: only in one, equal, or what differs. With --cells, "same cells, other layout" says that only files, fragments, tiles or filters differ; that is a difference, with exit code 1. With --read, only what readers see counts: the exit code is then 0',
  examples: [
    ['two fragments: schema, sizes, footer, metadata, boxes', 'diff places/__1714 places/__1714'],
    ['two arrays and all their cells; exit code 0 where nothing differs', 'diff --cells weather weather'],
    ['what readers see of two arrays or datasets, however it is stored', 'diff --read weather weather'],
    ['two folders of arrays, and only their schemas', 'diff --schema-only . .'],
    ['byte by byte: the files that differ, and what the first byte is that does', 'diff --files places places'],
    ['for a script: whether they are equal, and every difference', 'diff --json weather weather'],
  ],

  together: true,

  takes: TAKES_ANY,
  takesWith: { '--read': TAKES_READ, '--files': TAKES_FILES },

  configure(command) {
    command
      .argument('<a>', `${targetsHelp(TAKES_ANY)}; or a saved sweep (ndjson of ls, check or stats --recursive)`)
      .argument('<b>', 'another of the same kind')
      .option('--schema-only', 'compare nothing but schemas')
      .option('--cells', 'compare the cells, too: in stored order, or as readers see them if they are stored otherwise')
      .option('--names', 'compare names and timestamps, too')
      .option('--read', 'compare what readers see, all fragments merged, instead of what is stored')
      .option(
        '--as-of <time>',
        'with --read of two arrays: compare them at that time; given twice: the time of a, then the time of b',
        collect,
      )
      .option(
        '--files',
        'compare files byte by byte: which are only in one, and where and in how many bytes the others differ',
      )
      .option(...RECURSIVE_OPTION)
  },

  async *run(cx, [a, b], options) {
    const { read, asOf = [] } = options
    if (read && (options.cells || options.names || options.schemaOnly))
      throw usage({ expected: '--read, or --cells, --names and --schema-only', found: 'both' })
    if (options.schemaOnly && options.cells) throw usage({ expected: '--schema-only or --cells', found: 'both' })
    if (options.files && (read || options.cells || options.names || options.schemaOnly))
      throw usage({ expected: '--files, or another way to compare', found: 'both' })
    if (!read && options.asOf) throw usage('--as-of expects --read beside it, found none')
    if (asOf.length > 2) throw usage({ expected: '--as-of twice at most', found: `it ${asOf.length} times` })
    const isPlain = !read && !options.cells && !options.names && !options.schemaOnly && !options.files
    if (isPlain && (await areLocalFiles(cx, [a, b]))) {
      const { diffSweeps, isSweep } = await import('./diff-sweeps.ts')
      if ((await isSweep(cx, a)) && (await isSweep(cx, b))) {
        yield await diffSweeps(cx, a, b)
        return
      }
    }
    const run = new DiffComparison(cx, options)
    const takes = options.schemaOnly || options.cells || options.names ? TAKES : TAKES_ANY
    const [call, taken] = read ? (['diff --read', TAKES_READ] as const) : (['diff', takes] as const)
    const targets = [
      await openRecursive(cx, a, options.recursive),
      await openRecursive(cx, b, options.recursive),
    ] as const
    if (options.files || (isPlain && targets.some(hasOnlyBytes))) {
      const { diffFiles } = await import('./diff-files.ts')
      const files: Target[] = []
      for (const target of targets) files.push(await targetFor(cx, 'diff --files', TAKES_FILES, target))
      throwIfUnlike(files[0], files[1])
      yield await diffFiles(cx, [a, files[0]], [b, files[1]])
      return
    }
    const left = await targetFor(cx, call, taken, targets[0])
    const right = await targetFor(cx, call, taken, targets[1])
    throwIfUnlike(left, right)
    if (read) for (const target of [left, right]) await noteBytesToRead(cx, target)
    const times = asOf.map((text) => parseEnd(cx, '--as-of', text))
    if (left.type === 'group' && right.type === 'group') {
      if (times.length > 0) throw usage({ expected: 'two arrays for --as-of', found: 'groups' })
      const { compareDatasets } = await import('./diff-dataset.ts')
      const { members, verdict } = await compareDatasets(run, left, right)
      yield diffOutcome(run, [a, b], verdict, { members })
    } else if (times.length > 0 && left.type === 'array' && right.type === 'array') {
      const opened: [OpenedArray, OpenedArray] = [
        await openAt(left.array, { to: times[0] }),
        await openAt(right.array, { to: times.at(-1) }),
      ]
      const { verdict } = await compareArraysRead(run, '', opened)
      const at = { as_of: opened[0].between, other_as_of: opened[1].between }
      yield diffOutcome(run, [a, b], verdict, { reader_cells: { ...at, ...run.reads } })
    } else {
      const { verdict } = await compareObjects(run, '', [a, left], [b, right])
      yield diffOutcome(run, [a, b], verdict)
    }
  },
}

/** Whether a target is a file of which nothing but its bytes is compared. */
function hasOnlyBytes(target: Target): boolean {
  return target.type === 'file' && takesKind(TAKES_FILES, kindOf(target)) && !takesKind(TAKES, kindOf(target))
}

/** @throws InspectError WRONG_TARGET */
function throwIfUnlike(left: Target, right: Target): void {
  if (left.type !== right.type)
    throw new InspectError('WRONG_TARGET', `diff expects two targets of a kind, found ${left.type} and ${right.type}`)
}

/** Whether two targets may be saved sweeps. */
async function areLocalFiles({ storage, internalPath }: CommandContext, paths: readonly string[]): Promise<boolean> {
  for (const path of paths.map(internalPath))
    if (storage.isRemote?.(path) || (await storage.kind(path).catch(() => undefined)) !== 'file') return false
  return true
}

function diffOutcome(
  run: DiffComparison,
  [a, b]: readonly [string, string],
  verdict: DiffVerdict,
  { members, reader_cells }: Pick<DiffDocument, 'members' | 'reader_cells'> = {},
): Outcome {
  const { cx, options, found, cell_num, counts, unlisted, unlistedCells, not_compared } = run
  const isRead = options.read ?? false
  const document: DiffDocument = {
    ...documentHead('diff', cx.shownPath(a)),
    other: cx.shownPath(b),
    equal: verdict === 'equal',
    verdict,
    cells_compared: options.cells ?? counts !== undefined,
    cell_num,
    reader_cells: reader_cells ?? run.reads ?? (isRead ? {} : undefined),
    not_compared: not_compared.length === 0 ? undefined : not_compared,
    unlisted_cell_num: unlistedCells || undefined,
    unlisted_num: unlisted || undefined,
    members,
    // Every row has all keys: CSV needs the same columns in each.
    differences: found.map(({ path, a, b, more, shifted_by }) => ({ path, a, b, more, shifted_by })),
  }
  if (document.differences.length > 0) cx.foundWrong()
  return {
    kind: 'rows',
    document,
    rows: document.differences,
    columns: () => ['path', 'a', 'b', 'more', 'shifted_by'],
    table: async (out) => (await import('../render/views/diff.ts')).diffTable(document, isRead, out),
  }
}
