import type { InspectError } from '../base/errors.ts'
import { Memory } from '../base/memory.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import type { TileType } from '../filters/pipeline.ts'
import type { RefusedTile } from './generic-tile.ts'

/** Settings and state of reading. An array, its fragments and its files share one object. */
export interface ReadContext {
  codecs: Codecs
  /** AES-256-GCM key, 32 bytes. */
  key: Uint8Array | undefined
  /** Whether the key has opened any generic tile. From then on a wrong tag means damage, not a wrong key. */
  keyProven: boolean
  /** Whether an encrypted generic tile was opened. The pipelines of the array's data files then end in the AES filter. */
  encrypted: boolean
  /** Whether the only schema of the array was read without a key: then nothing of it can be encrypted, and no key would help. */
  isPlain?: boolean | undefined
  /** The bound of the run's memory, which all contexts of a run share. What does not fit is TOO_LARGE. */
  memory: Memory
  /** Tiles that were opened although TileDB fails to open them, by their files: of each file the first one. */
  refusedTiles: Map<string, RefusedTile>
  /** Time of the read in milliseconds. Fragments, lists and schemas of later times do not count. */
  now: bigint
  /** Start of the time range in milliseconds, 0 if undefined. Earlier writes do not count, except for schemas. */
  from?: bigint | undefined
  /** Called for damage after which reading can go on, such as one commit file of many. If undefined, the error is thrown. */
  onFault?: ((fault: InspectError) => void) | undefined
  /**
   * Called between pieces of work that wait for nothing, so that signals are handled, and a page can let its browser draw. Returns what
   * to wait for; nothing most of the time.
   */
  pause?: (() => Promise<void> | undefined) | undefined
}

/** The times between which TileDB opens an array or a group, both included. */
export type OpeningTimes = Pick<ReadContext, 'from' | 'now'>

/** A context for one array, and for the fragments and files in it. */
export function readContext(codecs: Codecs, key?: Uint8Array, memory = new Memory()): ReadContext {
  return { codecs, key, keyProven: false, encrypted: false, memory, refusedTiles: new Map(), now: timeOfOpening() }
}

/** What a pipeline must know of the memory of the run, for tiles of data files. */
export function roomOf({ memory }: ReadContext): Pick<TileType, 'room' | 'isRoomSet'> {
  return { room: memory.room, isRoomSet: memory.isSet }
}

/** The time in `TILEDB_INSPECT_NOW`, or the current time. */
export function timeOfOpening(): bigint {
  const set = globalThis.process?.env.TILEDB_INSPECT_NOW
  return set !== undefined && /^\d{1,18}$/.test(set) ? BigInt(set) : BigInt(Date.now())
}
