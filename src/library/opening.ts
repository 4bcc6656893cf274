import { InspectError } from '../base/errors.ts'
import { parseKey } from '../base/key.ts'
import { Memory } from '../base/memory.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { readContext } from '../objects/read-context.ts'
import { openTarget, withArticle } from '../objects/target.ts'
import { isRemotePath } from '../storage/remote/urls.ts'
import type { Storage } from '../storage/source.ts'
import { watched } from '../storage/watched.ts'
import { checkOptions, checkPath } from './arguments.ts'
import type { Fragment, InspectArray, InspectGroup, Target } from './opened.ts'

/** Options for opening a target. An entry of the package may add its own. */
export interface BaseOptions {
  /** AES-256-GCM key of an encrypted array: 32 bytes, or text: 64 hexadecimal digits, base64, or 32 characters. */
  key?: Uint8Array | string | undefined
  /** Bytes of memory for what is read of the target, 1 GiB by default. */
  memory?: number | undefined
  /** Where paths are looked up: files in memory, or any object that finds and reads files. */
  storage?: Storage | undefined
  /** Called with notes about the network, such as a server that sends whole files. */
  onNote?: ((text: string) => void) | undefined
}

const BASE_OPTIONS: Readonly<Record<keyof BaseOptions, true>> = { key: true, memory: true, storage: true, onNote: true }

/** A storage, and the path of the target in it. */
export interface StoragePlace {
  storage: Storage
  path: string
}

/**
 * The functions of an entry that open targets.
 * @param findPlace returns the place of a path if the user gave no storage
 * @param more the options that the entry adds
 */
export function openersWith<Options extends BaseOptions>(
  codecs: Codecs,
  findPlace: (path: string, options?: Options) => StoragePlace | Promise<StoragePlace>,
  more: Readonly<Record<Exclude<keyof Options, keyof BaseOptions>, true>>,
) {
  const known = { ...BASE_OPTIONS, ...more }
  const open = async (path: string, options?: Options): Promise<Target> => {
    checkPath(path)
    checkOptions(options, known)
    const { storage, key, memory } = options ?? {}
    const place = storage ? { storage, path } : await findPlace(path, options)
    const parsed = key === undefined ? undefined : parseKey(key, 'key')
    return openTarget(watched(place.storage, 0).storage, place.path, readContext(codecs, parsed, new Memory(memory)))
  }
  async function openOnly<T extends Target['type']>(type: T, path: string, options?: Options) {
    const target = await open(path, options)
    if (target.type === type) return target as Extract<Target, { type: T }>
    const file = isRemotePath(path) ? path.replace(/\?.*$/s, '').replace(/\/\/[^/]*@/, '//') : path
    throw new InspectError('WRONG_TARGET', { expected: withArticle(type), found: withArticle(target.type) }, { file })
  }
  return {
    open,
    openArray: async (path: string, options?: Options): Promise<InspectArray> =>
      (await openOnly('array', path, options)).array,
    openFragment: async (path: string, options?: Options): Promise<Fragment> =>
      (await openOnly('fragment', path, options)).fragment,
    openGroup: async (path: string, options?: Options): Promise<InspectGroup> =>
      (await openOnly('group', path, options)).group,
  }
}
