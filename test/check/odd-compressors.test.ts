import { expect, test } from '@jest/globals'
import { SCHEMA } from '../../src/damage/damage.ts'
import type { PlanDocument } from '../../src/documents/plan.ts'
import { compressorNumber } from '../../src/format/filter-pipeline.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { run } from '../helpers/run.ts'
import { check, serious } from './findings.ts'

/** Where the number of the compressor stands in a generic tile whose first filter is GZIP. */
const COMPRESSOR = 47
const ZSTD = 2
/** Where the type of that filter stands. */
const FILTER = 42

/** TileDB undoes the tile by this number, and fails; this program goes by the filter. */
function oddTile(array: EditedArray, pattern: RegExp, offset = 0): void {
  array.patch(array.find(pattern), offset + COMPRESSOR, [ZSTD])
}

/** The commands that end with 1 and say what TileDB refuses. */
async function refusedBy(array: EditedArray, ...commands: string[][]): Promise<string[]> {
  const found: string[] = []
  for (const args of commands) {
    const { code, text, stderr } = await run([...args, EDITED], { storage: array.storage() })
    // The overview and explain say it in their documents.
    if (code === 1 && `${text}${stderr}`.includes('TileDB')) found.push(args[0] ?? 'overview')
  }
  return found
}

const ALL = [[], ['read'], ['explain'], ['metadata']]

// What TileDB refuses was asked of 2.30, with a byte changed in the header of each kind of file.
test.each([
  ['22/sparse_basic', SCHEMA, 'SCHEMA_FILTER_COMPRESSOR tile', ['overview', 'read', 'explain', 'metadata']],
  ['22/metadata', /\/__meta\/__\d[^/]*$/, 'METADATA_UNREADABLE compressor', ['overview', 'metadata', 'explain']],
  ['22/enumerations', /\/__enumerations\//, 'ENUMERATION_UNREADABLE compressor', ['read', 'overview', 'explain']],
  ['22/deletes', /__15_15_.*\.del$/, 'DELETE_CONDITION_UNREADABLE compressor', ['read', 'explain', 'overview']],
] as const)('in the tile of %s %s', async (fixture, pattern, code, commands) => {
  const array = new EditedArray(fixture)
  const [path] = array.matching(pattern)
  array.patch(path, COMPRESSOR, [ZSTD])
  const { findings } = await check(array.storage(), EDITED)
  expect(serious(findings).map((one) => [one.code, one.variant].filter(Boolean).join(' '))).toEqual([code])
  expect(await refusedBy(array, ...ALL)).toEqual(expect.arrayContaining([...commands]))
})

test('in a section of a fragment, which recover writes again', async () => {
  const array = new EditedArray('22/sparse_basic')
  oddTile(array, /__fragment_metadata\.tdb$/)
  const { findings } = await check(array.storage(), EDITED)
  expect(serious(findings).map(({ code }) => code)).toEqual(['SECTION_UNREADABLE'])
  expect(await refusedBy(array, ['read'], ['explain'])).toEqual(['read', 'explain'])
  const { text } = await run(['check', '--plan', '--json', EDITED], { storage: array.storage() })
  const { plans } = JSON.parse(text) as PlanDocument
  expect(plans.map(({ outcome }) => outcome)).toEqual(['mends'])
})

// TileDB opens it, and fails where it loads the enumeration.
test('an enumeration of a version that no release has', async () => {
  const array = new EditedArray('22/enumerations')
  const [path] = array.matching(/\/__enumerations\//)
  await array.rewriteContent(path, (content) => void content.fill(1, 0, 1))
  const { findings } = await check(array.storage(), EDITED)
  expect(serious(findings).map((one) => [one.code, one.variant])).toEqual([['ENUMERATION_UNREADABLE', 'version']])
  expect(await refusedBy(array, ...ALL)).toEqual(['overview', 'read', 'explain'])
})

// TileDB opens neither: it takes the non-empty domain for what follows it.
test.each(['22/sparse_basic', '22/dense_3d_row_row'])(
  'a fragment of %s that denies its non-empty domain',
  async (fixture) => {
    const array = new EditedArray(fixture)
    await array.editFooter({ null_nonempty_domain: true })
    expect(await refusedBy(array, ['read'], ['explain'])).toEqual(['read', 'explain'])
  },
)

test.each([
  ['sparse', '22/sparse_basic', 'dimension', true],
  ['dense', '22/dense_3d_row_row', undefined, false],
] as const)('in the filter of a dimension of a %s array', async (_, fixture, variant, refused) => {
  const array = new EditedArray(fixture)
  await array.editSchema(({ domain }) => {
    domain.dimensions[0].filters.filters = [{ name: 'ZSTD', compressor: 5, level: 3 }]
  })
  const { findings } = await check(array.storage(), EDITED, { level: 'structure' })
  const [found] = findings.filter(({ code }) => code === 'SCHEMA_FILTER_COMPRESSOR')
  expect([found.severity, found.variant]).toEqual([refused ? 'error' : 'warning', variant])
  expect(await refusedBy(array, ['explain'])).toEqual(refused ? ['explain'] : [])
})

// TileDB opens such arrays, and fails where it reads the file.
test.each([
  ['22/metadata', /\/__meta\/__\d[^/]*$/, 'METADATA_UNREADABLE'],
  ['22/enumerations', /\/__enumerations\//, 'ENUMERATION_UNREADABLE'],
  ['22/deletes', /__15_15_.*\.del$/, 'DELETE_CONDITION_UNREADABLE'],
  ['22/sparse_basic', /__fragment_metadata\.tdb$/, 'SECTION_UNREADABLE'],
] as const)('a filter in the tile of %s %s that no release has', async (fixture, pattern, code) => {
  const array = new EditedArray(fixture)
  array.patch(array.matching(pattern)[0], FILTER, [255])
  const { findings } = await check(array.storage(), EDITED, { level: 'structure' })
  expect(serious(findings).map((one) => one.code)).toEqual([code])
  const { text, stderr } = await run(['explain', EDITED], { storage: array.storage() })
  expect(`${text}${stderr}`).not.toContain('does not open')
})

// TileDB 2.30 reads all of these: the bytes are of the compressor whose number the options have.
test.each([
  ['22/metadata', /\/__schema\/__\d[^/]*$/],
  ['22/metadata', /\/__meta\/__\d[^/]*$/],
  ['22/enumerations', /\/__enumerations\//],
  ['22/deletes', /__15_15_.*\.del$/],
  ['22/sparse_basic', /__fragment_metadata\.tdb$/],
] as const)(
  'a filter type that contradicts the number and the bytes of the tile of %s %s',
  async (fixture, pattern) => {
    const array = new EditedArray(fixture)
    const args = ['read', EDITED, '--format', 'csv']
    const before = await run(args, { storage: array.storage() })
    array.patch(array.matching(pattern)[0], FILTER, [ZSTD])
    const { findings } = await check(array.storage(), EDITED)
    expect(serious(findings).map(({ severity, code, variant }) => [severity, code, variant])).toEqual([
      ['warning', 'GENERIC_TILE_HEADER', 'compressor'],
    ])
    expect(await run(args, { storage: array.storage() })).toEqual(before)
    const metadata = await run(['metadata', EDITED], { storage: array.storage() })
    expect([metadata.code, metadata.stderr]).toEqual([0, ''])
  },
)

test.each([
  ['22/filter_gzip', 1],
  ['22/filter_lz4', 3],
  ['22/filter_rle', 4],
] as const)('cells of %s by the number %i, whatever the type of the filter', async (fixture, compressor) => {
  const array = new EditedArray(fixture)
  const args = ['read', EDITED, '--format', 'csv']
  const before = await run(args, { storage: array.storage() })
  await array.editSchema(({ attributes }) => {
    for (const { filters } of attributes)
      for (const filter of filters.filters)
        if (compressorNumber(filter.name) === compressor)
          Object.assign(filter, { name: 'BZIP2', level: -1, compressor })
  })
  const { findings } = await check(array.storage(), EDITED)
  const told = new Set(serious(findings).map(({ severity, code, variant }) => `${severity} ${code} ${variant}`))
  expect([...told]).toEqual(['warning SCHEMA_FILTER_COMPRESSOR byNumber'])
  expect(await run(args, { storage: array.storage() })).toEqual(before)
})

// As TileDB 2.30 reads them: the number decides, too, whether the values hold the offsets.
test('strings by the number of RLE or of the dictionary, whatever the type of the filter', async () => {
  const array = new EditedArray('22/string_filters')
  const args = ['read', EDITED, '--format', 'csv']
  const before = await run(args, { storage: array.storage() })
  let changed = 0
  await array.editSchema(({ attributes }) => {
    for (const { filters } of attributes) {
      for (const filter of filters.filters) {
        if (filter.name !== 'RLE' && filter.name !== 'DICTIONARY_ENCODING') continue
        Object.assign(filter, { name: 'GZIP', compressor: compressorNumber(filter.name) })
        changed++
      }
    }
  })
  expect(changed).toBeGreaterThan(1)
  const { findings } = await check(array.storage(), EDITED)
  expect(new Set(serious(findings).map(({ severity, code }) => `${severity} ${code}`))).toEqual(
    new Set(['warning SCHEMA_FILTER_COMPRESSOR']),
  )
  expect(await run(args, { storage: array.storage() })).toEqual(before)
})
