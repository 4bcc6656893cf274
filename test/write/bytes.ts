import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { localFiles } from '../../src/node/file.ts'
import { type Fragment, filePipeline } from '../../src/objects/fragment.ts'
import { openTarget } from '../../src/objects/target.ts'
import { writeFragment } from '../../src/write/fragment-writer.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { get, parseJson } from '../helpers/json.ts'
import { type Comparison, compare, recover } from './rewrite.ts'

/**
 * Fragments written by TileDB, read whole and written again with the same parameters: the data files are the same bytes, or the
 * same behind a general compressor or encryption. What is not is listed here, with the reason.
 */

type Filters = readonly FilterConfig[]

interface Exception {
  reason: string
  holds(fragment: FragmentKind, filters: Filters, file: Comparison['files'][number]): boolean
}

const has = (filters: Filters, name: FilterConfig['name']): boolean => filters.some((filter) => filter.name === name)

const FILES: readonly Exception[] = [
  {
    reason: 'BIT_WIDTH_REDUCTION: TileDB leaves the value offset uninitialised in windows that are not narrowed',
    holds: (_, filters, { outcome, detail }) =>
      has(filters, 'BIT_WIDTH_REDUCTION') && outcome === 'other bytes' && sameLength(detail),
  },
  {
    reason: 'DOUBLE_DELTA: releases before 2.30 do not count the first difference when they choose the bits',
    holds: ({ version }, filters, { outcome, detail }) =>
      version <= 23 && has(filters, 'DOUBLE_DELTA') && outcome === 'other bytes' && !sameLength(detail),
  },
  {
    reason: 'releases 2.4 to 2.10 filter validity of ordered dense writes as values, which nothing reads as it was',
    holds: ({ version, dense }, filters, { name, outcome }) =>
      dense &&
      version >= 10 &&
      version <= 14 &&
      name.endsWith('_validity.tdb') &&
      filters.length > 0 &&
      outcome === 'other bytes',
  },
  {
    reason: 'DELTA: releases 2.15 and 2.16 leave an element of whatever was in memory at the end of each part',
    holds: ({ version }, filters, { outcome }) => version === 19 && has(filters, 'DELTA') && outcome === 'other bytes',
  },
  {
    reason: 'WEBP: a lossy picture is another one when it is encoded again',
    holds: (_, filters, { outcome }) =>
      outcome === 'other data' && filters.some(({ name, lossless }) => name === 'WEBP' && lossless === false),
  },
  {
    reason: 'release 2.3 cuts var-sized values of dense fragments by another size when it writes in global order',
    holds: ({ version, dense }, _, { outcome }) => version === 9 && dense && outcome === 'other chunks',
  },
  {
    reason:
      'a release that appends to an array of an earlier one keeps its format version, and cuts chunks in its own way',
    holds: ({ appended, version }, _, { outcome, detail }) =>
      appended && version <= 10 && (outcome === 'other chunks' || detail === 'string offsets'),
  },
]

/** `tile 0 of 101 | 101 bytes, at 31` */
function sameLength(detail: string): boolean {
  const [, theirs, ours] = /of (\d+) \| (\d+) bytes/.exec(detail) ?? []
  return theirs !== undefined && theirs === ours
}

/** Lists of the metadata that TileDB fills with something else than what is in the cells. */
const LISTS: readonly { reason: string; holds(fragment: FragmentKind, name: string): boolean }[] = [
  {
    reason: 'versions 1 and 2, which are not written by the command, name consolidated fragments after two timestamps',
    holds: ({ version }, name) => version < 3 && name === 'name',
  },
  {
    reason: 'releases before 2.4 take the wrong strings for the ends of a text dimension',
    holds: ({ version, text }, name) =>
      version >= 5 && version <= 9 && text && /^(nonempty_domain|rtree|footer size)$/.test(name),
  },
  {
    reason: 'statistics of dense tiles count their padding, or hold what was in memory where text is padded',
    holds: ({ dense }, name) => dense && STATISTICS.test(name),
  },
  {
    reason:
      "TileDB counts no nulls of text that it keeps no minima of, and takes the fragment's from wrong tiles where one is all null",
    holds: ({ dense, nullable }, name) => !dense && nullable(name) && /^(null counts|fragment) /.test(name),
  },
  {
    reason: 'of a tile of nulls writers in global order keep the limits that minima start from, where it is the last',
    holds: ({ dense, nullable }, name) => !dense && nullable(name) && /^(min|max) /.test(name),
  },
  {
    reason: 'the sign of a sum that is NaN depends on the processor',
    holds: ({ dense, nan }, name) => !dense && nan(name) && /^(sums|fragment) /.test(name),
  },
]

const STATISTICS = /^(min|max|sums|null counts|fragment) /

interface FragmentKind {
  version: number
  /** To an array of an earlier release. */
  appended: boolean
  dense: boolean
  /** Some dimension is text. */
  text: boolean
  /** Whether the field of a list is nullable. */
  nullable(list: string): boolean
  /** Whether the field of a list is a float. */
  nan(list: string): boolean
}

/** Arrays of the corpus that TileDB wrote and that cannot be read: they lost data. */
const UNREADABLE = /\/(7\/type_nullable_sparse|1[345]\/filt_strings|mixed\/type_nullable_sparse_from_7(_upgraded)?)$/

/** One test for a case of the fixtures or the corpus. */
export function testBytes(path: string): void {
  test(`${path.split('/').slice(-2).join('/')}, written again, is the same bytes`, async () => {
    const expected = parseJson(readFileSync(`${path}.expected.json`, 'utf8'))
    const key = get(expected, 'key')
    const target = await openTarget(localFiles, path, contextFor({ key: typeof key === 'string' ? key : undefined }))
    if (target.type !== 'array') return
    for (const { path: inside } of await target.array.fragments()) {
      const fragment = target.array.fragment(inside)
      try {
        expect(await unexplained(fragment, path.includes('/mixed/'))).toEqual([])
      } catch (error) {
        if (!(error instanceof InspectError) || !UNREADABLE.test(path)) throw error
      } finally {
        await fragment.close()
      }
    }
  })
}

async function unexplained(fragment: Fragment, appended: boolean): Promise<string[]> {
  const { codecs, key } = fragment.cx
  const recovered = await recover(fragment)
  const written = await writeFragment(recovered.fragment, { codecs, key, randomBytes: (length) => randomBytes(length) })
  const { files, lists } = await compare(fragment, written)
  const info = await fragment.info()
  const { schema, dense, format_version: version } = info
  const { attributes, domain } = schema
  const kind: FragmentKind = {
    version,
    dense,
    appended,
    text: domain.dimensions.some(({ cell_val_num }) => cell_val_num === 'var'),
    nullable: (list) => attributes.some(({ name, nullable }) => nullable && list.endsWith(` ${name}`)),
    nan: (list) => attributes.some(({ name, type }) => type.startsWith('FLOAT') && list.endsWith(` ${name}`)),
  }
  const pipelines = new Map<string, Filters>()
  for (const file of await fragment.fieldFiles()) pipelines.set(file.name, filePipeline(info, file, false))
  const other = files.filter(
    (file) =>
      file.outcome !== 'same' &&
      file.outcome !== 'same behind the codec' &&
      !FILES.some(({ holds }) => holds(kind, pipelines.get(file.name) ?? [], file)),
  )
  const otherLists = lists.filter(({ name }) => !LISTS.some(({ holds }) => holds(kind, name)))
  return [
    ...other.map(({ name, outcome, detail }) => `${name}: ${outcome}, ${detail}`),
    ...otherLists.map(({ name, theirs, ours }) => `${name}: ${theirs} | ${ours}`),
  ]
}
