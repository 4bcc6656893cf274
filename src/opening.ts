import { InspectError } from './base/errors.ts'
import { parseKey } from './base/key.ts'
import type { Codecs } from './filters/codecs/codecs.ts'
import type { Fragment, InspectArray, InspectGroup, Target } from './library.ts'
import { isRemotePath } from './source/remote/urls.ts'
import type { Storage } from './source/source.ts'
import { readContext } from './store/generic-tile.ts'
import { openTarget, withArticle } from './store/target.ts'

/** Shared by the entries of the library, not exported to users. */

/** How to open a target. An entry may add options. */
export interface BaseOptions {
  /** AES-256-GCM key of an encrypted array: 32 bytes, or text as for `--key`. */
  key?: Uint8Array | string | undefined
  /** Where paths are looked up: files in memory, or any object that finds and reads files. */
  storage?: Storage | undefined
  /** Called with notes about the network, such as a server that sends whole files. */
  onNote?: ((text: string) => void) | undefined
}

/** Where a path leads. */
export interface Place {
  storage: Storage
  path: string
}

/** @throws InspectError NOT_FOUND, NOT_TILEDB; USAGE if the key is not valid */
export async function openAt({ storage, path }: Place, codecs: Codecs, key: BaseOptions['key']): Promise<Target> {
  const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key
  return openTarget(storage, path, readContext(codecs, bytes && parseKey(bytes, 'key')))
}

/** @throws InspectError WRONG_TARGET */
export function arrayOf(target: Target, path: string): InspectArray {
  if (target.type === 'array') return target.array
  throw wrongTarget('an array', target, path)
}

/** @throws InspectError WRONG_TARGET */
export function fragmentOf(target: Target, path: string): Fragment {
  if (target.type === 'fragment') return target.fragment
  throw wrongTarget('a fragment', target, path)
}

/** @throws InspectError WRONG_TARGET */
export function groupOf(target: Target, path: string): InspectGroup {
  if (target.type === 'group') return target.group
  throw wrongTarget('a group', target, path)
}

function wrongTarget(expected: string, { type }: Target, path: string): InspectError {
  const file = isRemotePath(path) ? path.replace(/\?.*$/s, '').replace(/\/\/[^/]*@/, '//') : path
  return new InspectError('WRONG_TARGET', `expected ${expected}, found ${withArticle(type)}`, { file })
}
