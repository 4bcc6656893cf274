/** Paths are text with `/` between the names. Nothing here asks a file system. */

/** The name at the end of a path; empty if the path ends with `/`. {@link lastPathPart} is for paths that may. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * The last name of a path or URI as the format stores it: a `/` at its end does not count. Before version 19, `.vac` files have absolute
 * URIs.
 */
export function lastPathPart(path: string): string {
  return nameOf(path.endsWith('/') ? path.slice(0, -1) : path)
}

/** The path of the folder around a path; empty if the path has no `/`, or only one at its start. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Whether a path is a folder or lies below it. */
export function isWithinFolder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** A path below `root` without it; empty for `root` itself. Other paths stay as they are. */
export function relativePath(path: string, root: string): string {
  const start = root.endsWith('/') ? root : `${root}/`
  if (path === root) return ''
  return path.startsWith(start) ? path.slice(start.length) : path
}

/** A path's file extension, in lower case and without the dot. Empty for none, and for names like `.bashrc`. */
export function extensionOf(path: string): string {
  const name = nameOf(path)
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase()
}

/** A path without `.` and `..` between its names, as text: links are not looked at. */
export function normalPath(path: string): string {
  const [root] = /^(?:[a-z0-9]+:\/\/[^/]*)?\/?/.exec(path) ?? ['']
  const names: string[] = []
  for (const name of path.slice(root.length).split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..' || names.at(-1) === '..' || (names.length === 0 && root === '')) names.push(name)
    else names.pop()
  }
  return root + names.join('/') || '.'
}
