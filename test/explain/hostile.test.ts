import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { planDense } from '../../src/explain/dense.ts'
import { forTiles, gridAxis, spanOf } from '../../src/explain/dense-grid.ts'
import { planRead } from '../../src/explain/explain.ts'
import { bytesOf } from '../../src/format/value.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { openAt } from '../../src/read/opening.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

describe('domains of very many tiles', () => {
  test('a range of millions of tiles without cells', async () => {
    const array = new InspectArray(
      new Folder(localFiles, `${FIXTURES}/dense_reads/merged`),
      contextFor({ key: undefined }),
    )
    const opened = await openAt(array, { to: undefined })
    const [x, y] = opened.schema.domain.dimensions
    const most = 2 ** 30
    const low = x.domain.subarray(0, x.domain.length / 2)
    const wide = { ...x, domain: Buffer.concat([low, bytesOf(x.type, 1, most)]) }
    const schema = { ...opened.schema, domain: { ...opened.schema.domain, dimensions: [wide, y] } }
    const query = { order: 'row-major' as const, ranges: new Map([[0, [{ low: undefined, high: BigInt(most) }]]]) }
    const whole = await planDense({ opened, query: { ...query, ranges: new Map() }, exact: false })
    const plan = await planDense({ opened: { ...opened, schema }, query, exact: false })
    expect(plan.fragments).toEqual(whole.fragments)
  })

  test('fragments that lie 2^59 tiles apart', () => {
    const most = 2n ** 60n
    const sides = { domainLow: 0n, domainHigh: most, extent: 1n, low: 0n, high: most, firstTile: 0n, tile_num: 2 ** 60 }
    const axis = { type: 'INT64' as const, ...sides }
    const far = 2n ** 59n
    const domains = [
      { low: far, high: far + 3n },
      { low: 5n, high: 9n },
    ]
    const grid = gridAxis(axis, [{ low: 0n, high: most }], domains)
    const boxes = domains.map((one) => [spanOf(one, axis, grid.tileOf)])
    const visits = [0, 0]
    forTiles([grid], [0], boxes, (_at, _rank, touching) => {
      for (const box of touching) visits[box]++
    })
    expect(visits).toEqual([4, 5])
    expect(boxes[1][0].first).toBe(0)
    // Coordinates between the fragments have numbers between theirs.
    for (const at of [10n, far / 2n, far - 1n]) {
      expect(grid.tileOf(at)).toBeGreaterThan(boxes[1][0].last)
      expect(grid.tileOf(at)).toBeLessThan(boxes[0][0].first)
    }
  })
})

test('a domain whose end is NaN', async () => {
  const array = new InspectArray(new Folder(localFiles, `${FIXTURES}/22/float_dims`), contextFor({ key: undefined }))
  const opened = await openAt(array, { to: undefined })
  const dimensions = opened.schema.domain.dimensions.map((one) => {
    const domain = one.domain.slice()
    domain.fill(0xff, domain.length / 2)
    return { ...one, domain }
  })
  const schema = { ...opened.schema, domain: { ...opened.schema.domain, dimensions } }
  const query = { order: 'row-major' as const, ranges: new Map() }
  const plan = await planRead({ opened: { ...opened, schema }, query, exact: false })
  expect(plan).toMatchObject({ reader: 'legacy Reader', fragments: [{ tile_num: 5 }] })
})

describe('footers of damaged fragments', () => {
  const folder = temporaryFolder()

  /** A copy of an array whose fragment has other bytes in its footer, counted from the footer's start. */
  function edited(name: string, at: number, bytes: Uint8Array): string {
    const array = `${folder}/${name}`
    cpSync(`${FIXTURES}/22/sparse_basic`, array, { recursive: true })
    const [fragment] = fragmentNames(array)
    const file = `${array}/__fragments/${fragment}/__fragment_metadata.tdb`
    const content = readFileSync(file)
    const footer = content.length - 8 - Number(content.readBigUInt64LE(content.length - 8))
    content.set(bytes, footer + at)
    writeFileSync(file, content)
    return array
  }

  test.each([2n ** 32n - 1n, 2n ** 40n])('%s tiles, of which 6 have offsets', async (tile_num) => {
    // Behind the version, the schema's name, two flags and the non-empty domain.
    const array = edited(`tiles-${tile_num}`, 92, new Uint8Array(new BigUint64Array([tile_num]).buffer))
    const { code, stderr } = await run(['explain', array])
    expect(stderr).toContain(`tile_offsets.a: expected ${tile_num} tile offsets, found 6`)
    expect(code).toBe(1)
  })

  test.each(['explain', 'why', 'ls'])('%s: zero bytes in the name of the schema are damage', async (command) => {
    const array = edited(`name-${command}`, 12, new Uint8Array(8))
    const { code, stderr, text } = await run([command, array])
    expect(stderr + text).not.toContain('ERR_INVALID_ARG_VALUE')
    expect(code).not.toBe(3)
  })
})

test.each([
  ['--latency', '9'.repeat(400)],
  ['--latency', '0'],
  ['--throughput', `0.${'0'.repeat(318)}1`],
  ['--throughput', '-1'],
])('%s %s is wrong usage, and no estimate is infinite', async (option, value) => {
  const { code, stderr, text } = await run(['explain', `${FIXTURES}/22/dense_basic`, option, value])
  expect(stderr).toContain(`${option} expects a number from 0.001 to 1000000000, found `)
  expect({ code, text }).toEqual({ code: 2, text: '' })
})
