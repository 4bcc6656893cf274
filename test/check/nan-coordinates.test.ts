import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, describe, expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { run } from '../helpers/run.ts'
import { check, type FindingCode, serious, shown } from './findings.ts'

const FOLDER = mkdtempSync(`${tmpdir()}/tiledb-inspect-nan-`)
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

/** The notes about each array of `fixtures/nan`. */
const TOLD: Readonly<Record<string, readonly FindingCode[]>> = {
  all: ['COORDINATE_DOMAIN', 'MBR_INVALID', 'NONEMPTY_DOMAIN'],
  col_major_2d: ['COORDINATE_DOMAIN', 'MBR_INVALID'],
  hilbert_2d: ['COORDINATE_DOMAIN', 'MBR_INVALID'],
  hilbert_ties: ['COORDINATE_DOMAIN', 'COORDINATE_ORDER'],
  levels: ['COORDINATE_DOMAIN', 'MBR_INVALID', 'RTREE_CONTAINMENT'],
  row_major: ['COORDINATE_DOMAIN', 'MBR_INVALID'],
}
/** TileDB computes the non-empty domain in several threads: with boxes of NaN the result changes from run to run. */
const NOW_AND_THEN: ReadonlySet<FindingCode> = new Set(['NONEMPTY_DOMAIN', 'MBR_NONEMPTY_DOMAIN'])

describe('what TileDB writes of NaN coordinates is no damage', () => {
  test.each(readdirSync(`${FIXTURES}/nan`))('%s', async (name) => {
    const { findings, notExamined } = await check(new EditedArray(`nan/${name}`).storage(), EDITED)
    expect(shown(serious(findings))).toEqual([])
    expect(notExamined).toEqual([])
    for (const { meaning } of findings) expect(meaning).toMatch(/^TileDB .*NaN/)
    const codes = new Set(findings.map(({ code }) => code))
    for (const code of TOLD[name]) expect(codes).toContain(code)
    for (const code of codes) expect(TOLD[name].includes(code) || NOW_AND_THEN.has(code)).toBe(true)
  })
})

describe('NaN that TileDB has not written there is', () => {
  const FLOATS = '22/float_dims'
  /** The box of the first tile begins with both ends of the first dimension, which is FLOAT32. */
  const NAN = Uint8Array.of(0, 0, 0xc0, 0x7f)

  async function withBox(...ends: readonly number[]): Promise<FindingCode[]> {
    const array = new EditedArray(FLOATS)
    await array.editSection('rtree', undefined, ({ levels }) => {
      for (const end of ends) levels[levels.length - 1].bytes.set(NAN, 4 * end)
    })
    const { findings } = await check(array.storage(), EDITED)
    return serious(findings).map(({ code }) => code)
  }

  test('one end of a box', async () => {
    expect(await withBox(0)).toContain('MBR_INVALID')
    expect(await withBox(1)).toContain('MBR_INVALID')
  })

  test('a box of a tile whose first coordinate is a number', async () => {
    expect(await withBox(0, 1)).toContain('COORDINATE_MBR')
  })

  test('a non-empty domain where no box is NaN', async () => {
    const array = new EditedArray(FLOATS)
    await array.editFooter(({ nonempty_domain }) => {
      nonempty_domain[0].min.set(NAN)
      nonempty_domain[0].max.set(NAN)
    })
    const { findings } = await check(array.storage(), EDITED)
    expect(serious(findings).map(({ code }) => code)).toContain('MBR_NONEMPTY_DOMAIN')
  })

  test('a coordinate that became NaN in a box of numbers is told, and which', async () => {
    const array = new EditedArray(FLOATS)
    await array.editTile('a', 'data', 0, (data) => void data.set(NAN, 0))
    const { findings } = await check(array.storage(), EDITED)
    expect(shown(findings).join()).toMatch(/COORDINATE_DOMAIN .*\ba\b 0: expected coordinates of the domain, found NaN/)
  })
})

test.each(['row-major', 'col-major', 'hilbert'])(
  'write-sample writes them so that nothing is wrong: %s',
  async (order) => {
    const name = `${FOLDER}/${order}`
    const dimensions = ['x', 'y'].map((dimension) => ({
      name: dimension,
      type: 'FLOAT64',
      domain: [-9, 9],
      tile_extent: 4,
    }))
    const attributes = [{ name: 'a', type: 'INT32' }]
    const schema = {
      array_type: 'sparse',
      cell_order: order,
      capacity: 2,
      allows_duplicates: true,
      dimensions,
      attributes,
    }
    const values = ['NaN', -9, 4, 'NaN', 0, 9, -3]
    const cells = values.flatMap((x, i) => values.map((y, j) => ({ x, y, a: 10 * i + j })))
    writeFileSync(`${name}.json`, JSON.stringify(schema))
    writeFileSync(`${name}.ndjson`, cells.map((cell) => JSON.stringify(cell)).join('\n'))
    expect((await run(['write-sample', name, '--schema', `${name}.json`, '--data', `${name}.ndjson`])).code).toBe(0)
    const { code, text } = await run(['check', '--level', 'cells', name, '--json', '--fail-on', 'warning'])
    expect(code).toBe(0)
    expect(JSON.parse(text).findings.length).toBeGreaterThan(0)
  },
)
