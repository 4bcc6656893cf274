import { describe, expect, test } from '@jest/globals'
import type { AdviceLine } from '../../../src/advice/line.ts'
import { consolidationTexts, writeFindings } from '../../../src/render/views/explain.ts'
import { PLACES, shown } from '../../helpers/views.ts'
import { sink } from '../sink.ts'

test('advice that two findings share is printed once', async () => {
  const shared = { severity: 'warning' as const, message: 'm', meaning: '', effect: { seconds: 1 } }
  const out = sink()
  const consolidate: AdviceLine = { does: 'consolidate', code: 'tiledb.consolidate("a")' }
  const vacuum: AdviceLine = { does: 'vacuum', code: 'tiledb.vacuum("a")' }
  await writeFindings(
    [
      { ...shared, code: 'FRAGMENTS_MANY', advice: [consolidate, vacuum] },
      { ...shared, code: 'FRAGMENTS_OVERLAP', advice: [{ ...consolidate }, { ...vacuum }] },
      { ...shared, code: 'TILES_LARGE', advice: [vacuum] },
    ],
    out,
  )
  expect(out.text().split('\n')).toEqual([
    'warning FRAGMENTS_MANY: m',
    'tiledb.consolidate("a")',
    'tiledb.vacuum("a")',
    'warning FRAGMENTS_OVERLAP: m',
    '  as for FRAGMENTS_MANY',
    'warning TILES_LARGE: m',
    'tiledb.vacuum("a")',
    '',
  ])
})

describe('what tiledb.consolidate would do', () => {
  const stuck = { fragment_num: 9, merged_num: 0, least_amplification: 2.04 }

  test.each([
    [{ ...stuck, fragment_num: 1, merged_by_two: [] }, []],
    [
      { ...stuck, merged_num: 9, least_amplification: 1, merged_by_two: [] },
      ['tiledb.consolidate merges all 9 fragments into one'],
    ],
    [
      { ...stuck, merged_by_two: Array.from('abcdefg') },
      [
        'tiledb.consolidate does nothing: the box around the 9 fragments, or around the first of them, has 2.1 times the cells of their tiles',
        '  sm.consolidation.amplification 3 instead of 1 merges them all, and also stores cells in the gaps',
        '  with sm.consolidation.step_min_frags 2 its first step merges 7 fragments:',
        ...Array.from('abcde', (name) => `    ${name}`),
        '    … 2 more',
      ],
    ],
  ])('%j', (consolidation, texts) => {
    expect(
      consolidationTexts({
        ...consolidation,
        config: {},
        merged: null,
        breaks_tiles: false,
        lacks_conditions: false,
        takes_later: 0,
      }),
    ).toEqual(texts)
  })

  test('of arrays of several fragments, and of no other time than now', async () => {
    const said = async (...args: string[]): Promise<string[]> =>
      (await shown(['explain', ...args])).split('\n').filter((line) => /^(result|tiledb\.cons)/.test(line))
    expect(await said('test/fixtures/22/deletes', '--exact')).toEqual([
      'tiledb.consolidate merges all 2 fragments into one',
      'result: 14 cells, 362 B (250 B without coordinates); 7 more are deleted but still read (stats --read says by what, and how to remove them)',
    ])
    const isResult = expect.stringMatching(/^result: /)
    expect(await said('test/fixtures/22/deletes', '--as-of', '25')).toEqual([isResult])
    expect(await said(PLACES)).toEqual([isResult])
  })
})
