import { randomBytes } from 'node:crypto'
import { InspectError, orError, usage } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { collect, onlyWith } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { parseBox } from '../calls/ranges.ts'
import { type Takes, targetFor, targetsHelp } from '../calls/targets.ts'
import { parseTime } from '../calls/times.ts'
import { bytesBelow, bytesOfTarget } from '../calls/work-size.ts'
import { checkTarget } from '../check/check.ts'
import { isMendedByRecovering } from '../check/codes.ts'
import { newRun } from '../check/run.ts'
import type { RecoverDocument } from '../documents/recover.ts'
import { NEWEST_FORMAT_VERSION } from '../format/format-version.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { parseFragmentName } from '../format/timestamped-name.ts'
import { absolutePath } from '../node/current-folder.ts'
import { localFiles } from '../node/file.ts'
import { noteLeftBeside, openFileOutput } from '../node/file-output.ts'
import { type FolderOutput, openFolderOutput } from '../node/folder-output.ts'
import { writingCodecs } from '../node/node-codecs.ts'
import { type InspectArray, SCHEMA_FOLDER } from '../objects/array.ts'
import { readContext } from '../objects/read-context.ts'
import { arrayAround, openTarget, type Target } from '../objects/target.ts'
import {
  type RecoveredArray,
  type RecoverOptions,
  type RecoverOutput,
  recoverArray,
  recoverOne,
} from '../recover/array.ts'
import { isContradiction } from '../recover/contradictions.ts'
import { filePieces } from '../recover/fragment.ts'
import { lostCells } from '../recover/lost-cells.ts'
import { underItsName } from '../recover/lost-name.ts'
import { toJson } from '../rows/json.ts'
import { optimizeLater } from '../storage/lean-heap.ts'
import { mounted, renamed } from '../storage/overlay.ts'
import { Folder } from '../storage/source.ts'
import type { WriteContext } from '../write/generic-tile-writer.ts'

interface Options {
  to: string
  dropDamaged?: boolean
  domain?: string[]
  timestamp?: string
  formatVersion?: string
  array?: string
  relocate?: boolean
  withMembers?: boolean
}

const TAKES = { array: '', fragment: '' } as const satisfies Takes
const TAKES_WITH = { '--relocate': { group: '' } } as const satisfies CommandModule<never>['takesWith']

export const command: CommandModule<Options> = {
  about:
    'The source is only read. Fragments without a fault are copied byte for byte. Lost or damaged metadata is computed anew from the data files. The result is checked, cell by cell, before it gets its name.',
  examples: [
    ['an array whose fragments lost metadata', 'recover places --to places.new'],
    [
      'leave out tiles that cannot be read; the lost cells are listed',
      'recover places --drop-damaged --to places.whole',
    ],
    ['one fragment', 'recover weather/__1714 --to fragment.new'],
    ['one whose folder has lost its name', 'recover weather/__1714 --timestamp 2024-05-01 --to f.new'],
  ],

  takes: TAKES,
  takesWith: TAKES_WITH,

  configure(command) {
    command
      .argument('<target>', `${targetsHelp(TAKES)}; with --relocate, group`)
      .requiredOption('--to <dir>', 'folder to make; never overwritten')
      .option(
        '--drop-damaged',
        'leave out tiles that cannot be read, or that the metadata contradicts; DIR.lost.ndjson lists their cells',
      )
      .option(
        '--domain <NAME=LO..HI>',
        'box of the dense fragment whose metadata is lost: one range for each dimension (repeatable)',
        collect,
      )
      .option('--array <dir>', 'array of the fragment, if the fragment does not lie in it')
      .option(
        '--timestamp <T1[..T2]>',
        'when the fragment was written, if its folder has lost its name: milliseconds or dates',
      )
      .option('--format-version <n>', 'format version of that fragment, if nothing else tells it')
      .option('--relocate', 'write a group anew with relative members inside, wherever its members point now')
      .option('--with-members', 'copy its arrays, too')
    onlyWith(command, 'relocate', 'withMembers')
  },

  async *run(cx, [path], options) {
    optimizeLater()
    if (options.relocate) {
      const target = await targetFor(cx, 'recover --relocate', TAKES_WITH['--relocate'], await cx.open(path))
      yield await (await import('./recover-group.ts')).relocate(cx, path, target, options)
      return
    }
    yield await recover(cx, path, options)
  },
}

async function recover(cx: CommandContext, path: string, options: Options): Promise<Outcome> {
  const { target, assumed } = await openNamed(cx, path, options)
  if (options.dropDamaged && (await localFiles.kind(absolutePath(lostName(options.to)))) !== undefined)
    throw new InspectError(
      'EXISTS',
      { expected: 'a path where nothing is yet', found: 'something there' },
      {
        file: lostName(options.to),
      },
    )
  noteLeftBeside(options.to, cx.note)
  const output = await openFolderOutput(options.to, (place) => cx.refuseReadPlace(place, '--to'))
  try {
    const found = await writeRecovered(cx, target, options, output)
    found.fragments[0]?.assumed.push(...assumed)
    if (target.type === 'array' && found.fragments.length === 0 && found.leftOut.length > 0)
      cx.note(`TileDB finds no cell in ${cx.shownPath(path)}: check --plan says why, and what to do`)
    if (options.domain !== undefined && !found.isDomainUsed)
      cx.note('--domain is not used: no dense fragment lacks its box')
    const remaining = await checkWritten(cx, target, output.partial, found)
    const { fragments, leftOut } = found
    await cx.settle?.(remaining.length > 0 || leftOut.length > 0 || fragments.some(({ cellsLost }) => cellsLost !== 0))
    const lostFile = await writeLost(cx, options.to, found)
    // The list gets its name before the folder: where the folder is, the list is, too.
    lostFile?.commit()
    for (const name of found.unnamed) output.rename(partName(name), name)
    output.commit()
    const document = documentOf(cx, path, {
      target,
      to: options.to,
      found,
      remaining,
      hasLostFile: lostFile !== undefined,
    })
    if (document.is_loss || remaining.length > 0) cx.foundWrong()
    return {
      kind: 'document',
      document,
      table: async (out) => (await import('../render/views/recover.ts')).recoverTable(document, out),
    }
  } finally {
    output.discard()
  }
}

/** Opens the target. `assumed` says what was assumed about a fragment whose folder has lost its name. */
async function openNamed(
  cx: CommandContext,
  path: string,
  { timestamp, formatVersion, array: arrayPath }: Options,
): Promise<{ target: Target; assumed: string[] }> {
  const hasNameOptions = timestamp !== undefined || formatVersion !== undefined || arrayPath !== undefined
  const place = cx.internalPath(path).replace(/(?<=.)\/+$/, '')
  const folder = new Folder(cx.storage, place)
  const target = await orError(() => cx.open(path))
  if (target instanceof InspectError) {
    // A fragment that has lost its name and its metadata is a folder with data files.
    if (target.code !== 'NOT_TILEDB' || !(await folder.list()).some(({ name }) => name.endsWith('.tdb'))) throw target
  } else {
    const isNamed = target.type !== 'fragment' || parseFragmentName(target.fragment.name) !== undefined
    if (isNamed && !hasNameOptions) return { target, assumed: [] }
    if (target.type !== 'fragment') throw usage('--array, --timestamp and --format-version are for a fragment')
  }
  const array = arrayPath === undefined ? await arrayAround(folder, cx.reading) : await arrayAt(cx, arrayPath)
  if (!array) throw usage(`--array expects the array of the fragment: none is around ${path}`)
  const known = {
    times: timestamp === undefined ? parseFragmentName(folder.name)?.timestamp_range : parseTimes(cx, timestamp),
    version: formatVersion === undefined ? undefined : parseVersion(formatVersion),
  }
  const { assumed, ...named } = await underItsName(array, folder, known)
  return { target: { type: 'fragment', path: named.fragment.folder.path, ...named }, assumed }
}

async function arrayAt(cx: CommandContext, path: string): Promise<InspectArray> {
  const target = await cx.open(path)
  if (target.type === 'array') return target.array
  throw usage(`--array expects an array, found ${path}`)
}

function parseTimes(cx: CommandContext, text: string): [bigint, bigint] {
  const ends = text.split('..')
  const [first, last] = [ends[0], ends[1] ?? ends[0]].map((end) => parseTime(cx, '--timestamp', end))
  if (ends.length > 2 || first > last)
    throw usage(`--timestamp expects T1 or T1..T2 with T1 up to T2, found ${JSON.stringify(text)}`)
  return [first, last]
}

function parseVersion(text: string): number {
  const version = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (version >= 1 && version <= NEWEST_FORMAT_VERSION) return version
  throw usage(`--format-version expects 1 to ${NEWEST_FORMAT_VERSION}, found ${JSON.stringify(text)}`)
}

/**
 * The names by which readers recognize an array. They are given last: until then, what a killed call leaves behind is not taken for
 * an array.
 */
const SCHEMAS: readonly string[] = [SCHEMA_FOLDER, OLD_SCHEMA_FILE]

/** The name that one of {@link SCHEMAS} has while the array is written. */
function partName(name: string): string {
  return `${name}.part`
}

/** What was written. */
interface Written extends RecoveredArray {
  /** Those of {@link SCHEMAS} that do not have their names yet. */
  unnamed: ReadonlySet<string>
  /** Whether a fragment needed `--domain`. */
  isDomainUsed: boolean
}

async function writeRecovered(
  cx: CommandContext,
  target: Target,
  options: Options,
  output: FolderOutput,
): Promise<Written> {
  // Damage is expected here, and not reported.
  cx.reading.onFault = () => {}
  let domainUses = 0
  const recoverOptions: RecoverOptions = {
    dropDamaged: options.dropDamaged ?? false,
    domain: (schema) => {
      if (options.domain === undefined) return undefined
      if (domainUses++ > 0)
        throw usage('--domain is for one fragment, found several that need it: recover them one by one')
      return parseBox(schema.domain.dimensions, options.domain)
    },
  }
  const writing = (): WriteContext => {
    const { key, encrypted } = cx.reading
    return {
      codecs: writingCodecs,
      key: encrypted ? key : undefined,
      randomBytes: (length) => randomBytes(length),
      pause: cx.reading.pause,
    }
  }
  const progress = cx.progress({ what: 'recovering', total: () => bytesOfTarget(cx.storage, target, false) })
  const schemas = new Set<string>()
  const out: RecoverOutput = {
    write(name, file) {
      const [first, ...rest] = name.split('/')
      if (!SCHEMAS.includes(first)) return output.writeParts(name, filePieces(file))
      schemas.add(first)
      return output.writeParts([partName(first), ...rest].join('/'), filePieces(file))
    },
  }
  try {
    const done = await recoveredTarget(cx, target, recoverOptions, writing, out)
    return { ...done, unnamed: schemas, isDomainUsed: domainUses > 0 }
  } finally {
    progress.stop()
  }
}

async function recoveredTarget(
  cx: CommandContext,
  found: Target,
  ...how: [RecoverOptions, () => WriteContext, RecoverOutput]
): Promise<RecoveredArray> {
  const target = await targetFor(cx, 'recover', TAKES, found)
  if (target.type === 'array') return recoverArray(target.array, ...how)
  if (target.array) return recoverOne(target.array, target.fragment, ...how)
  const message = 'expected the fragment inside its array, whose schema tells its fields; found no array around it'
  throw new InspectError('NO_SCHEMA', message, { file: target.path })
}

/**
 * Checks what was written, before it gets its name.
 * @returns the codes of findings that recover cannot mend: faults in cells, and in files outside fragments
 * @throws InspectError NOT_RECOVERED if a written fragment has a fault that recover should have mended
 */
async function checkWritten(cx: CommandContext, target: Target, partial: string, found: Written): Promise<string[]> {
  const { codecs, key, memory } = cx.reading
  const reading = { ...readContext(codecs, key, memory), pause: cx.reading.pause }
  const remaining = new Set<string>()
  const progress = cx.progress({ what: 'checking what was written', total: () => bytesBelow(localFiles, partial) })
  try {
    for (const { storage, path } of placesToCheck(cx, target, partial, found)) {
      const written = await openTarget(storage, path, reading)
      // Consolidated fragment metadata of the array around it still has the footer of the old file.
      if (written.type === 'fragment') written.fragment.asStored()
      for await (const item of checkTarget(newRun('cells', false), written)) {
        if ('notExamined' in item) throw item.notExamined
        const { severity, code, file } = item
        if (severity !== 'error') continue
        const inside = found.fragments.find(({ written: parts }) =>
          parts.some(({ name }) => file.includes(`/${name}/`)),
        )
        const isKept = inside?.contradictions.some(({ codes }) => isContradiction(code) || codes.includes(code))
        // New metadata does not mend what is wrong with cells.
        if (!inside || isKept || !isMendedByRecovering(item)) {
          remaining.add(code)
          continue
        }
        const fault = {
          expected: 'nothing wrong in what was written',
          found: `${code} in ${file.slice(path.length + 1)}: expected ${item.expected}, found ${item.found}`,
        }
        throw new InspectError('NOT_RECOVERED', fault, { file: target.path })
      }
    }
    return [...remaining]
  } finally {
    progress.stop()
  }
}

/** What was written, under the paths that it will have: a fragment can be read only inside its array. */
function* placesToCheck(
  cx: CommandContext,
  target: Target,
  partial: string,
  { fragments, unnamed: schemas }: Written,
): Generator<{ storage: CommandContext['storage']; path: string }> {
  const storage = cx.storage.anew ?? cx.storage
  if (target.type === 'array') {
    let named = storage
    for (const name of schemas) named = renamed(named, partial, partName(name), name)
    yield { storage: named, path: partial }
    return
  }
  const around = target.path.slice(0, target.path.lastIndexOf('/'))
  for (const { written } of fragments) {
    for (const { name } of written) {
      const path = `${around}/${name}`
      yield { storage: mounted(storage, path, written.length > 1 ? `${partial}/${name}` : partial), path }
    }
  }
}

/** Writes the list of lost cells beside the new folder; undefined if nothing is lost. */
async function writeLost(cx: CommandContext, to: string, { fragments }: RecoveredArray) {
  const losing = fragments.filter(({ cellsLost }) => cellsLost !== 0)
  if (losing.length === 0) return undefined
  const file = await openFileOutput(lostName(to))
  try {
    for (const one of losing)
      for await (const line of lostCells(one, cx.style))
        await file.write(`${toJson(line, { int64: 'number', indent: false })}\n`)
    return file
  } catch (error) {
    file.discard()
    throw error
  }
}

/** The path of the list of lost cells. */
function lostName(to: string): string {
  return `${to.replace(/\/+$/, '')}.lost.ndjson`
}

/** What a run of recover did. */
interface Recovery {
  target: Target
  to: string
  found: RecoveredArray
  /** What the check of the result still finds. */
  remaining: readonly string[]
  /** Whether lost cells are listed in a file. */
  hasLostFile: boolean
}

function documentOf(
  cx: CommandContext,
  path: string,
  { target, to, found: { fragments, leftOut }, remaining, hasLostFile }: Recovery,
): RecoverDocument {
  const isUnknown = fragments.some(({ cellsLost }) => cellsLost === undefined)
  const cells_lost = isUnknown ? null : sum(fragments, ({ cellsLost = 0 }) => cellsLost)
  return {
    ...documentHead('recover', cx.shownPath(path)),
    written_to: to,
    fragments: fragments.map(
      ({ name, outcome, cellNum, cellsLost = null, codes, assumed, why = null, written, instead, contradictions }) => ({
        ...{ name, outcome, cell_num: cellNum, cells_lost: cellsLost, reason: why, codes, assumed, contradictions },
        written_as: instead ?? written.map((one) => one.name),
      }),
    ),
    left_out: leftOut.map((one) => ({ path: one.path, reason: one.why, is_loss: one.isLoss })),
    cell_num: sum(fragments, ({ cellNum }) => cellNum),
    cells_lost,
    lost_file: hasLostFile ? lostName(to) : null,
    remaining,
    place: target.type === 'fragment' && target.array ? target.path.slice(target.array.folder.path.length + 1) : null,
    is_loss: cells_lost !== 0 || leftOut.some(({ isLoss }) => isLoss),
  }
}
