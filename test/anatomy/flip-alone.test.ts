import { readFileSync } from 'node:fs'
import { env } from 'node:process'
import { expect, test } from '@jest/globals'
import { checkedFlips } from '../../src/anatomy/flip-check.ts'
import { localFiles } from '../../src/node/file.ts'
import { closeTarget, openTarget } from '../../src/objects/target.ts'
import { contextFor, fixtureFolders } from '../helpers/fixtures.ts'
import { get } from '../helpers/json.ts'
import { Random } from '../helpers/random.ts'
import { run, runJson } from '../helpers/run.ts'
import { filePaths, unlisted } from './anatomy.ts'

/** Number of flips to try. 150 were tried with the seed below (2026-11-24). */
const FLIPS = Number(env.FLIPS ?? 16)
const SEED = Number(env.SEED ?? 20261)

/** The data files of fragments, without validity files: TileDB counts nulls of padding in some fields, and check accepts that. */
const places = fixtureFolders()
  .filter(({ name }) => name.split('/').length === 2)
  .flatMap((folder) => filePaths(folder.path).map((path) => ({ folder, path })))
  .filter(
    ({ path }) => path.endsWith('.tdb') && !/(?:__[a-z_]+|_validity)\.tdb$/.test(path) && readFileSync(path).length > 0,
  )

/** Codes of findings about statistics of tiles that do not fit the cells. */
const BY_STATISTICS = /^(?:TILE_MIN_MAX|TILE_SUM|COORDINATE_MBR)$/

test(`${FLIPS} flips: a tile alone notices no more than check, and all that its statistics show`, async () => {
  const random = new Random(SEED)
  let byStatistics = 0
  for (let i = 0; i < FLIPS; i++) {
    const { folder, path } = random.pick(places)
    const offset = random.below(readFileSync(path).length)
    const where = `${path.slice(folder.path.length - folder.name.length)} byte ${offset}`
    const key = folder.key === undefined ? [] : ['--key', folder.key]
    const { documents } = await runJson(['at', path, String(offset), ...key], { storage: unlisted })
    const alone = get(documents[0], 'detected_by_bit')
    const target = await openTarget(localFiles, path, contextFor(folder))
    if (target.type !== 'file') throw new Error(`${path} is a ${target.type}`)
    const isDense = (await target.fragment?.info())?.dense
    const checked = await checkedFlips(target, offset, { reading: contextFor(folder), style: { raw: false } })
    await closeTarget(target)
    if (!checked || !Array.isArray(alone)) continue
    for (const [bit, names] of alone.entries()) {
      const codes = checked.codes[bit]
      if (String(names) !== '') expect([where, bit, codes.length > 0]).toEqual([where, bit, true])
      // TileDB counts padding in some tiles of dense fragments.
      if (isDense || !codes.some((code) => BY_STATISTICS.test(code))) continue
      byStatistics++
      expect([where, bit, String(names) !== '']).toEqual([where, bit, true])
    }
  }
  expect(byStatistics).toBeGreaterThan(FLIPS / 8)
}, 3_600_000)

test('a flip that the statistics of its tile show is said of an array that cannot be listed', async () => {
  const [path] = filePaths('test/fixtures/16/dense_basic').filter((one) => one.endsWith('/a0.tdb'))
  const { text } = await run(['at', path, '307'], { storage: unlisted })
  expect(text).toContain(
    'a flip here is noticed by  tile_sums (tried on this tile alone, as the array is large or far: check --level cells may find more)\n',
  )
})
