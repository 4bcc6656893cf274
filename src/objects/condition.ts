/** How deep a part was examined: its metadata, the chunks of its tiles, or every cell. */
export type Depth = 'structure' | 'chunks' | 'cells'

/**
 * What is known of a part. `whole`: nothing that was examined is wrong. `suspect`: it can be read, but something contradicts its
 * cells. `damaged`: readers fail on it, or miss cells. `unseen`: it was not examined, or could not be.
 */
export type PartState = 'whole' | 'suspect' | 'damaged' | 'unseen'

/**
 * What TileDB refuses because of a part, the worst first. open: the array. read: every read. fields: reads of a field. labels: the values
 * of an enumeration; TileDB still reads the indexes. metadata: key-value metadata.
 */
export const REFUSED_ACTS = ['open', 'read', 'fields', 'labels', 'metadata'] as const
export type RefusedAct = (typeof REFUSED_ACTS)[number]

/** What is known of one part, such as a fragment. */
export interface PartCondition {
  state: PartState
  /** How deep the part was examined; undefined if it was not. */
  depth: Depth | undefined
  /** Keys of the findings that tell the state: code, and variant if there is one. */
  findings: readonly string[]
  /** What TileDB refuses while the part is there as it is. */
  refused?: RefusedAct | undefined
}

/** What is known of the parts of an array, by their paths in it. It is filled by checks; conclusions only look it up. */
export type Condition = ReadonlyMap<string, PartCondition>

const UNSEEN: PartCondition = { state: 'unseen', depth: undefined, findings: [] }

/** What is known of a part: `unseen` if it was never examined. */
export function partCondition(condition: Condition, path: string): PartCondition {
  return condition.get(path) ?? UNSEEN
}
