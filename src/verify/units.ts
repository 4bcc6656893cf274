import type { InspectArray } from '../array.ts'
import { TileFile, type TileRole } from '../cells/tile-files.ts'
import { InspectError } from '../errors.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { Fragment } from '../fragment.ts'
import type { ReadContext } from '../generic-tile.ts'
import { type InspectGroup, memberPath } from '../group.ts'
import { isFirst, type Shard, shardOf } from '../shard.ts'
import { openTarget, type Target } from '../target.ts'
import type { DataFilePart } from './verifier.ts'

/** A piece of work that can be done alone, by whoever opens `path`. */
export interface Unit {
  /** Of the array, group or fragment. */
  path: string
  part:
    | { kind: 'array-files' }
    | { kind: 'group-files' }
    | { kind: 'fragment-metadata' }
    | ({ kind: 'data-file' } & DataFilePart)
    /** What could not be planned, found before any work: carried along so that results keep their order. */
    | { kind: 'fault'; error: InspectError }
  /** Stored bytes, for sharing work out. */
  bytes: number
}

export interface PlanOptions {
  /** Uncommitted fragments as well. */
  all: boolean
  /** Only one part of an array's fragments, balanced by bytes. */
  shard: Shard | undefined
}

/** Stored bytes of one unit: small enough to share out, large enough not to notice the sharing. */
const UNIT_BYTES = 16 * 2 ** 20

/**
 * All work of a target in a fixed order: the same units whatever the number of workers.
 * @throws InspectError WRONG_TARGET
 */
export async function* planTarget(
  target: Target,
  cx: ReadContext,
  options: PlanOptions,
  above: readonly string[] = [],
): AsyncGenerator<Unit> {
  if (target.type === 'fragment') {
    // A fragment is not split.
    if (isFirst(options.shard)) yield* fragmentUnits(target.fragment)
  } else if (target.type === 'array') yield* arrayUnits(target.array, options)
  else if (target.type === 'group') yield* groupUnits(target.group, cx, options, above)
  else
    throw new InspectError('WRONG_TARGET', 'expected a fragment, an array or a group, found a file', {
      file: target.path,
    })
}

/** @param above what tells the groups around this one apart: one that contains itself is not walked again */
async function* groupUnits(
  group: InspectGroup,
  cx: ReadContext,
  options: PlanOptions,
  above: readonly string[],
): AsyncGenerator<Unit> {
  const { folder } = group
  if (isFirst(options.shard)) yield { path: folder.path, part: { kind: 'group-files' }, bytes: 0 }
  const identity = await group.identity()
  for (const member of await group.members()) {
    const path = memberPath(folder.path, member)
    try {
      if (path === undefined) {
        throw new InspectError('IO', `member ${JSON.stringify(member.uri)} is not below the group`, {
          file: folder.path,
        })
      }
      const inside: ReadContext = { ...cx, keyProven: false, encrypted: false }
      const target = await openTarget(folder.storage, path, inside)
      // It is being verified already: no damage of bytes, and nothing that is left out.
      if (target.type === 'group' && [...above, identity].includes(await target.group.identity())) continue
      yield* planTarget(target, inside, options, [...above, identity])
    } catch (error) {
      const one = fault(path ?? folder.path, error)
      if (isFirst(options.shard)) yield one
    }
  }
}

async function* arrayUnits(array: InspectArray, options: PlanOptions): AsyncGenerator<Unit> {
  const { shard } = options
  if (isFirst(shard)) yield { path: array.folder.path, part: { kind: 'array-files' }, bytes: 0 }
  // Told by the unit of the array's own files.
  array.cx.onFault = () => {}
  const entries = (await array.fragments()).filter((entry) => options.all || entry.committed)
  for (const entry of await shardOf(array, entries, shard)) {
    if (entry.state === 'no-metadata') continue
    const fragment = array.fragment(entry.path)
    try {
      // What readers pass over may lack its metadata: the write ended early, or vacuum did.
      if (!entry.visible && (await fragment.folder.kind(FRAGMENT_METADATA_FILE)) !== 'file') continue
      yield* fragmentUnits(fragment)
    } finally {
      await fragment.close()
    }
  }
}

async function* fragmentUnits(fragment: Fragment): AsyncGenerator<Unit> {
  const { path } = fragment.folder
  yield { path, part: { kind: 'fragment-metadata' }, bytes: 0 }
  try {
    const info = await fragment.info()
    for (const file of await fragment.fieldFiles()) {
      const role: TileRole =
        file.role === 'offsets' || file.role === 'var' || file.role === 'validity' ? file.role : 'data'
      const part = { kind: 'data-file', name: file.name, slot: file.slot, role } as const
      if (file.size <= UNIT_BYTES) yield { path, part: { ...part, from: 0, to: info.tile_num }, bytes: file.size }
      else {
        for (const { from, to, bytes } of await tileRuns(fragment, file.slot, role)) {
          yield { path, part: { ...part, from, to }, bytes }
        }
      }
    }
  } catch (error) {
    // The metadata file's own unit reports what is wrong with it.
    if (!(error instanceof InspectError)) throw error
  }
}

/** Runs of tiles of about {@link UNIT_BYTES} stored bytes. */
async function tileRuns(
  fragment: Fragment,
  slot: number,
  role: TileRole,
): Promise<{ from: number; to: number; bytes: number }[]> {
  const file = await TileFile.open(fragment, slot, role)
  const runs: { from: number; to: number; bytes: number }[] = []
  let run = { from: 0, to: 0, bytes: 0 }
  for (let tile = 0; tile < file.tileNum; tile++) {
    run.to = tile + 1
    run.bytes += Math.max(0, (file.offsets[tile + 1] ?? file.offsets[tile]) - file.offsets[tile])
    if (run.bytes >= UNIT_BYTES) {
      runs.push(run)
      run = { from: tile + 1, to: tile + 1, bytes: 0 }
    }
  }
  if (run.to > run.from) runs.push(run)
  await file.close()
  return runs
}

function fault(path: string, error: unknown): Unit {
  if (!(error instanceof InspectError)) throw error
  return { path, part: { kind: 'fault', error }, bytes: 0 }
}
