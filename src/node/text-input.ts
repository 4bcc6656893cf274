import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { stdin } from 'node:process'
import { text } from 'node:stream/consumers'
import { StringDecoder } from 'node:string_decoder'
import { systemError } from './file.ts'

/** The whole text of a file, or of standard input for `-`. @throws InspectError NOT_FOUND, NO_PERMISSION, IO */
export async function readText(path: string): Promise<string> {
  try {
    return path === '-' ? await text(stdin) : await readFile(path, 'utf8')
  } catch (error) {
    throw systemError(error, inputName(path))
  }
}

export function inputName(path: string): string {
  return path === '-' ? 'standard input' : path
}

/** UTF-8 text that may not fit in memory. */
export interface TextInput {
  /** Name of the file, for errors. */
  file: string
  /** The text in pieces of any length; can be read once. @throws InspectError NOT_FOUND, NO_PERMISSION, IO */
  pieces: AsyncIterable<string>
  /** SHA-256 of the text read so far. */
  digest(): Uint8Array
}

/** Opens a file, or standard input for `-`. It is read as needed. */
export function openText(path: string): TextInput {
  const hash = createHash('sha256')
  const file = inputName(path)
  async function* pieces(): AsyncGenerator<string> {
    const decoder = new StringDecoder('utf8')
    try {
      for await (const chunk of path === '-' ? stdin : createReadStream(path, { highWaterMark: PIECE })) {
        hash.update(chunk)
        yield decoder.write(chunk)
      }
      yield decoder.end()
    } catch (error) {
      throw systemError(error, file)
    }
  }
  return { file, pieces: pieces(), digest: () => hash.copy().digest() }
}

/** Bytes to read at a time. */
const PIECE = 1 << 20
