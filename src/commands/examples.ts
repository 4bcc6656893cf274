/** What a command is good for, and a call that does it. A test runs every call. */
export type Example = readonly [what: string, call: string]

/** Three or more for each command. `places` (sparse) and `weather` (dense) are the arrays in `examples/arrays`. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  ls: [
    ['the fragments of an array: state, cells, tiles, size, time, domain', 'ls places'],
    ['the files of a fragment, named by the beginning of its name', 'ls places/__1714'],
    ['fragments that a query of this box would touch', 'ls places --range lat=40..60 --range lon=0..20'],
  ],
  schema: [
    ['dimensions, attributes, filters', 'schema places'],
    ['every schema of an evolved array, oldest first', 'schema --all places'],
    ['for a script', 'schema --json weather'],
  ],
  footer: [
    ['the footer of a fragment, field by field', 'footer places/__1714'],
    ['every byte of it', 'footer --hex places/__1714'],
    ['those of two arrays as JSON, one document a fragment', 'footer --json places weather'],
  ],
  rtree: [
    ['boxes of the tiles', 'rtree places/__1714'],
    ['tiles that a query of this box would touch', 'rtree places --range lat=40..60 --range lon=0..20'],
    ['a picture of the boxes', 'rtree places --svg boxes.svg --dimension lon --dimension lat'],
  ],
  metadata: [
    ['key-value metadata of an array', 'metadata weather'],
    ['tile offsets and statistics of a fragment, field by field', 'metadata places/__1714'],
    ['64-bit values as strings, for readers that round', 'metadata --json --int64 string weather/__1714'],
  ],
  tiles: [
    ['box, offsets, sizes, minima and maxima, tile by tile', 'tiles places/__1714'],
    ['of one field, only the tiles that a box touches', 'tiles places --field population --range lat=40..60'],
    ['one line of JSON a tile', 'tiles weather --format ndjson'],
  ],
  tile: [
    ['the chunks of a tile, and what each filter made of them', 'tile places/__1714 lat 2'],
    ['its unfiltered bytes into a file', 'tile places/__1714 lat 0 --bytes -o lat.bin'],
    ['the bytes at each stage, a file each', 'tile weather/__1714 temperature 0 --stages stages'],
  ],
  stats: [
    ['what fills the disk: fields, filters, metadata, tile sizes', 'stats weather'],
    ['why one fragment is larger than another', 'stats places/__1714 weather/__1714'],
    ['for a script: bytes, ratios, memory that the metadata needs', 'stats --json places'],
  ],
  dump: [
    ["every byte of a fragment's metadata, and what it means", 'dump places/__1714/__fragment_metadata.tdb'],
    ['the bytes that hold one field', 'dump --path footer.fields[2].file_size places/__1714'],
    ['the fields without their bytes', 'dump --tree --depth 2 places/__1714/a0.tdb'],
  ],
  at: [
    ['what a byte of a data file is, and what would notice a flip', 'at places/__1714/d0.tdb 0x64'],
    ["a byte of a fragment's metadata", 'at places/__1714/__fragment_metadata.tdb 6000'],
    ['the other way round: where the value of a cell is', 'at weather/__1714 --cell station=1,day=7 --field rain_mm'],
  ],
  diff: [
    ['two fragments: schema, sizes, footer, metadata, boxes', 'diff places/__1714 places/__1714'],
    ['two arrays and all their cells; exit code 0 where nothing differs', 'diff --cells weather weather'],
    ['for a script: whether they are equal, and every difference', 'diff --json weather weather'],
  ],
  'verify-checksums': [
    ['every checksum of an array', 'verify-checksums places'],
    ['files without a checksum, too: every filter undone', 'verify-checksums --deep weather'],
    ['in two threads, the result as JSON', 'verify-checksums --jobs 2 --json places'],
  ],
  decode: [
    ['the first cells of a fragment', 'decode places/__1714 --limit 5'],
    ['one attribute inside a box', 'decode weather/__1714 --field sky --range day=1..7'],
    ['all cells of an array, one line of JSON each', 'decode --all-fragments places --format ndjson'],
    ['for pandas.read_feather', 'decode weather/__1714 -o weather.arrow'],
    ['a large fragment, filters undone in two threads', 'decode places/__1714 --jobs 2 -o places.csv'],
  ],
  commits: [
    ['commit files, and what each does', 'commits places'],
    ['of two arrays', 'commits places weather'],
    ['one line of JSON a commit', 'commits --format ndjson weather'],
  ],
  check: [
    ['whether what the metadata claims is what the bytes hold', 'check places'],
    ['every cell, too', 'check --level cells weather'],
    ['the metadata alone, and any note is a failure', 'check --level structure --fail-on note places'],
  ],
  'write-sample': [
    ['a sparse array of trees', 'write-sample trees'],
    ['a dense one as an old TileDB wrote it', 'write-sample old --dense --format-version 5 --filters gzip'],
    ['fields of your own', 'write-sample mine --dim x:INT32:0..99:10 --attr a:FLOAT64'],
    [
      'what check says of damage, here of an R-tree that misses cells',
      'write-sample broken --damage RTREE_CONTAINMENT',
    ],
  ],
  completion: [
    ['for bash, in ~/.bashrc: source <(tiledb-inspect completion bash)', 'completion bash'],
    ['for zsh: save it as _tiledb-inspect in a folder of $fpath', 'completion zsh'],
    ['for fish: save it in ~/.config/fish/completions', 'completion fish -o tiledb-inspect.fish'],
  ],
}

/** What a command answers, if its summary does not say everything. */
const ABOUT: Readonly<Record<string, string>> = {
  ls: 'Of each fragment: whether TileDB reads it and if not why (never committed, waiting for vacuum, ignored, hidden, dated in the future), cells, tiles, size, time, box, overlaps, and which releases read it. Of a fragment: its files, and which are missing or short.',
  schema: 'With --all every schema of an evolved array, oldest first; files in __schema can be given to diff.',
  commits:
    'Also delete conditions and which fragments have processed them, what waits for vacuum and which file says so, and the fragments that a consolidated metadata file holds (its footers: footer <array>/__fragment_meta/<file>).',
  stats:
    'Also which releases wrote and read it, whether tiles and capacity have a good size, whether filters pay (ratio is unfiltered over stored: below 1 they make it larger), and the memory that the metadata needs.',
  check:
    'Every finding has a code, a file, a byte, and what it means for a reader. verify-checksums looks at checksums only; this looks at them and at all else.',
  'verify-checksums':
    'Reads only the files that carry checksums, and looks whether the others are there and whole; --deep undoes all filters. check finds other damage, too.',
  decode:
    'Dates, enumerations and nulls as TileDB gives them. --all-fragments takes an array and adds a column __fragment.',
  tile: 'With --hex or --bytes its content, with --stages what each filter made of it.',
  dump: 'A path names a field, as --tree shows them; a wrong one is answered with those that are there.',
  at: 'Where nothing is compressed, the exact cell.',
}

/** The description of a command in its help. */
export function aboutText(command: string, summary: string): string {
  const about = ABOUT[command]
  return about === undefined ? summary : `${summary}\n\n${about}`
}

/** The end of a command's help. */
export function examplesText(command: string): string {
  const lines = (EXAMPLES[command] ?? []).flatMap(([what, call]) => [`  ${what}:`, `    tiledb-inspect ${call}`])
  if (lines.length === 0) return ''
  const arrays =
    command === 'write-sample' || command === 'completion'
      ? []
      : [
          '',
          'places and weather: arrays in examples/arrays of the package (npm root -g);',
          'a fragment may be given by the beginning of its name.',
        ]
  return ['', 'Examples:', ...lines, ...arrays].join('\n')
}
