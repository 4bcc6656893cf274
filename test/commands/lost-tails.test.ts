import { describe, expect, test } from '@jest/globals'
import { TileFile } from '../../src/cells/tile-files.ts'
import { unfilterUnit } from '../../src/cells/tile-units.ts'
import { EditedArray } from '../helpers/edit-array.ts'
import { get, parseJson } from '../helpers/json.ts'
import { run } from '../helpers/run.ts'

const FIXTURES = 'test/fixtures/unreadable'
const CELLS = '22_tail_lost_zstd_delta'
const METADATA = '22_tail_lost_bit_width_double_delta'

describe('bytes that TileDB dropped behind the last whole element', () => {
  test.each(['ndjson', 'json', 'csv', 'table'])('decode says that cells may be wrong: %s', async (format) => {
    const array = new EditedArray(`unreadable/${CELLS}`)
    const name = array.fragmentPath().split('/').at(-1)
    const { code, text, stderr } = await run(['decode', `${FIXTURES}/${CELLS}/__fragments/${name}`, '--format', format])
    expect(code).toBe(0)
    // Four cells as written, and of 0x31415926 what zstd makes of a frame without its last byte.
    for (const value of ['287454020', '1432778632', '16909060', '2053856333', '4282662']) {
      expect(text.replaceAll(',', '')).toContain(value)
    }
    expect(stderr).toMatch(/^note: a: TileDB lost bytes of chunks when it wrote them, .*[Cc]ells may be wrong/)
    expect(stderr.match(/TileDB lost/g)).toHaveLength(1)
  })

  test('decode says nothing where another filter has what it needs', async () => {
    const array = new EditedArray(`unreadable/${METADATA}`)
    const name = array.fragmentPath().split('/').at(-1)
    const { code, text, stderr } = await run(['decode', `${FIXTURES}/${METADATA}/__fragments/${name}`, '--json'])
    expect(code).toBe(0)
    expect(get(parseJson(text), 'cells')).toHaveLength(6)
    expect(stderr).toBe('')
  })

  test('check names tile and field', async () => {
    const { code, text } = await run(['check', `${FIXTURES}/${CELLS}`, '--json'])
    expect(code).toBe(0)
    expect(get(parseJson(text), 'findings')).toMatchObject([
      {
        severity: 'warning',
        code: 'CHUNK_UNREADABLE',
        field: 'a',
        message: 'expected whole 4-byte elements, found 1 byte lost after the last',
      },
    ])
  })

  test('verify-checksums --deep names the file', async () => {
    const deep = await run(['verify-checksums', '--deep', `${FIXTURES}/${CELLS}`])
    expect(deep.code).toBe(0)
    expect(deep.stderr).toMatch(/a0\.tdb: TileDB lost bytes of chunks when it wrote them, and cells may be wrong/)
    expect((await run(['verify-checksums', `${FIXTURES}/${CELLS}`])).stderr).toBe('')
  })

  test('other threads leave such tiles to the one that tells', async () => {
    const fragment = await new EditedArray(`unreadable/${CELLS}`).fragment()
    const file = await TileFile.open(fragment, 0, 'data')
    const unit = { path: '', files: [], tiles: [0], bytes: 20, room: undefined }
    expect([...(await unfilterUnit([file], unit)).places]).toEqual([-1, -1])
  })
})
