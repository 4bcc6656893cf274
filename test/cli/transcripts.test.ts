import { describe, expect, test } from '@jest/globals'
import { run } from '../helpers/run.ts'

/**
 * What a person sees: command, exit code, stdout, stderr. The snapshot is there to be read; sessions with longer output are in
 * `docs`. Paths are relative, as they are typed.
 */
const SPARSE = 'test/fixtures/22/sparse_2d_row_row'
const FRAGMENT = `${SPARSE}/__10`
const DAMAGED = 'examples/damaged/places'
const ENCRYPTED = 'test/fixtures/22/encrypted'
const WRONG_KEY = '0123456789abcdef0123456789abcdef'

const COMMANDS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['an array', 'ls', SPARSE],
  ['names alone', 'ls', '--names', SPARSE],
  ['a fragment', 'ls', FRAGMENT],
  ['an array without fragments', 'ls', 'test/fixtures/22/empty_sparse'],
  ['a box that no fragment touches', 'ls', SPARSE, '--range', 'y=1000..1001'],
  ['a schema', 'schema', SPARSE],
  ['a footer', 'footer', FRAGMENT],
  ['an R-tree', 'rtree', FRAGMENT],
  ['metadata', 'metadata', FRAGMENT],
  ['tiles', 'tiles', FRAGMENT, '--field', 'a'],
  ['a tile', 'tile', FRAGMENT, 'a', '1'],
  ['a tile in hex', 'tile', FRAGMENT, 'a', '1', '--hex'],
  ['cells', 'decode', FRAGMENT, '--limit', '5'],
  ['cells as CSV', 'decode', FRAGMENT, '--limit', '2', '--format', 'csv'],
  ['cells as NDJSON', 'decode', FRAGMENT, '--limit', '2', '--format', 'ndjson'],
  ['statistics', 'stats', SPARSE],
  ['commits', 'commits', SPARSE],
  ['checksums, none', 'verify-checksums', SPARSE],
  ['checksums, one wrong, files missing and short', 'verify-checksums', DAMAGED],
  ['a check', 'check', SPARSE],
  ['a check of cells', 'check', '--level', 'cells', SPARSE],
  ['a check that fails', 'check', DAMAGED],
  ['a check of uncommitted fragments', 'check', '--all', 'examples/damaged/failed_write'],
  ['a file of fields', 'dump', '--tree', '--depth', '2', `${FRAGMENT}/a0.tdb`],
  ['a byte', 'at', `${FRAGMENT}/a0.tdb`, '40'],
  ['a difference', 'diff', SPARSE, 'test/fixtures/22/sparse_2d_row_col'],
  ['no difference', 'diff', SPARSE, SPARSE],
]

const ERRORS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['no command'],
  ['an unknown command', 'sl', SPARSE],
  ['an unknown option', 'ls', '--nmaes', SPARSE],
  ['an option without its value', 'decode', FRAGMENT, '--limit'],
  ['a value that is none', 'decode', FRAGMENT, '--limit', 'few'],
  ['no target', 'ls'],
  ['a path that is not there', 'ls', 'test/fixtures/22/sparse_2d_row_rwo'],
  ['a folder that is no array', 'ls', 'docs'],
  ['a file where a folder is wanted', 'ls', 'README.md'],
  ['an array where a fragment is wanted', 'decode', 'test/fixtures/22/vacuum_left'],
  ['a beginning of no name', 'ls', `${SPARSE}/__99`],
  ['a beginning of several names', 'ls', 'test/fixtures/22/vacuum_left/__10'],
  ['an unknown field', 'decode', FRAGMENT, '--field', 'b'],
  ['a tile that is not there', 'tile', FRAGMENT, 'a', '99'],
  ['a range of no dimension', 'decode', FRAGMENT, '--range', 'z=1'],
  ['a range the wrong way round', 'decode', FRAGMENT, '--range', 'y=5..1'],
  ['a range of no number', 'decode', 'examples/arrays/places/__17', '--range', 'lat=0-10'],
  ['a byte behind the end', 'at', `${FRAGMENT}/a0.tdb`, '99999'],
  ['a byte that is no number', 'at', `${FRAGMENT}/a0.tdb`, 'ten'],
  ['no key', 'schema', ENCRYPTED],
  ['fragments without a key', 'ls', ENCRYPTED],
  ['another key', 'schema', ENCRYPTED, '--key', WRONG_KEY],
  ['no key at all', 'schema', ENCRYPTED, '--key', 'short'],
  ['a byte below a missing key', 'at', `${ENCRYPTED}/__10/a0.tdb`, '100'],
  ['a check without the key', 'check', ENCRYPTED],
  ['a missing file', 'decode', `${DAMAGED}/__17`, '--field', 'population', '--limit', '1'],
  ['a file cut off', 'decode', `${DAMAGED}/__17`, '--field', 'founded', '--tiles', '4'],
  ['a fragment without metadata', 'footer', 'examples/damaged/failed_write/__30'],
  ['an error as JSON', 'ls', '--json', 'docs'],
  ['one target of two', 'ls', '--names', 'docs', SPARSE],
]

async function transcript(args: readonly string[]): Promise<string> {
  const { code, text, stderr } = await run(args)
  const shown = args.map((arg) => (/[^\w./=:-]/.test(arg) ? `'${arg}'` : arg))
  const parts = [`$ ${['tiledb-inspect', ...shown].join(' ')}`, `exit code ${code}`]
  if (text !== '') parts.push('stdout:', text.trimEnd())
  if (stderr !== '') parts.push('stderr:', stderr.trimEnd())
  return `\n${parts.join('\n')}\n`
}

describe('transcripts', () => {
  test.each(COMMANDS)('%s', async (_, ...args) => expect(await transcript(args)).toMatchSnapshot())
})

describe('transcripts of errors', () => {
  test.each(ERRORS)('%s', async (_, ...args) => {
    const text = await transcript(args)
    expect(text).toMatchSnapshot()
    expect(text).not.toContain('exit code 0')
    expect(text).not.toMatch(/\n\s+at .*\.ts:/)
  })
})
