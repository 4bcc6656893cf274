import type { InspectError } from '../base/errors.ts'
import type { FragmentEntry, InspectArray, SchemaFile } from '../objects/array.ts'
import type { Fragment } from '../objects/fragment.ts'
import type { InspectGroup } from '../objects/group.ts'
import { checkArrayFiles } from './array.ts'
import { fromError, type Item } from './finding.ts'
import { checkFragment, whyIgnored } from './fragment.ts'
import { checkGroupFiles } from './group.ts'
import { type CheckRun, newRun } from './run.ts'
import { CheckedSchemas } from './schemas.ts'
import type { CheckWork } from './units.ts'

/**
 * The part of a check that needs no more than a listing: names, commit files, the schema in use, the footers of fragments and
 * the sizes of their files.
 */
export class QuickCheck {
  private readonly run = quickRun()
  private readonly array: InspectArray
  private readonly schemas: CheckedSchemas
  private readonly faults: InspectError[] = []

  /** @param files the array's schemas. From now on, faults of the array's commit files are collected, not thrown. */
  constructor(array: InspectArray, files: readonly SchemaFile[]) {
    this.array = array
    this.schemas = new CheckedSchemas(this.run, array, files)
    array.cx.onFault = (fault) => void this.faults.push(fault)
  }

  /** What is wrong outside of fragments. */
  async arrayItems(entries: readonly FragmentEntry[]): Promise<Item[]> {
    const items = await all(checkArrayFiles(this.run, this.array, this.schemas, entries))
    // The check of the commit files reports the faults of all others.
    const ofMetadata = this.faults.filter(({ at }) => at.file?.endsWith('.meta'))
    const file = this.array.folder.path
    return [...items, ...ofMetadata.map((fault) => fromError(fault, 'CONSOLIDATED_METADATA_UNREADABLE', { file }))]
  }

  /** What is wrong with a fragment. @param sizes sizes of its files in bytes, by name */
  async fragmentItems(fragment: Fragment, entry: FragmentEntry, sizes: ReadonlyMap<string, number>): Promise<Item[]> {
    // A failed or unfinished write may lack anything.
    if (!entry.committed || entry.state === 'no-metadata') return []
    return all(checkFragment(this.run, fragment, this.schemas, whyIgnored(entry), sizes))
  }
}

function quickRun(): CheckRun {
  return { ...newRun('structure', false), quick: true }
}

/** {@link QuickCheck} of a single fragment. @param entry undefined if it lies in no array */
export function quickFragmentItems(
  fragment: Fragment,
  entry: FragmentEntry | undefined,
  sizes: ReadonlyMap<string, number>,
): Promise<Item[]> {
  return all(checkFragment(quickRun(), fragment, undefined, entry && whyIgnored(entry), sizes))
}

/** {@link QuickCheck} of a group: its own files. */
export function quickGroupItems(group: InspectGroup): Promise<Item[]> {
  return all(checkGroupFiles(quickRun(), group))
}

async function all(work: CheckWork): Promise<Item[]> {
  const items: Item[] = []
  // Only checks of data files give parts.
  for await (const one of work) if (!('part' in one)) items.push(one)
  return items
}
