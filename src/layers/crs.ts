/** A coordinate reference system in a few words: its name and its code. Text that is not WKT stays as it is. */
export function crsText(crs: string): string {
  const name = /^\s*\w+\s*\[\s*"([^"]*)"/.exec(crs)?.[1]
  if (name === undefined) return crs
  const code = /(?:AUTHORITY|ID)\s*\[\s*"([^"]*)"\s*,\s*"?(\w+)"?\s*\](?:\s*\])?\s*$/.exec(crs)
  return code ? `${name} (${code[1]}:${code[2]})` : name
}
