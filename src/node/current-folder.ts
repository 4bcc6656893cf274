import { realpathSync } from 'node:fs'
import { cwd } from 'node:process'
import { InspectError } from '../base/errors.ts'
import { decodeText } from '../format/text.ts'

/** The current folder. @throws InspectError NOT_FOUND if it was removed */
export function currentFolder(): string {
  try {
    const path = cwd()
    // Node replaces bytes of the path that are not UTF-8.
    return path.includes('\ufffd') ? decodeText(realpathSync.native('.', 'buffer')) : path
  } catch (cause) {
    throw new InspectError('NOT_FOUND', 'the current folder is gone: only absolute paths work', {}, { cause })
  }
}

/** An absolute path without `.`, `..` and double slashes. Links are not resolved. */
export function absolutePath(path: string): string {
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${currentFolder()}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
