import type { ErrorCode } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'

/** What is wrong, in plain words: readers of a page do not know the codes of the command line. */
export const ERROR_TITLES: Readonly<Record<ErrorCode, string>> = {
  TRUNCATED: 'Cut short',
  BAD_ENUM: 'Damaged',
  BAD_VALUE: 'Damaged',
  INCONSISTENT: 'Damaged',
  TRAILING_BYTES: 'Damaged',
  CHECKSUM: 'Damaged',
  BAD_FILTERED_DATA: 'Damaged',
  MISSING_FILE: 'File missing',
  USAGE: 'Not understood',
  WRONG_TARGET: 'Not understood',
  EXISTS: 'There already',
  NOT_FOUND: 'Not there',
  CHANGED_WHILE_READ: 'Changed meanwhile',
  NOT_TILEDB: 'Not of TileDB',
  NO_PERMISSION: 'No permission',
  NO_LISTING: 'Not listed',
  IO: 'Not readable',
  TOO_MANY_FILES: 'Not readable',
  KEY_NEEDED: 'Encrypted',
  WRONG_KEY: 'Wrong key',
  UNSUPPORTED_VERSION: 'Not supported',
  UNSUPPORTED_FILTER: 'Not supported',
  NO_SCHEMA: 'No schema',
  TOO_LARGE: 'Too large',
  TILEDB_REFUSES: 'TileDB refuses it',
  NOT_RECOVERED: 'Damaged',
  INTERNAL: 'Fault of this page',
}

/** Words of messages that only make sense on a command line, each with its replacement. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/; DEBUG=1 shows where/g, ''],
  [/; `[a-z-]+ --[a-z-]+` counts them/g, ''],
  [/give its key with --key or --key-file/g, 'type its key below'],
  [/ \(--max-tile-size lifts this bound\)|; --max-tile-size sets another bound/g, ', the most that the page reads'],
  [/ \([^()]*--[a-z][^()]*\)/g, ''],
  [/--[a-z-]+ expects NAME=LO\.\.HI with a dimension/g, 'expected a range LO..HI of a dimension'],
  [/--[a-z-]+ expects NAME=V with a dimension/g, 'expected a value for each dimension, by name'],
  [/--[a-z-]+ expects /g, 'expected '],
  [/--path: /g, ''],
  [/--where /g, 'condition '],
  [/--([a-z-]+) /g, '$1 '],
]

/** A message without the words of a command line. Quoted parts stay as they are. */
export function pageWords(message: Prose): string {
  const parts = message.split(/("(?:[^"\\]|\\.)*")/)
  return parts
    .map((part, i) => (i % 2 === 1 ? part : WORDS.reduce((text, [word, other]) => text.replace(word, other), part)))
    .join('')
}
