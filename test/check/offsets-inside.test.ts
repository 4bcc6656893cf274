import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { PlanDocument } from '../../src/documents/plan.ts'
import { localFiles } from '../../src/node/file.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'
import { check } from './findings.ts'

const folder = temporaryFolder()
const array = `${folder}/strings`
let fragment: string
let offsets: string

beforeEach(async () => {
  rmSync(array, { recursive: true, force: true })
  const shape = ['--sparse', '--cells', '40', '--capacity', '20', '--fragments', '1']
  // RLE keeps the offsets of strings with their values, in a0_var.tdb.
  await run(['write-sample', array, ...shape, '--attr', 's:STRING_ASCII', '--filters', 'rle'])
  const [name] = fragmentNames(array)
  fragment = `${array}/__fragments/${name}`
  offsets = `${fragment}/a0.tdb`
})

/** Code and file of each finding of check, and file of each failure of verify-checksums. */
async function reported(): Promise<{ found: string[]; failed: string[] }> {
  const { findings } = await check(localFiles, array)
  const { text } = await run(['verify-checksums', '--deep', '--json', array])
  const { failures } = JSON.parse(text) as { failures: { file: string }[] }
  const last = (file: string) => file.slice(file.lastIndexOf('/') + 1)
  return {
    found: findings.map(({ code, file }) => `${code} ${last(file)}`),
    failed: failures.map((one) => last(one.file)),
  }
}

test('values that hold their offsets are not called lost if the file of the offsets is missing', async () => {
  rmSync(offsets)
  expect(await reported()).toEqual({ found: ['FILE_MISSING a0.tdb'], failed: ['a0.tdb', 'a0.tdb'] })
})

test('nor if it is cut short', async () => {
  truncateSync(offsets, 4)
  // One finding for one cause, with the number of tiles.
  expect(await reported()).toEqual({ found: ['FILE_SHORT a0.tdb'], failed: ['a0.tdb', 'a0.tdb'] })
})

test('nor if its bytes are wrong: no reader looks at them', async () => {
  const cells = await run(['read', '--json', array])
  writeFileSync(offsets, readFileSync(offsets).fill(0xff))
  const found = ['TILE_UNREADABLE a0.tdb', 'TILE_UNREADABLE a0.tdb']
  expect(await reported()).toEqual({ found, failed: ['a0.tdb', 'a0.tdb'] })
  expect(await run(['read', '--json', array])).toEqual(cells)
})

describe('without the file of the offsets', () => {
  test('decode reads the values, and read fails as TileDB does', async () => {
    const decoded = await run(['decode', '--json', fragment])
    rmSync(offsets)
    expect(await run(['decode', '--json', fragment])).toEqual(decoded)
    const { code, stderr } = await run(['read', array])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('found no such file') })
  })

  test('recover loses nothing, and writes the file again', async () => {
    const before = readFileSync(offsets)
    for (const damage of [() => rmSync(offsets), () => truncateSync(offsets, 4)]) {
      damage()
      const { text } = await run(['recover', '--json', fragment, '--to', `${folder}/recovered`])
      expect(JSON.parse(text)).toMatchObject({ fragments: [{ outcome: 'rebuilt', cells_lost: 0 }] })
      expect(readFileSync(`${folder}/recovered/a0.tdb`)).toEqual(before)
      rmSync(`${folder}/recovered`, { recursive: true })
      writeFileSync(offsets, before)
    }
  })

  test('the plan writes the file again', async () => {
    const before = readFileSync(offsets)
    for (const damage of [() => rmSync(offsets), () => truncateSync(offsets, 4)]) {
      damage()
      const damaged = existsSync(offsets)
      const { text } = await run(['check', '--plan', '--json', array])
      const [plan, ...others] = (JSON.parse(text) as PlanDocument).plans
      expect(others).toEqual([])
      expect(plan).toMatchObject({ outcome: 'mends', lost: ['nothing: its cells are still there'] })
      expect(spawnSync('sh', ['-c', plan.steps[0].command ?? '']).status).toBe(0)
      expect(readFileSync(offsets)).toEqual(before)
      expect(spawnSync('sh', ['-c', plan.back[0].command ?? '']).status).toBe(0)
      expect(existsSync(offsets)).toBe(damaged)
      writeFileSync(offsets, before)
    }
  })
})
