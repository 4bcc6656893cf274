import { readFile } from 'node:fs/promises'
import { stdin } from 'node:process'
import { text } from 'node:stream/consumers'
import { systemError } from './file.ts'

/** All text of a file, or of standard input for `-`. @throws InspectError NOT_FOUND, NO_PERMISSION, IO */
export async function readText(path: string): Promise<string> {
  try {
    return path === '-' ? await text(stdin) : await readFile(path, 'utf8')
  } catch (error) {
    throw systemError(error, path === '-' ? 'standard input' : path)
  }
}
