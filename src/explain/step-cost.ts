import { GENERIC_TILE_FIXED_BYTES, genericTileHeader } from '../format/generic-tile.ts'
import { decodePrefix } from '../format/io.ts'
import { GENERIC_TILE_HEADER_BYTES } from '../objects/generic-tile.ts'
import { type ByteSource, withSource } from '../storage/source.ts'
import { RELEASE } from './memory/release.ts'

/** The steps of a read by TileDB, each of which needs the one before. */
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

/** The operations of a step on the storage. */
export interface StepCost {
  name: StepName
  /** Number of folders that are listed. */
  listings: number
  /** Number of files whose size is queried: `VFS.file_size_num`. */
  sizes: number
  /** Number of read operations: `VFS.read_ops_num` for local files. */
  reads: number
  /** Bytes that are read: `VFS.read_byte_num`. */
  bytes: number
  /** Requests to an object store: listings, sizes, and reads of bytes that were not read ahead. */
  requests: number
  /** The LIST requests among them, which list names. */
  list_requests: number
  /** The HEAD requests among them, which query the size or the existence of a file. All other requests are GET. */
  head_requests: number
  /** Length of the longest chain of requests that wait for each other. */
  chain: number
}

/** Upper limit on the names in one answer of an object store to a listing. */
const NAMES_PER_LIST = 1000

export function emptyStep(name: StepName): StepCost {
  return { name, listings: 0, sizes: 0, reads: 0, bytes: 0, requests: 0, list_requests: 0, head_requests: 0, chain: 0 }
}

/** Adds operations to a step. They do not wait for the operations that the step has already. */
export function addToStep(step: StepCost, added: Partial<Omit<StepCost, 'name'>>): void {
  const {
    listings = 0,
    sizes = 0,
    reads = 0,
    bytes = 0,
    requests = 0,
    list_requests = 0,
    head_requests = sizes,
    chain = requests,
  } = added
  step.listings += listings
  step.sizes += sizes
  step.reads += reads
  step.bytes += bytes
  step.requests += requests
  step.list_requests += list_requests
  step.head_requests += head_requests
  step.chain = Math.max(step.chain, chain)
}

/** The cost of listing a folder. @param names number of entries of the folder */
export function listingCost(names: number): Partial<StepCost> {
  const list_requests = Math.max(1, Math.ceil(names / NAMES_PER_LIST))
  return { listings: 1, list_requests, requests: list_requests }
}

/** The cost of reading a whole file after querying its size. */
export function wholeFileCost(bytes: number): Partial<StepCost> {
  return { sizes: 1, reads: 1, bytes, requests: 2 }
}

/** Read operations for a generic tile: the fixed part of the header, the filter pipeline and the chunks. @see GenericTileIO::read_generic */
export const GENERIC_TILE_READS = 3

/** The cost of reading a generic tile in a file, computed from its header. Closes the source. */
export function genericTileCost(source: ByteSource, offset = 0): Promise<Partial<StepCost>> {
  return withSource(source, async () => {
    const room = Math.min(GENERIC_TILE_HEADER_BYTES, (await source.size()) - offset)
    const header = await source.read(offset, Math.max(GENERIC_TILE_FIXED_BYTES, room))
    const { value, length } = decodePrefix(header, genericTileHeader, { file: source.name, offset })
    const bytes = length + value.persisted_size
    return { reads: GENERIC_TILE_READS, bytes, requests: bytes <= RELEASE.settings['vfs.read_ahead_size'] ? 1 : 2 }
  })
}

/** The speed of a storage. */
export interface StorageRates {
  /** Time from a request to its first byte. */
  latency_ms: number
  /** Throughput of all requests together, in units of 1,000,000 bytes. */
  megabytes_per_second: number
  /** Number of requests under way at once. */
  at_once: number
  /** Whether TileDB reads ahead, as it does from object stores. */
  reads_ahead: boolean
}

/** Estimate for a solid state disk, with nothing in the cache of the system. */
export const LOCAL_DISK: StorageRates = { latency_ms: 0.1, megabytes_per_second: 1000, at_once: 1, reads_ahead: false }
/** Estimate for an object store, from a machine in the same region. */
export const OBJECT_STORE: StorageRates = { latency_ms: 30, megabytes_per_second: 100, at_once: 8, reads_ahead: true }

/**
 * Estimates the seconds of a step. Requests are sent in rounds of {@link StorageRates.at_once}, and each round takes the latency. Requests
 * that wait for each other take one round each. The time for the bytes is added. Steps follow one another, so their seconds add up.
 */
export function secondsOf(step: StepCost, rates: StorageRates): number {
  const requests = rates.reads_ahead ? step.requests : step.listings + step.sizes + step.reads
  const chain = rates.reads_ahead ? step.chain : 0
  const rounds = Math.max(chain, Math.ceil(requests / rates.at_once))
  return (rounds * rates.latency_ms) / 1e3 + step.bytes / (rates.megabytes_per_second * 1e6)
}
