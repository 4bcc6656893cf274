import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { advise } from '../../src/advice/finding.ts'
import { FieldReport } from '../../src/calls/field-report.ts'
import { parseTileIndex, parseTiles } from '../../src/calls/option-values.ts'
import { Draft } from '../../src/mend/drafts.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const folder = mkdtempSync(join(tmpdir(), 'one-and-none-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('where there is none, no range ends at -1', () => {
  test('tile --offset of an empty file', async () => {
    const array = join(folder, 'array')
    cpSync(`${FIXTURES}/22/single_cell`, array, { recursive: true })
    const fragment = firstFragment(array)
    writeFileSync(`${fragment}/a0.tdb`, '')
    const { code, stderr } = await run(['tile', fragment, 'a0.tdb', '--offset', '0'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/a0\.tdb: expected a file with bytes, found an empty file\n$/)
  })

  test('the index and the range of tiles', () => {
    expect(() => parseTileIndex('0', 0)).toThrow('expected a fragment with tiles, found one without tiles')
    expect(parseTileIndex('1', 2)).toBe(1)
    expect(() => parseTileIndex('2', 2)).toThrow('tile expects an index from 0 to 1, found "2"')
    expect(parseTiles('0..', 0)).toEqual({ from: 0, to: 0 })
    expect(() => parseTiles('x', 0)).toThrow('--tiles expects I..J, found "x"')
    expect(parseTiles('1..', 3)).toEqual({ from: 1, to: 2 })
    expect(() => parseTiles('3..', 3)).toThrow('--tiles expects I..J, tiles from 0 to 2, found 3..')
  })
})

describe('of one, texts speak in the singular', () => {
  test('notes of fields', () => {
    const report = new FieldReport()
    report.addUnknownNulls('a', 1, 1)
    report.missingIn('b', 'colours', ['red'])(7)
    const notes: string[] = []
    report.tell({ note: (text) => void notes.push(text) })
    expect(notes).toEqual([
      expect.stringContaining('a: the stored values of 1 cell are shown'),
      expect.stringContaining('b: 1 cell has no label (the first has index 7, the enumeration colours has 1 value)'),
    ])
  })

  test('plans', () => {
    const draft = new Draft()
    draft.notLost.add('1 cells of 2 of 3 fragments')
    draft.loses.add('the values of 1 cells')
    expect(draft.plan()).toMatchObject({ not_lost: ['1 cell of 2 of 3 fragments'], loses: ['the values of 1 cell'] })
  })

  test('advice', () => {
    const message = '100 tiles of 1 cells'
    expect(advise('TILES_SMALL', { message, effect: {}, advice: [] }).message).toBe('100 tiles of 1 cell')
  })
})
