import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Event } from './changing-storage.ts'
import { filesBelow } from './folders.ts'
import { run } from './run.ts'

/*
 * Histories of an array that a writer writes, consolidates and vacuums: its files after some of the steps, and in which order they come and go.
 */

/**
 * The files of an array after some steps. The same steps give the same names.
 * @param root path of the array in the result
 */
export async function filesAfter(
  schema: object,
  steps: readonly object[],
  root: string,
): Promise<Map<string, Uint8Array>> {
  // Made for each call: several files of tests share this module, and one that ends would remove a folder of its own.
  const folder = mkdtempSync(`${tmpdir()}/tiledb-`)
  try {
    const [file, array] = [`${folder}/steps.json`, `${folder}/array`]
    writeFileSync(file, JSON.stringify([{ step: 'create', schema, time: 10 }, ...steps]))
    const { code, stderr } = await run(['write-sample', array, '--steps', file, '--seed', '1'])
    if (code !== 0) throw new Error(stderr)
    return filesBelow(array, root)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** In which order TileDB makes and removes files: the commit after its fragment, and before it when both are removed. */
function rank(path: string): number {
  if (path.endsWith('.vac')) return 4
  if (path.endsWith('.ign') || path.endsWith('.con')) return 0
  return /\.(?:wrt|del)$/.test(path) ? 3 : path.endsWith('__fragment_metadata.tdb') ? 2 : 1
}

/** What a writer does between two states. @param whole whether a file is there only with all its bytes, as on an object store */
export function eventsBetween(
  from: ReadonlyMap<string, Uint8Array>,
  to: ReadonlyMap<string, Uint8Array>,
  whole = false,
): Event[] {
  const events: Event[] = []
  const made = [...to].filter(([path]) => !from.has(path)).sort(([a], [b]) => rank(a) - rank(b))
  for (const [path, bytes] of made) {
    // A file is there before it has its bytes.
    if (bytes.length > 0 && !whole)
      events.push({ path, bytes: bytes.subarray(0, 0) }, { path, bytes: bytes.slice(0, bytes.length >> 1) })
    events.push({ path, bytes })
  }
  const isCommit = (path: string): boolean => /\.(?:wrt|del)$/.test(path)
  const gone = [...from.keys()].filter((path) => !to.has(path))
  gone.sort(
    (a, b) => Number(isCommit(b)) - Number(isCommit(a)) || Number(a.endsWith('.vac')) - Number(b.endsWith('.vac')),
  )
  for (const path of gone) events.push({ path, bytes: undefined })
  return events
}

interface Motion {
  files: Map<string, Uint8Array>
  events: Event[]
}

/**
 * What a writer does in all steps after the first, which is found out when it is first asked for.
 * @param before number of steps that were done before
 */
export function motionOf(
  schema: object,
  { before, steps }: { before: number; steps: readonly object[] },
  root: string,
  whole = false,
): () => Promise<Motion> {
  const find = async (): Promise<Motion> => {
    const files = await filesAfter(schema, steps.slice(0, before), root)
    const events: Event[] = []
    let last = files
    for (let count = before + 1; count <= steps.length; count++) {
      const next = await filesAfter(schema, steps.slice(0, count), root)
      events.push(...eventsBetween(last, next, whole))
      last = next
    }
    return { files, events }
  }
  let found: Promise<Motion> | undefined
  return () => {
    found ??= find()
    return found
  }
}
