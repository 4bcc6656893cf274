import { expect, test } from '@jest/globals'
import { raw } from 'jq-wasm'
import { run } from '../helpers/run.ts'

const PLACES = 'examples/arrays/places'

/** Programs for jq that a newcomer would guess before looking at a schema, each with the lines that it prints. */
const GUESSES: readonly (readonly [args: readonly string[], program: string, printed: readonly string[]])[] = [
  [['ls', PLACES], '.fragments[].name', ['__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22']],
  [['ls', PLACES], '[.fragments[].size] | add', ['11426']],
  [['ls', PLACES], '.fragments[] | select(.state == "live") | .cell_num', ['40']],
  [['ls', 'examples/arrays/blood'], '.members[].name', ['ms', 'obs']],
  [['schema', PLACES], '.attributes[].name', ['name', 'population', 'founded']],
  [['stats', PLACES], '.fields | max_by(.size) | .name', ['name']],
  [['stats', PLACES], '[.fields[] | select(.ratio != null and .ratio < 1)] | length', ['5']],
  [
    ['check', 'examples/damaged/places'],
    '.findings[] | select(.severity == "error") | .code',
    ['FILE_MISSING', 'FILE_SHORT', 'CHECKSUM_MISMATCH'],
  ],
  [['read', PLACES], '.cells | length', ['40']],
  [['tiles', `${PLACES}/__17`], '.tiles[].cell_num', ['8', '8', '8', '8', '8']],
]

test.each(GUESSES)('%j | jq -r %j', async (args, program, printed) => {
  const { text } = await run([...args, '--json'])
  expect((await raw(text, program, ['-r'])).trimEnd().split('\n')).toEqual(printed)
})
