import { VERSION } from '../base/version.ts'
import type { Folder } from '../source/source.ts'
import type { Target } from '../store/target.ts'
import type { PagePlaces } from './page-data.ts'

/** What a page of a target needs: the array around it, otherwise the target alone. */
export interface PageTree {
  folder: Folder
  /** The only file that belongs to it; undefined if all below the folder does. */
  only: string | undefined
}

export function pageTree(target: Target): PageTree {
  if (target.type === 'array') return { folder: target.array.folder, only: undefined }
  if (target.type === 'group') return { folder: target.group.folder, only: undefined }
  const { array, fragment } = target
  if (array) return { folder: array.folder, only: undefined }
  if (target.type === 'fragment') return { folder: target.fragment.folder, only: undefined }
  return { folder: target.folder, only: fragment ? undefined : target.name }
}

/** Where a page finds the target. It does not say where on this machine that was, but as far as the user wrote it. */
export function pagePlaces<Kind extends PagePlaces['kind']>(
  kind: Kind,
  { folder }: PageTree,
  target: Target,
  shown: string,
  made: bigint,
  wasm: PagePlaces['wasm'],
): PagePlaces & { kind: Kind } {
  const top = `/${folder.name || 'target'}`
  const path = top + target.path.slice(folder.path.length)
  return { kind, top, path, shown, version: VERSION, made: Number(made), wasm }
}
