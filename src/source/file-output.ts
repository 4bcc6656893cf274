import { open } from 'node:fs/promises'
import { systemError } from './file.ts'

/** A file to write results to. @throws InspectError NOT_FOUND, NO_PERMISSION, IO */
export async function openFileOutput(
  path: string,
): Promise<{ write: (text: string | Uint8Array) => Promise<void>; close: () => Promise<void> }> {
  try {
    const handle = await open(path, 'w')
    return {
      write: async (text) => {
        await handle.writeFile(text)
      },
      close: () => handle.close(),
    }
  } catch (error) {
    throw systemError(error, path)
  }
}
