import { rising } from '../base/rising.ts'

/**
 * The data in a page: `page` writes it, and `src/page` reads it. It has the same form in a report and in the served page.
 */

/** Where the bytes of the target are. */
export interface PagePlaces {
  /**
   * `report`: the bytes are in the page. `served`: they are read from page-server.ts. `framed`: the page is in a frame of another
   * page, which hands its questions to page-stdio.ts.
   */
  kind: 'report' | 'served' | 'framed'
  /** The folder that holds everything: the array around the target, or else the target. It begins with `/`. */
  top: string
  /** The target's path: `top`, or below it. */
  path: string
  /** The target as the user wrote it. Documents and commands show it so. */
  shown: string
  /** Version of the program that made the page. */
  version: string
  /** Time when the page was made, in milliseconds since 1970. */
  made: number
  /** Wasm files of rare filters, by specifier: deflated, in base64. */
  wasm: Readonly<Record<string, string>>
  /** The key of an encrypted array in hexadecimal digits. Only a framed page gets it: nobody keeps or passes it on. */
  key?: string
}

/**
 * The head of a report. The bytes of its files follow it, one file after another. In a large report only some bytes do: all
 * bytes of the other files are after the program, which shows something while the browser still reads them.
 */
export interface ReportHead extends PagePlaces {
  kind: 'report'
  files: readonly ReportFile[]
  /** Documents of commands, by {@link documentKey}: those whose bytes were left out of the report. */
  documents: Readonly<Record<string, unknown>>
}

/** A file of a report. */
export interface ReportFile {
  /** Path below `top`. */
  path: string
  /** In bytes. */
  size: number
  /** Whether the report lacks its bytes. */
  isLeftOut?: true
  /**
   * Number of bytes of its end that follow the head; the whole file is then after the program. Undefined if the whole file follows
   * the head.
   */
  first?: number
}

/** The key of a document: the command that prints it, with its target and options. */
export function documentKey(command: string, path: string, options: object): string {
  return JSON.stringify([command, path, Object.entries(options).sort(([a], [b]) => rising(a, b))])
}

/** Replacer for `JSON.stringify`: a value that JSON lacks becomes an object with one key. */
export function packDocument(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { $int: String(value) }
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $float: Object.is(value, -0) ? '-0' : String(value) }
  if (value instanceof Uint8Array) return { $bytes: Array.from(value) }
  return value
}

/** Reviver for `JSON.parse`: undoes {@link packDocument}. */
export function unpackDocument(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return value
  if ('$int' in value) return BigInt(String(value.$int))
  if ('$float' in value) return Number(value.$float)
  if ('$bytes' in value && Array.isArray(value.$bytes)) return Uint8Array.from(value.$bytes)
  return value
}
