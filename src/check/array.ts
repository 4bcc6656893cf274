import type { FragmentEntry, InspectArray, SchemaFile } from '../array.ts'
import { InspectArray as OpenArray, withSource } from '../array.ts'
import { arrayMetadata } from '../format/array-metadata.ts'
import { lastPathPart, parseLines } from '../format/commit-files.ts'
import { parseTimestampedName } from '../format/timestamped-name.ts'
import type { Fragment } from '../fragment.ts'
import type { ReadContext } from '../generic-tile.ts'
import { isFirst, shardOf } from '../shard.ts'
import { type Folder, readAll } from '../source/source.ts'
import { checkArrayFolder } from './array-folder.ts'
import { checkCommits } from './commit-files.ts'
import { checkConsolidatedMetadata } from './consolidated-metadata.ts'
import { finding, guarded, type Item, type Items } from './finding.ts'
import { checkFragment, passedOver } from './fragment.ts'
import { hasTimes, isVacuumPath } from './names.ts'
import { type CheckRun, checkedTileFile, ofFirstShard } from './run.ts'
import { CheckedSchemas } from './schemas.ts'
import { checkStray } from './strays.ts'

/**
 * Everything about one array. Memory does not grow with its fragments but for their names.
 * @param ofLabel the array of a dimension label, which has no labels of its own
 */
export async function* checkArray(run: CheckRun, array: InspectArray, ofLabel = false): Items {
  const { folder } = array
  // Damaged commit files are findings of their own; what the others say still counts.
  array.cx.onFault = () => {}
  const files = await array.schemaFiles()
  const schemas = new CheckedSchemas(run, array)
  const entries = await array.fragments()
  if (isFirst(run.shard)) yield* checkArrayFiles(run, array, files, schemas, entries)
  else yield* ofFirstShard(run, schemas.first(files))
  const looked = entries.filter(({ state, committed }) => state !== 'no-metadata' && (committed || run.all))
  // Schemas are found fault with once, wherever the fragments are that name them.
  if (run.shard && isFirst(run.shard) && files.length > 1) {
    for (const { path } of looked) {
      const fragment = array.fragment(path)
      yield* namedSchema(fragment, schemas, files)
      await fragment.close()
    }
  }
  for (const entry of await shardOf(array, looked, run.shard)) {
    const fragment = array.fragment(entry.path)
    try {
      yield* ofFirstShard(run, namedSchema(fragment, schemas, files))
      yield* checkFragment(run, fragment, schemas, passedOver(entry))
    } finally {
      await fragment.close()
    }
  }
  const newest = files.at(-1)
  const schema = newest && schemas.get(newest.name)
  for (const { name, relative, uri, external } of (ofLabel ? undefined : schema?.dimension_labels) ?? []) {
    if (external || !relative || uri.split('/').some((part) => part === '' || part === '.' || part === '..')) continue
    const labels = folder.folder(uri)
    if (await labels.kind('__schema')) yield* checkArray(run, new OpenArray(labels, { ...array.cx }), true)
    else if (isFirst(run.shard)) {
      const place = { file: `${folder.path}/${newest?.path}`, field: `dimension_labels.${name}.uri` }
      yield finding('LABEL_MISSING', place, 'an array', JSON.stringify(uri))
    }
  }
}

/** All of an array that is in no fragment. */
async function* checkArrayFiles(
  run: CheckRun,
  array: InspectArray,
  files: readonly SchemaFile[],
  schemas: CheckedSchemas,
  entries: readonly FragmentEntry[],
): Items {
  const { folder } = array
  yield* guarded('ARRAY_NO_SCHEMA', { file: folder.path }, () => checkArrayFolder(run, array, entries))
  if (files.length === 0) yield finding('ARRAY_NO_SCHEMA', { file: folder.path }, 'a schema', 'none')
  yield* schemas.first(files)
  const commits = await array.commits()
  const newest = files.at(-1)
  const schema = newest && schemas.get(newest.name)
  yield* guarded('COMMIT_UNREADABLE', { file: folder.path }, () => checkCommits(run, array, commits, entries, schema))
  yield* guarded('CONSOLIDATED_METADATA_UNREADABLE', { file: folder.path }, () =>
    checkConsolidatedMetadata(run, array, entries),
  )
  yield* checkMetadata(run, folder, array.cx)
  for (const { path, state, committed } of entries) {
    const expected = state === 'no-metadata' ? 'a metadata file' : committed ? undefined : 'a commit'
    if (expected) yield finding('FRAGMENT_UNCOMMITTED', { file: `${folder.path}/${path}` }, expected, 'none')
  }
}

/** Findings of the schema that a fragment names, the first time. */
async function* namedSchema(fragment: Fragment, schemas: CheckedSchemas, files: readonly SchemaFile[]): Items {
  const name = await schemaName(() => fragment.head())
  if (name !== undefined) yield* schemas.named(name, files)
}

/** The schema that a footer names, where that can be told without opening it; older fragments have the only schema there is. */
async function schemaName(head: () => Promise<{ array_schema_name: string | undefined }>): Promise<string | undefined> {
  try {
    return (await head()).array_schema_name
  } catch {
    return undefined
  }
}

const METADATA_FOLDER = '__meta'

/** Key-value metadata of an array or a group. */
export async function* checkMetadata(run: CheckRun, folder: Folder, cx: ReadContext): Items {
  const inside = folder.folder(METADATA_FOLDER)
  const entries = await inside.listIfThere()
  const names = new Set(entries.map(({ name }) => name))
  for (const entry of entries) {
    const { name, kind } = entry
    const file = `${inside.path}/${name}`
    const parsed = kind === 'file' && hasTimes(name) ? parseTimestampedName(name) : undefined
    if (!parsed || (parsed.suffix !== undefined && parsed.suffix !== 'vac')) {
      yield* checkStray(run, inside, entry, '__<t1>_<t2>_<uuid>', cx)
    } else if (parsed.suffix === 'vac') {
      run.counts.file_num++
      yield* guarded('METADATA_UNREADABLE', { file }, async function* () {
        const bytes = await withSource(inside.file(name), readAll)
        for (const { text, offset } of parseLines(bytes)) {
          if (!isVacuumPath(text))
            yield finding('METADATA_UNREADABLE', { file, offset }, 'a path', JSON.stringify(text))
          else if (!names.has(lastPathPart(text)))
            yield finding('VACUUM_DANGLING', { file, offset }, 'a file that is there', JSON.stringify(text))
        }
      })
    } else {
      const items: Item[] = []
      await checkedTileFile(run, inside, name, arrayMetadata, cx, 'METADATA_UNREADABLE', items)
      yield* items
    }
  }
}
