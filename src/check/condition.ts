import { unlessFault } from '../base/errors.ts'
import { isWithinFolder, lastPathPart } from '../base/paths.ts'
import { type InspectArray, METADATA_FOLDER, SCHEMA_FOLDER } from '../objects/array.ts'
import type { Condition, PartCondition, PartState } from '../objects/condition.ts'
import { UNSURE } from './codes/row.ts'
import { lostOf, refusalOf } from './codes.ts'
import { type Finding, fromError, type Item, type Level } from './finding.ts'
import { metadataItems } from './key-values.ts'
import { newRun } from './run.ts'

/** What a check of a part says about its state. Warnings and notes do not change it: readers cope with them. */
export function conditionOf(items: readonly Item[], depth: Level): PartCondition {
  const found: Finding[] = []
  let isExamined = true
  for (const item of items) {
    if ('notExamined' in item) isExamined = false
    else if (item.severity === 'error') found.push(item)
  }
  const findings = [...new Set(found.map(({ code, variant }) => (variant === undefined ? code : `${code} ${variant}`)))]
  const refused = found.map(refusalOf).find((one) => one !== undefined)?.act
  return { state: stateOf(found, isExamined), depth, findings, refused }
}

/**
 * The state of a part. It is suspect if its findings only say that cells and metadata disagree, whether or not it is known which is wrong:
 * its cells can still be read.
 */
function stateOf(found: readonly Finding[], isExamined: boolean): PartState {
  if (found.length === 0) return isExamined ? 'whole' : 'unseen'
  return found.every((finding) => finding.wrong !== undefined || lostOf(finding) === UNSURE) ? 'suspect' : 'damaged'
}

/**
 * What is known of parts of an array after they were examined.
 * @param paths paths in the array: of fragments, commit files and files of key-value metadata
 * @param depth how deep fragments are examined
 */
export async function examined(array: InspectArray, paths: readonly string[], depth: Level): Promise<Condition> {
  const found = new Map<string, PartCondition>()
  for (const path of paths) found.set(path, conditionOf(await itemsOf(array, path, depth), depth))
  return found
}

async function itemsOf(array: InspectArray, path: string, depth: Level): Promise<Item[]> {
  const file = `${array.folder.path}/${path}`
  const commit = (await array.commits()).files.find((one) => one.path === path)
  if ((commit?.kind === 'delete' && !commit.fault) || isWithinFolder(path, SCHEMA_FOLDER)) {
    const { refusedReads } = await import('./refusals.ts')
    const refused = (await refusedReads(array).catch(unlessFault)) ?? []
    return refused.map(({ finding }) => finding).filter((finding) => finding.file === file)
  }
  if (commit) return commit.fault ? [fromError(commit.fault, 'COMMIT_UNREADABLE', { file })] : []
  if (isWithinFolder(path, METADATA_FOLDER)) {
    const entry = { name: lastPathPart(path), kind: (await array.folder.kind(path)) ?? 'other' }
    return metadataItems(array.folder, [entry], array.cx, false)
  }
  // Loaded only here: most paths do not lead to fragments.
  const { checkTarget } = await import('./check.ts')
  const items: Item[] = []
  const target = { type: 'fragment', path: file, fragment: array.fragment(path), array: undefined } as const
  for await (const item of checkTarget(newRun(depth, false), target)) items.push(item)
  return items
}
