import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { checkTarget } from '../../src/check/check.ts'
import { FINDING_CODES, type FindingCode } from '../../src/check/codes.ts'
import { checkUnit } from '../../src/check/data-files.ts'
import type { Item, Level } from '../../src/check/finding.ts'
import { newRun } from '../../src/check/run.ts'
import { runHere, tileStretches, type Unit, UnitWorker } from '../../src/check/units.ts'
import { DAMAGES } from '../../src/damage/damages.ts'
import { EditableArray } from '../../src/damage/editable-array.ts'
import { localFiles } from '../../src/node/file.ts'
import { openTarget } from '../../src/objects/target.ts'
import type { Storage } from '../../src/storage/source.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { filesBelow } from '../helpers/files-below.ts'
import { contextFor, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'
import { shortTurn, turnOfFamilies } from '../helpers/turn.ts'
import { keyOf, whole } from './damage.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = `${ROOT}bin/tiledb-inspect.js`
const LEVELS: readonly Level[] = ['chunks', 'cells']

interface Checked {
  items: Item[]
  counts: object
  unitNum: number
}

/** The results of a check, without or with units of work. */
async function checked(storage: Storage, path: string, key: string | undefined, level: Level, asUnits: boolean) {
  const cx = contextFor({ key })
  const all = newRun(level, true)
  const here = new UnitWorker<Item>(storage, cx, checkUnit)
  const found: Checked = { items: [], counts: all.counts, unitNum: 0 }
  async function* counted(units: AsyncIterable<Unit<Item>>): AsyncGenerator<Unit<Item>> {
    for await (const unit of units) {
      if (unit.part.kind !== 'known') found.unitNum++
      yield unit
    }
  }
  const target = await openTarget(storage, path, cx)
  const runner = runHere(here, path)
  const items = checkTarget(all, target, asUnits ? (units) => runner(counted(units)) : undefined)
  for await (const item of items) found.items.push(item)
  return found
}

async function expectSame(storage: Storage, path: string, key: string | undefined, level: Level): Promise<Checked> {
  const units = await checked(storage, path, key, level, true)
  const straight = await checked(storage, path, key, level, false)
  const now = (text: string): string => text.replace(/now, \d+/g, 'now')
  const shown = ({ items, counts }: Checked): string =>
    now(JSON.stringify({ items, counts }, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
  expect(shown(units)).toBe(shown(straight))
  return units
}

describe('units of work find the same, in the same order, and count the same', () => {
  test('in fixtures', async () => {
    let unitNum = 0
    for (const { path, key } of turnOfFamilies(fixtureFolders(), 16, versionOf))
      unitNum += (await expectSame(localFiles, path, key, 'cells')).unitNum
    expect(unitNum).toBeGreaterThan(0)
  })

  // Workspaces of GenomicsDB have no units.
  const codes = (Object.keys(FINDING_CODES) as FindingCode[]).filter((code) => DAMAGES[code].sample !== 'genomicsdb')
  test.each(shortTurn(codes, 16))('in an array damaged as %s', async (code) => {
    const array = await whole(code)
    await DAMAGES[code].plant(array)
    for (const level of LEVELS) await expectSame(array.storage(), EDITED, keyOf(array), level)
  })
})

describe('cells of one fragment, shared among units, give what all tiles together give', () => {
  const folder = `${temporaryFolder()}/sparse`
  let files: ReadonlyMap<string, Uint8Array>

  /** More than 16 MiB of coordinates, which need two units. */
  beforeAll(async () => {
    const dimensions = [...'xyzuvw'].map((name) => `--dim ${name}:INT64:0..999999999999`).join(' ')
    const size = '--capacity 10000 --cells 400000 --fragments 1'
    const args = `write-sample ${folder} ${dimensions} --attr a:INT64 ${size} --coords-filters none`
    const { code, stderr } = await run(args.split(' '))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    files = filesBelow(folder, EDITED)
  })

  const array = (): EditableArray => new EditableArray(EDITED, files, () => contextFor({ key: undefined }))
  /** The first tile of the second unit. */
  async function second(edited: EditableArray): Promise<number> {
    const fragment = await edited.fragment()
    const coordinates = (await fragment.fieldFiles()).filter(({ name }) => name.startsWith('d'))
    return (await tileStretches(fragment, await fragment.info(), coordinates))[1].from
  }

  type Damaged = [what: string, code: string, plant: (edited: EditableArray) => Promise<void>]
  const NOTHING: Damaged = ['nothing', '', async () => {}]
  const damages: Damaged[] = [
    [
      'a first cell that sorts before the unit before it',
      'COORDINATE_ORDER',
      async (edited) => edited.editTile('x', 'data', await second(edited), (data) => void data.fill(0, 0, 8)),
    ],
    [
      'a value that only the statistics of the fragment show',
      'FRAGMENT_SUM',
      (edited) =>
        edited.editSection('fragment_min_max_sum_null_count', undefined, (all) => {
          all[3].sum[0] ^= 1
        }),
    ],
    [
      'sums of fewer tiles',
      'STATISTICS_COUNT',
      (edited) => edited.editSection('tile_sums', 3, ({ values }) => ({ values: values.slice(8) })),
    ],
  ]

  test.each([NOTHING, ...shortTurn(damages, 3)])('%s', async (_, code, plant) => {
    const edited = array()
    await plant(edited)
    const { items, unitNum } = await expectSame(edited.storage(), EDITED, undefined, 'cells')
    expect(unitNum).toBe(3)
    const codes: string[] = items.map((item) => ('code' in item ? item.code : ''))
    if (code === '') expect(codes).toEqual([])
    else expect(codes).toContain(code)
  })
})

if (!existsSync(`${ROOT}dist/cli`)) test.skip('the built program is not here: npm run build', () => {})
else
  describe('check --jobs', () => {
    const array = `${temporaryFolder()}/array`

    /** Large enough for several threads. One fragment, so that its files are cut into runs of tiles. */
    function writeDamaged(): void {
      const spec = ['--dense', '--dim', 'x:INT64:0..4999999', '--attr', 'a:INT64', '--attr', 'b:INT64']
      const layout = ['--tile-extent', '50000', '--cells', '5000000', '--fragments', '1', '--filters', 'md5']
      const { status, stderr } = spawnSync(execPath, [BIN, 'write-sample', array, ...spec, ...layout], { env: {} })
      expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' })
      const fragment = firstFragment(array)
      for (const file of ['a0.tdb', 'a1.tdb']) {
        const bytes = readFileSync(`${fragment}/${file}`)
        for (const at of [1 / 7, 3 / 7, 6 / 7]) bytes[Math.floor(bytes.length * at)] ^= 1
        writeFileSync(`${fragment}/${file}`, bytes)
      }
    }

    test('one job and three print the same findings in the same order', () => {
      writeDamaged()
      for (const more of shortTurn([['--json'], ['--format=ndjson'], ['--level=cells', '--json']], 3)) {
        const [one, three] = ['1', '3'].map((jobs) => {
          const args = [BIN, 'check', array, '--jobs', jobs, ...more]
          const { status, stdout, stderr } = spawnSync(execPath, args, { encoding: 'utf8', env: {} })
          return { status, stdout, stderr }
        })
        expect(one.status).toBe(1)
        expect(one.stdout.match(/"CHECKSUM_MISMATCH"/g)).toHaveLength(6)
        expect(three).toEqual(one)
      }
    })
  })
