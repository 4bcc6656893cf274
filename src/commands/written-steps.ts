import { dirname, resolve } from 'node:path'
import { usage } from '../base/errors.ts'
import type { Json } from '../base/json-text.ts'
import type { Prose } from '../base/prose.ts'
import { sum } from '../base/sum.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import type { Outcome } from '../calls/outcome.ts'
import type { SampleFile } from '../documents/sample.ts'
import type { StepsDocument } from '../documents/steps.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { absolutePath } from '../node/current-folder.ts'
import { localFiles } from '../node/file.ts'
import type { FolderOutput } from '../node/folder-output.ts'
import type { Progress } from '../render/progress.ts'
import { runSteps, type StepDone } from '../steps/run.ts'
import { Clock, type StepContext, type StepFolder } from '../steps/step-target.ts'
import { layeredStorage } from '../storage/layered.ts'
import { Folder } from '../storage/source.ts'
import { writtenArrayFiles } from '../write/array-writer.ts'
import { DocumentValue } from '../write/document.ts'
import type { WriteContext } from '../write/generic-tile-writer.ts'
import type { RowInput } from '../write/ndjson-cells.ts'
import { Random } from '../write/random.ts'
import type { SampledArray } from '../write/sample.ts'

/** The steps of `write-sample`. */
interface StepsToWrite {
  path: string
  output: FolderOutput
  /** Whether the folder exists already. */
  append: boolean
  /** The array that is written before the first step. */
  sample: SampledArray | undefined
  /** Time before the first step, in milliseconds since 1970. Undefined for the newest time in the folder. */
  before: bigint | undefined
  steps: Json[]
  /** The file with the steps; paths in it are relative to it. */
  file: string | undefined
  seed: string
  /** @param salt text that depends on what is in the folder already */
  writing(salt: string): Promise<WriteContext>
  /** Opens a file of cells. */
  rows(path: string): RowInput
}

/** Runs steps on a new folder, or on one that exists. All files appear at the end, or none if a step fails. */
export async function writeSteps(cx: CommandContext, toWrite: StepsToWrite): Promise<Outcome> {
  const { path, output, append, sample, steps, file, seed, rows } = toWrite
  const root = absolutePath(path)
  const files = new Map<string, number>()
  const folder = folderOf(output, append ? root : undefined, files)
  const existing = append ? await namesIn(new Folder(localFiles, root)) : []
  if (append) await refuseOtherKey(cx, path)
  const writing = await toWrite.writing(existing.join('\n'))
  const notes = sample?.notes ?? []
  let cells = 0
  if (sample) {
    const ofSample = cx.progress({ what: 'writing', unit: 'cells', total: sample.most_cells })
    let written = 0
    const onCells = (more: number): void => {
      written += more
      ofSample.update(written)
    }
    try {
      const made = writtenArrayFiles(sample.array, { ...writing, onCells }, ({ cell_num }) => (cells += cell_num))
      for await (const one of made) await folder.write(one.path, one.bytes)
    } finally {
      ofSample.stop()
    }
  }
  const progress = cx.progress({ what: 'writing', unit: 'steps', total: steps.length })
  const within = stepProgress(progress)
  const random = new Random(append ? `${seed} names ${existing.join('\n')}` : `${seed} names`)
  const last = toWrite.before ?? newestOf(append ? existing : [...files.keys()])
  const context = {
    folder,
    writing: { ...writing, onCells: within.onCells },
    style: cx.style,
    uuid: sample ? sample.array.uuid : () => random.uuid(),
    uri: `file://${root}`,
    rows: (name: string) => rows(file === undefined || name === '-' ? name : resolve(dirname(file), name)),
    note: (text: string) => notes.push(text),
    onStep: within.onStep,
    onRead: within.onRead,
  }
  let done: StepDone[]
  try {
    done = await runSteps(new DocumentValue(steps, 'steps'), context, new Clock(last))
  } finally {
    progress.stop()
  }
  output.commit()
  const document = stepsDocument(cx, path, done, files, { seed, notes, cells })
  return {
    kind: 'rows',
    document,
    rows: document.steps,
    table: async (out) => (await import('../render/views/steps.ts')).stepsTable(document, out),
  }
}

/** Tells the progress within long steps, too. Of a step that reads what it writes, each is the half. */
function stepProgress({
  update,
}: Progress): Required<Pick<StepContext, 'onStep' | 'onRead'> & Pick<WriteContext, 'onCells'>> {
  let [done, read, written] = [0, 0, 0]
  // A step that writes several fragments is not done before the last of them.
  const tell = (part: number): void => update(done + Math.min(part, 0.99))
  return {
    onStep(count) {
      ;[done, read, written] = [count, 0, 0]
      tell(0)
    },
    onRead(cells, ofAll) {
      read = ofAll === 0 ? 0 : Math.min(1, cells / ofAll) / 2
      tell(read)
    },
    onCells(cells, ofFragment) {
      written += cells / ofFragment
      // What was read is read, however many cells were left out.
      tell(read === 0 ? written : (1 + written) / 2)
    },
  }
}

/**
 * The folder in which the steps write.
 * @param base the folder that exists; undefined for a new one
 * @param files gets the bytes of each file that is written, by path
 */
function folderOf(output: FolderOutput, base: string | undefined, files: Map<string, number>): StepFolder {
  const { partial } = output
  return {
    storage: base === undefined ? localFiles : layeredStorage(localFiles, base, localFiles, partial),
    root: base ?? partial,
    async write(path, bytes) {
      await output.write(path, bytes)
      files.set(path, bytes.length)
    },
    remove(path) {
      const own = [...files.keys()].filter((file) => file === path || file.startsWith(`${path}/`))
      if (own.length === 0)
        throw usage({
          expected: 'to remove only what this call wrote',
          found: `${path}: --append leaves what is there as it is`,
        })
      output.remove(path)
      for (const file of own) files.delete(file)
    },
  }
}

/** Folders of arrays and groups that hold names with times. The empty name is the folder itself. */
const TIMED_FOLDERS = ['', '__schema', '__fragments', '__commits', '__meta', '__fragment_meta', '__group']

/** Paths of everything in a folder that may have a time in its name. */
async function namesIn(folder: Folder): Promise<string[]> {
  const names: string[] = []
  for (const inside of TIMED_FOLDERS) {
    const one = inside === '' ? folder : folder.folder(inside)
    for (const { name } of await one.listIfThere()) names.push(inside === '' ? name : `${inside}/${name}`)
  }
  return names
}

/** The newest time in names of files and folders. */
function newestOf(paths: readonly string[]): bigint {
  let newest = 0n
  for (const part of paths.flatMap((path) => path.split('/'))) {
    if (!/^__[0-9a-f]*_?\d/.test(part)) continue
    const last = nameFacts(part)?.timestamp_range[1] ?? 0n
    if (last > newest) newest = last
  }
  return newest
}

/** Refuses a key that does not fit the array: all of an array is encrypted with one key, or nothing is. */
async function refuseOtherKey(cx: CommandContext, path: string): Promise<void> {
  const target = await cx.open(path)
  if (target.type !== 'array') return
  const encrypted = (await target.array.encryption()) === 'AES_256_GCM'
  if (cx.reading.key !== undefined && !encrypted)
    throw usage('the array is not encrypted: expected no key', { file: path })
  await target.array.newestSchema()
}

function stepsDocument(
  cx: CommandContext,
  path: string,
  done: readonly StepDone[],
  files: ReadonlyMap<string, number>,
  { seed, notes, cells }: { seed: string; notes: Prose[]; cells: number },
): StepsDocument {
  const written = Array.from(files, ([file, size]): SampleFile => ({ path: file, size }))
  return {
    ...documentHead('steps', cx.shownPath(path)),
    seed,
    steps: done.map(({ step, path, made, removed, cell_num }) => ({ step, path, made, removed, cell_num })),
    cell_num: cells + sum(done, ({ cell_num }) => cell_num),
    total_size: sum(written, ({ size }) => size),
    files: written,
    notes,
  }
}
