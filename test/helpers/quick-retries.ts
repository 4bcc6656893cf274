import { DEFAULT_LIMITS } from '../../src/storage/remote/client.ts'

/** Makes the pauses before further tries short, in this test file alone: only how often something is tried counts here. */
export function quickRetries(): void {
  DEFAULT_LIMITS.backoff = 10
}
