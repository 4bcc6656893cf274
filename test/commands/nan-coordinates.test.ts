import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

/** Attribute values of the cells that `decode` or `read` finds in an array of `fixtures/nan`. */
async function found(command: string, name: string, ...ranges: readonly string[]): Promise<unknown[]> {
  const args = [command, `${FIXTURES}/nan/${name}`, ...(command === 'decode' ? ['--all-fragments'] : [])]
  const { code, documents } = await runJson([...args, ...ranges.flatMap((range) => ['--range', range])])
  expect(code).toBe(0)
  return Array.from(items(get(documents[0], 'cells')), (cell) => get(cell, 'a')).sort((x, y) => Number(x) - Number(y))
}

describe.each(['decode', 'read'])('%s --range: a cell whose coordinate is NaN is in no range', (command) => {
  // As TileDB reads them, but that it does not compare cells of a tile whose box is all inside: there NaN may be among them.
  // The box of a tile may be NaN itself, and passes every range.
  test.each([
    ['all', ['d0=0..2'], []],
    ['all', ['d0=-100..100'], []],
    ['row_major', ['d0=2..6'], [1, 2, 3, 4, 7]],
    ['row_major', ['d0=6..'], [7, 8]],
    ['col_major_2d', ['d0=..'], command === 'decode' ? [0, 1, 2, 3, 4, 7, 8] : [0, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['hilbert_2d', ['d1=0..3', 'd0=0..10'], [7, 8]],
  ])('%s %j', async (name, ranges, values) => {
    expect(await found(command, name, ...ranges)).toEqual(values)
  })

  test('without one they are there', async () => {
    expect(await found(command, 'all')).toEqual([0, 1, 2, 3, 4, 5])
    // A range of another dimension does not ask for this one.
    expect(await found(command, 'col_major_2d', 'd1=0..3')).toEqual([5, 6, 7, 8])
  })
})

describe('rtree --svg leaves out boxes of NaN, and counts them', () => {
  const file = `${temporaryFolder()}/boxes.svg`

  test.each([['all'], ['row_major'], ['col_major_2d'], ['levels']])('%s', async (name) => {
    const array = `${FIXTURES}/nan/${name}`
    const listed = await runJson(['rtree', firstFragment(array)])
    const levels = items(get(listed.documents[0], 'levels'))
    const leaves = items(levels.at(-1))
    const ofNaN = leaves.filter((box) => JSON.stringify(box).includes('NaN')).length
    expect(ofNaN).toBeGreaterThan(0)
    const { code, documents } = await runJson(['rtree', array, '--svg', file])
    const drawn = leaves.length - ofNaN
    expect([code, get(documents[0], 'box_num'), get(documents[0], 'undrawn_box_num')]).toEqual([0, drawn, ofNaN])
    const svg = readFileSync(file, 'utf8')
    expect(svg.match(/<title>/g) ?? []).toHaveLength(drawn)
    expect(svg).not.toMatch(/(NaN|Infinity)"/)
    const { text } = await run(['rtree', array, '--svg', file])
    expect(text).toContain(`left out: ${ofNaN} box`)
  })
})
