/** A program for jq: the call whose document it reads, what it prints, and the program. NAME stands for a field or a key. */
type JqProgram = readonly [call: string, prints: string, program: string]

/** What users take most from each document. A test runs every program, and asks for a line of each command. */
export const JQ_PROGRAMS: readonly JqProgram[] = [
  ['overview', 'does TileDB open it', '.opens'],
  ['overview', 'cells a reader sees', '.cell_num'],
  ['overview', 'format version', '.format_version'],
  ['ls', 'fragments', '.fragments[].name'],
  ['ls', 'state of each', '.fragments[]|[.name,.state]|@tsv'],
  ['ls', 'waiting for vacuum', '..|select(.state?=="to-vacuum").name'],
  ['ls', 'bytes read, not read', '[.read.size,.unread.size]|@tsv'],
  ['ls', 'cells of each', '.fragments[].cells_in_domain'],
  ['ls', 'time of last write', '[.fragments[].timestamp_range[1]]|max'],
  ['ls', 'members of a group', '.members[]|[.name,.type,.uri]|@tsv'],
  ['schema', 'dimensions, types', '.dimensions[]|[.name,.type]|@tsv'],
  ['schema', 'attributes, types', '.attributes[]|[.name,.type]|@tsv'],
  ['schema', 'their filters', '.attributes[].filters.filters[].name'],
  ['commits', 'delete conditions', '.commits[].condition//empty'],
  ['metadata', 'value of a key', '.metadata.NAME.value'],
  ['metadata', 'all keys', '.metadata|keys[]'],
  ['metadata --all', 'deleted keys', '.versions[]|[.key,.deleted]|@tsv'],
  ['read', 'rows', '.cells[]'],
  ['read', 'one column', '.cells[].NAME'],
  ['read', 'number of rows', '.cells|length'],
  ['history', 'times of versions', '.versions[]|[.written,.state]|@tsv'],
  ['history', 'values of versions', '.versions[].values'],
  ['decode', 'rows of a fragment', '.cells[]'],
  ['explain', 'requests', '.total.requests'],
  ['explain', 'bytes', '.total.vfs_bytes'],
  ['explain', 'seconds', '.total.seconds'],
  ['explain', 'tiles that are read', '.total.tiles_read'],
  ['explain', 'cells of the result', '.result_size.cell_num'],
  ['explain', 'tiles by fragment', '.fragments[]|[.name,.tiles_touched]|@tsv'],
  ['stats', 'bytes of each field', '.fields[]|[.name,.size]|@tsv'],
  ['stats --read', 'minimum, maximum', '.fields[]|[.name,.min,.max]|@tsv'],
  ['stats --read', 'deleted cells', '[.deletes[].removed_cell_num]|add'],
  ['stats --read', 'groups of --by', '.groups[]|[.value,.cell_num]|@tsv'],
  ['whatif', 'bytes now', '.fields[]|[.name,.stored.bytes]|@tsv'],
  ['check', 'is all right', '.ok'],
  ['check', 'findings', '.findings[]|[.severity,.code,.file]|@tsv'],
  ['check --plan', 'what is lost', '.plans[].lost[]'],
  ['why', 'may I delete it', '.delete'],
  ['recover', 'lost cells', '.cells_lost'],
  ['verify-checksums', 'files without one', '.unprotected_files[]'],
  ['diff', 'is it equal', '.equal'],
  ['diff', 'what differs', '.differences[].path'],
  ['footer', 'box', '.nonempty_domain'],
  ['rtree', 'boxes of tiles', '.levels[-1][]'],
  ['tiles', 'cells of each', '.tiles[]|[.tile,.cell_num]|@tsv'],
  ['tiles', 'minimum, maximum', '.tiles[].fields[]|[.name,.min,.max]|@tsv'],
  ['tile', 'filters of chunks', '.chunks[].stages[].filter'],
  ['dump', 'parts of a file', '.children[]|[.name,.offset,.length]|@tsv'],
  ['at', 'what a byte is', '.chain[-1].name'],
  ['at --cell', 'files of a cell', '.cells[].places[]|[.file,.offset]|@tsv'],
  ['write-sample', 'number of cells', '.cell_num'],
]

/** Words of `help` that ask for the keys of documents. */
const ASKS = new Set(['json', 'jq', 'keys'])

/**
 * The programs for jq, if `help` is asked for the keys of documents: all, or those that a further word names by command, text or key.
 * @returns undefined for other words
 */
export function jqHelp([first = '', ...more]: readonly string[]): string | undefined {
  if (!ASKS.has(first.toLowerCase())) return undefined
  const asked = JQ_PROGRAMS.filter((one) => more.every((word) => one.join(' ').includes(word.toLowerCase())))
  if (asked.length === 0) return undefined
  const width = (i: 0 | 1): number => Math.max(...asked.map((one) => one[i].length)) + 2
  const [calls, texts] = [width(0), width(1)]
  const lines = asked.map(([call, text, program]) => `${call.padEnd(calls)}${text.padEnd(texts)}${program}\n`)
  return `tiledb-inspect read places --json | jq -r '.cells[]'

${lines.join('')}
tiledb-inspect help json ls       only those of a command, or with a word
tiledb-inspect <command> --help   all top keys of its documents
The folder schemas has every key, examples/jq longer programs.
Encryption keys: tiledb-inspect help key
`
}
