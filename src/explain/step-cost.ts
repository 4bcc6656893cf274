import { GENERIC_TILE_FIXED_BYTES, genericTileHeader } from '../format/generic-tile.ts'
import { decodePrefix } from '../format/io.ts'
import { type ByteSource, withSource } from '../source/source.ts'
import { GENERIC_TILE_HEADER_BYTES } from '../store/generic-tile.ts'

/** What TileDB does for a read, in the order in which one step needs the one before. */
export type StepName =
  | 'listings'
  | 'commit files'
  | 'schemas'
  | 'vacuum files'
  | 'consolidated fragment metadata'
  | 'footers'
  | 'enumerations'
  | 'delete conditions'
  | 'fragment metadata'
  | 'tiles'

/** What a step asks of the storage. */
export interface StepCost {
  name: StepName
  /** Folders that are listed. */
  listings: number
  /** Files whose size is asked: `VFS.file_size_num`. */
  sizes: number
  /** Read operations: `VFS.read_ops_num` of local files. */
  reads: number
  /** Bytes that are read: `VFS.read_byte_num`. */
  bytes: number
  /** Requests to an object store: listings, sizes, and the reads that what was read ahead does not answer. */
  requests: number
  /** Those of them that list names, LIST, and that ask for a file's size or whether it is there, HEAD. All others are GET. */
  lists: number
  heads: number
  /** Most requests of the step that wait for each other. */
  chain: number
}

/** `vfs.read_ahead_size`: of an object store TileDB reads so many bytes for any smaller read, and keeps them. */
export const READ_AHEAD_BYTES = 102_400
/** Most names in one answer of an object store to a listing. */
const LISTED_AT_ONCE = 1000

export function emptyStep(name: StepName): StepCost {
  return { name, listings: 0, sizes: 0, reads: 0, bytes: 0, requests: 0, lists: 0, heads: 0, chain: 0 }
}

/** Adds what a step does beside the rest of it. */
export function addToStep(step: StepCost, added: Partial<Omit<StepCost, 'name'>>): void {
  const {
    listings = 0,
    sizes = 0,
    reads = 0,
    bytes = 0,
    requests = 0,
    lists = 0,
    heads = sizes,
    chain = requests,
  } = added
  step.listings += listings
  step.sizes += sizes
  step.reads += reads
  step.bytes += bytes
  step.requests += requests
  step.lists += lists
  step.heads += heads
  step.chain = Math.max(step.chain, chain)
}

/** @param names how many the folder has */
export function listingCost(names: number): Partial<StepCost> {
  const lists = Math.max(1, Math.ceil(names / LISTED_AT_ONCE))
  return { listings: 1, lists, requests: lists }
}

/** A file that is read whole, after its size was asked. */
export function wholeFileCost(bytes: number): Partial<StepCost> {
  return { sizes: 1, reads: 1, bytes, requests: 2 }
}

/** TileDB reads the fixed part of the header, the filter pipeline and the chunks one after another. @see GenericTileIO::read_generic */
export const GENERIC_TILE_READS = 3

/** Of a generic tile in a file, by its header. The source is closed afterwards. */
export function genericTileCost(source: ByteSource, offset = 0): Promise<Partial<StepCost>> {
  return withSource(source, async () => {
    const room = Math.min(GENERIC_TILE_HEADER_BYTES, (await source.size()) - offset)
    const header = await source.read(offset, Math.max(GENERIC_TILE_FIXED_BYTES, room))
    const { value, length } = decodePrefix(header, genericTileHeader, { file: source.name, offset })
    const bytes = length + value.persisted_size
    return { reads: GENERIC_TILE_READS, bytes, requests: bytes <= READ_AHEAD_BYTES ? 1 : 2 }
  })
}

/** How fast a storage is. */
export interface StorageRates {
  /** From a request to its first byte. */
  latency_ms: number
  /** Of all requests together, 1,000,000 bytes. */
  megabytes_per_second: number
  at_once: number
  /** Whether TileDB reads ahead, as it does of object stores. */
  reads_ahead: boolean
}

/** Nothing is in the memory of the system. Estimated: a solid state disk. */
export const LOCAL_DISK: StorageRates = { latency_ms: 0.1, megabytes_per_second: 1000, at_once: 1, reads_ahead: false }
/** Estimated: a machine in the same region. */
export const OBJECT_STORE: StorageRates = { latency_ms: 30, megabytes_per_second: 100, at_once: 8, reads_ahead: true }

/**
 * Seconds of a step. Requests go out in rounds, {@link StorageRates.at_once} in each, and a round takes the latency. Those that wait
 * for each other take a round each. The bytes come on top. Steps follow one another, so their seconds add up.
 */
export function secondsOf(step: StepCost, rates: StorageRates): number {
  const requests = rates.reads_ahead ? step.requests : step.listings + step.sizes + step.reads
  const chain = rates.reads_ahead ? step.chain : 0
  const rounds = Math.max(chain, Math.ceil(requests / rates.at_once))
  return (rounds * rates.latency_ms) / 1e3 + step.bytes / (rates.megabytes_per_second * 1e6)
}
