/** What stands behind the last point of a path's last name, in small letters; nothing for names that only begin with a point. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const point = name.lastIndexOf('.')
  return point <= 0 ? '' : name.slice(point + 1).toLowerCase()
}
