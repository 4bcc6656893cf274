/**
 * What a page gets with its program: `page` writes it, `src/page` reads it. One form for a report and for the served page, in an
 * element that browsers do not run.
 */

/** Where the bytes of the target are. */
export interface PagePlaces {
  /** `report`: in the page. `served`: beside it, see page-server.ts. */
  kind: 'report' | 'served'
  /** The folder that holds all there is: of the array around the target, otherwise the target's. Begins with `/`. */
  top: string
  /** The target's path: `top`, or below it. */
  path: string
  /** The target as the user wrote it: what documents and commands show. */
  shown: string
  /** Version of the program that made the page. */
  version: string
  /** When, in milliseconds since 1970. */
  made: number
  /** Wasm files of rare filters, by specifier: deflated, in base64. */
  wasm: Readonly<Record<string, string>>
}

/**
 * The head of a report; the bytes of its files follow. Of a large report only those that come first do: the rest stands in an element
 * behind the program, which shows something while the browser still reads it.
 */
export interface ReportHead extends PagePlaces {
  kind: 'report'
  files: readonly ReportFile[]
  /** What commands print, by {@link documentKey}: only where the bytes for it were left out. */
  documents: Readonly<Record<string, unknown>>
}

/** A file: its path below `top`, and its bytes. */
export interface ReportFile {
  path: string
  /** In bytes. */
  size: number
  /** Whether the bytes were left out. Those of all others follow each other. */
  isLeftOut?: true
  /** How many bytes of its end come first, with the head. Undefined if all of them do; otherwise the whole file is in the rest. */
  first?: number
}

/** Names a document by the command that makes it. */
export function documentKey(command: string, path: string, options: object): string {
  return JSON.stringify([command, path, Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))])
}

/** A document as JSON text: what JSON lacks becomes an object of one key. */
export function packDocument(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { $int: String(value) }
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $float: Object.is(value, -0) ? '-0' : String(value) }
  if (value instanceof Uint8Array) return { $bytes: Array.from(value) }
  return value
}

/** The reverse of {@link packDocument}. */
export function unpackDocument(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return value
  if ('$int' in value) return BigInt(String(value.$int))
  if ('$float' in value) return Number(value.$float)
  if ('$bytes' in value && Array.isArray(value.$bytes)) return Uint8Array.from(value.$bytes)
  return value
}
