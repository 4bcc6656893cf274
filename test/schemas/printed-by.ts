import { COMMANDS } from '../../src/cli/commands.ts'

/** The documents that commands print with `--json`, if they are not the one of that name alone. */
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

/** Commands that print nothing that a program can use. */
const FOR_PEOPLE = ['page', 'completion', 'mcp']

/** The documents of every command. test/schemas/documents.test.ts looks whether a command prints another one. */
export const DOCUMENTS_OF: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.keys(COMMANDS)
    .filter((name) => !FOR_PEOPLE.includes(name))
    .map((name) => [name, PRINTED_BY[name] ?? [name]]),
)
