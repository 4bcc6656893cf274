/** What storage costs, for thresholds: S3. Seconds of a request, how many run at once, and bytes a second. */
const REQUEST_SECONDS = 0.03
const AT_ONCE = 8
const BYTES_A_SECOND = 100e6

/** Estimated time on S3. */
export function secondsOf(requests: number, bytes: number): number {
  return (requests * REQUEST_SECONDS) / AT_ONCE + bytes / BYTES_A_SECOND
}

/** A number of seconds for effects, rounded to a tenth of a millisecond. */
export function rounded(seconds: number): number {
  return Math.round(seconds * 10_000) / 10_000
}
