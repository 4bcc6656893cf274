import { OBJECT_STORE } from '../explain/step-cost.ts'

/** How long requests for so many bytes take, estimated for the object store that `explain` assumes. */
export function objectStoreSeconds(requests: number, bytes: number): number {
  const { latency_ms, at_once, megabytes_per_second } = OBJECT_STORE
  return (requests * (latency_ms / 1e3)) / at_once + bytes / (megabytes_per_second * 1e6)
}

/** Rounds seconds to a tenth of a millisecond. */
export function rounded(seconds: number): number {
  return Math.round(seconds * 10_000) / 10_000
}
