/** Files that the page gives to the reader. */

/** Lets the browser keep a file. */
export function download(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser may begin after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Lines of CSV, as RFC 4180 has them. */
export function csvText(rows: Iterable<readonly string[]>): string {
  const lines: string[] = []
  for (const row of rows)
    lines.push(row.map((cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','))
  return `${lines.join('\r\n')}\r\n`
}
