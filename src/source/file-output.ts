import { mkdir, open, writeFile } from 'node:fs/promises'
import { systemError } from './file.ts'

/** A file to write results to. @throws InspectError NOT_FOUND, NO_PERMISSION, IO */
export async function openFileOutput(
  path: string,
): Promise<{ write: (text: string | Uint8Array) => Promise<void>; close: () => Promise<void> }> {
  try {
    const handle = await open(path, 'w')
    return {
      write: async (text) => {
        try {
          await handle.writeFile(text)
        } catch (error) {
          throw systemError(error, path, 'write')
        }
      },
      close: () => handle.close(),
    }
  } catch (error) {
    throw systemError(error, path, 'write')
  }
}

/** Writes files into a folder, made if it is not there. Each is given in parts. */
export async function writeFiles(
  folder: string,
  files: readonly [name: string, parts: readonly Uint8Array[]][],
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    for (const [name, parts] of files) await writeFile(`${folder}/${name}`, parts)
  } catch (error) {
    throw systemError(error, folder, 'write')
  }
}
