import type { Storage } from '../source.ts'
import type { RequestRecord } from './client.ts'
import { type RemoteOptions, routedStorage } from './remote.ts'
import { type HttpAccess, isRemotePath, remoteTarget } from './urls.ts'

export interface PlacesOptions {
  env: Readonly<Record<string, string | undefined>>
  signRequests: boolean
  note(text: string): void
  /** Writes a line for each request; undefined to write none. */
  show: ((text: string) => void) | undefined
}

export interface OpenPlaces {
  storage: Storage
  given: string[]
  done(): void
}

/**
 * A storage for arguments that may be URLs. `given` has the arguments with queries and passwords removed from URLs.
 * @throws InspectError USAGE
 */
export function openPlaces(local: Storage, args: readonly string[], options: PlacesOptions): OpenPlaces {
  const access: HttpAccess[] = []
  const given = args.map((arg) => {
    if (!isRemotePath(arg)) return arg
    const target = remoteTarget(arg)
    if (target.access) access.push(target.access)
    return target.shown
  })
  const remote: RemoteOptions = { env: options.env, signRequests: options.signRequests, access }
  const { show } = options
  const total = { requests: 0, bytes: 0 }
  const onRequest = (record: RequestRecord): void => {
    total.requests++
    total.bytes += record.bytes
    show?.(requestLine(record))
  }
  return {
    storage: routedStorage(local, remote, { warn: options.note, onRequest }),
    given,
    done: () => show?.(`requests: ${total.requests}, ${total.bytes} bytes\n`),
  }
}

/** `request: GET s3://bucket/key bytes=0-99 206, 100 bytes, 12 ms` */
export function requestLine({ method, path, range, outcome, bytes, milliseconds }: RequestRecord): string {
  const asked = [method, path, range].filter((part) => part !== undefined).join(' ')
  // Names come from a server, so they must not contain control characters for the terminal.
  const safe = `${asked} ${outcome}`.replace(/[^\x20-\x7e]/gu, (ch) => `\\u{${ch.codePointAt(0)?.toString(16)}}`)
  return `request: ${safe}, ${bytes} bytes, ${Math.round(milliseconds)} ms\n`
}
