/**
 * The documents that each command prints with `--json`. test/schemas/documents.test.ts looks whether a command prints another one.
 * `page` and `completion` print nothing that a program can use.
 */
export const PRINTED_BY: Readonly<Record<string, readonly string[]>> = {
  overview: ['overview', 'genomicsdb-overview', 'genomicsdb-fragment'],
  ls: [
    'array',
    'fragment',
    'group',
    'dataset',
    'genomicsdb-workspace',
    'genomicsdb-array',
    'genomicsdb-fragment',
    'empty',
  ],
  schema: ['schema', 'dump', 'genomicsdb-schema', 'empty'],
  commits: ['commits', 'empty'],
  metadata: ['metadata', 'fragment-metadata', 'dump', 'empty'],
  read: ['read', 'genomicsdb-calls'],
  history: ['history'],
  decode: ['cells', 'empty'],
  explain: ['explain'],
  stats: ['stats', 'read-stats', 'dataset', 'genomicsdb-stats', 'empty'],
  whatif: ['whatif', 'schema', 'schema-python'],
  check: ['check', 'plan', 'dataset', 'empty'],
  why: ['why'],
  recover: ['recover', 'relocate'],
  'verify-checksums': ['verify-checksums', 'empty'],
  diff: ['diff', 'sweep-diff', 'file-diff'],
  footer: ['footer', 'dump', 'genomicsdb-footer', 'empty'],
  rtree: ['rtree', 'rtree-svg', 'dump', 'genomicsdb-rtree', 'empty'],
  tiles: ['tiles', 'genomicsdb-tiles', 'empty'],
  tile: ['tile', 'dump', 'genomicsdb-tile'],
  dump: ['dump'],
  at: ['at', 'cell'],
  'write-sample': ['sample', 'damaged-sample', 'damage-kinds', 'steps'],
}
