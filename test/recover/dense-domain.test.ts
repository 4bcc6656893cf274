import { expect, test } from '@jest/globals'
import type { ArraySchema } from '../../src/format/array-schema.ts'
import { denseDomain } from '../../src/recover/dense-domain.ts'
import { failure } from '../helpers/failure.ts'
import { anySchema } from '../helpers/generate.ts'
import { Random } from '../helpers/random.ts'

/** A dense array of 40 x 40 tiles. */
const dimensions = ['x', 'y'].map((name) => ({
  name,
  type: 'UINT8' as const,
  cell_val_num: 1 as const,
  filters: { max_chunk_size: 0, filters: [] },
  domain: Uint8Array.of(0, 39),
  tile_extent: Uint8Array.of(1),
}))
const schema: ArraySchema = {
  ...anySchema(22, new Random(1)),
  domain: { type: undefined, dimensions },
  current_domain: undefined,
}

/** The message about a fragment of which only the number of tiles is known. */
function messageFor(tileNum: number): string {
  const known = { given: () => undefined, remains: undefined, agrees: false, damagedBox: undefined, union: undefined }
  return failure(() => denseDomain(schema, tileNum, known)).message
}

test('if nothing tells the box, the message names the shapes that it may have', () => {
  expect(messageFor(6)).toContain('It has 6 of 1600 tiles, in a box of 1 × 6 or 2 × 3 or 3 × 2 or 6 × 1. Give')
  expect(messageFor(36)).toContain('in a box of 1 × 36, 2 × 18, 3 × 12, 4 × 9, 6 × 6 or another shape. Give')
})
