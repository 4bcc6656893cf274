import { describe, expect, test } from '@jest/globals'
import type { AtDocument } from '../../src/documents/at.ts'
import type { WhyDocument } from '../../src/documents/why.ts'
import { svgText } from '../../src/render/svg.ts'
import { streamTable } from '../../src/render/table.ts'
import { noticePairs } from '../../src/render/views/at-pairs.ts'
import { svgSummary } from '../../src/render/views/rtree.ts'
import { whyTable } from '../../src/render/views/why.ts'
import type { Effect } from '../../src/why/answer.ts'
import { later, sink } from './sink.ts'

describe('what a reader sees without a file', () => {
  test.each<[Partial<Effect>, string]>([
    [{ outcome: 'opens', message: 'm' }, 'it can be opened again; now it cannot: m'],
    [{ outcome: 'labels', names: ['l', ''] }, 'reads by the label l, "" fail'],
    [{ outcome: 'schema' }, 'another schema is used'],
    [{ outcome: 'metadata', names: ['k'] }, 'other metadata: k'],
    [
      { outcome: 'enumerations', names: ['e'] },
      'the enumeration e cannot be read; TileDB-Py then reads no attribute that uses it',
    ],
    [{ outcome: 'members', names: ['m'] }, 'other members: m'],
    [{ outcome: 'cells', certainty: 'exact' }, 'no cell differs'],
    [
      { outcome: 'cells', cells_lost: 1, cells_added: 2, cells_changed: 1, certainty: 'at most' },
      'at most 1 cell fewer, 2 cells more, 1 cell with other values',
    ],
  ])('%j', async (one, text) => {
    const document: WhyDocument = {
      kind: 'why',
      path: 'a/b',
      schema_version: 1,
      what: 'w',
      root: 'a',
      needed_by: [],
      without: [{ as_of: [0, null], ...one } as Effect],
      noticed_by: ['nobody'],
      delete: 'no',
      reason: '',
      how: null,
      empties: null,
      changes_metadata: null,
    }
    const out = sink()
    await whyTable(document, out)
    expect(out.text()).toContain(`without it   ${text}\n`)
  })
})

test.each([
  [{ not_tried: 'why not' }, 'not known: why not'],
  [{ detected_by: null }, 'not determined: the bytes cannot be read as they are'],
  [{ detected_in: 'array' }, 'nothing'],
  [{ detected_in: 'array --all' }, 'nothing (by check --all: nothing uses this file)'],
  [
    { detected_in: 'tile' },
    'nothing (tried on this tile alone, as the array is large or far: check --level cells may find more)',
  ],
] as const)('what notices a flip: %j', (of, text) => {
  const document = { detected_by: [], ...of } as Partial<AtDocument> as AtDocument
  expect(noticePairs(document)).toEqual([['a flip here is noticed by', text]])
})

test('a picture says what it leaves out, and where boxes stand for several tiles', async () => {
  const out = sink()
  const fragments = [
    { name: 'f', level: null, box_num: 3 },
    { name: 'g', level: 1, box_num: 1 },
  ]
  const head = { kind: 'rtree-svg', path: 'p', schema_version: 1, dimensions: ['x', ''] } as const
  await svgSummary({ ...head, svg: 'p.svg', fragments, box_num: 4, undrawn_box_num: 1 }, out)
  expect(out.text()).toBe(`\
p.svg: 4 boxes of 2 fragments, x across and "" up
left out: 1 box with NaN or infinity at an end
too many tiles in 1 fragment: boxes of a higher level (--full draws all)
`)
})

test('a picture shows names as tables do', () => {
  const axis = { low: 0, high: 1, lowText: '0', highText: '1' }
  const names = { title: 'a\u202eb', x: { ...axis, name: 'c\x1bd' }, y: { ...axis, name: '\ufffe' } }
  const svg = Array.from(svgText({ ...names, groups: [], boxes: [] })).join('')
  for (const shown of ['>a\\u202eb<', '>c\\x1bd<', '>\ufffd<']) expect(svg).toContain(shown)
})

test('rows that are made while they are shown are blocks with --vertical', async () => {
  const out = { ...sink(80), vertical: true }
  expect(await streamTable({ columns: [{ name: 'a' }, { name: 'bb' }], rows: later([['1', 'x\n'], ['2']]) }, out)).toBe(
    0,
  )
  expect(out.pieces.join('')).toBe('row 1\na   1\nbb  x\\n\n\nrow 2\na   2\nbb\n')
})
