import { attempt, InspectError } from '../base/errors.ts'
import type { Storage } from './source.ts'

/** The path with links resolved, as far as it exists. */
export function resolvedPath(storage: Storage, path: string): string {
  return attempt(() => storage.realPath?.(path)) ?? path
}

/**
 * A storage in which nothing exists but what a function lets in. It gets paths with all links resolved, so that no link leads out.
 * @param lets whether a path exists
 */
export function rootedStorage(base: Storage, lets: (path: string) => boolean): Storage {
  const isThere = (path: string): boolean => lets(resolvedPath(base, path))
  const missing = (path: string): InspectError =>
    new InspectError('NOT_FOUND', { expected: 'a path that may be read', found: 'another' }, { file: path })
  const { readEnd, fileSize, realPath, modified } = base
  return {
    kind: async (path) => (isThere(path) ? base.kind(path) : undefined),
    list: async (path) => {
      if (!isThere(path)) throw missing(path)
      const entries = await base.list(path)
      return entries.filter(({ name, link }) => !link || isThere(`${path}/${name}`))
    },
    open: (path) => {
      if (!isThere(path)) throw missing(path)
      return base.open(path)
    },
    ...(readEnd && { readEnd: (path, into) => (isThere(path) ? readEnd.call(base, path, into) : undefined) }),
    ...(fileSize && { fileSize: (path) => (isThere(path) ? fileSize.call(base, path) : undefined) }),
    ...(realPath && { realPath: (path) => realPath.call(base, path) }),
    ...(modified && { modified: (path) => (isThere(path) ? modified.call(base, path) : undefined) }),
  }
}
