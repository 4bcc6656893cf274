import { describe, expect, test } from '@jest/globals'
import { Memory } from '../../src/base/memory.ts'
import type { EditableArray } from '../../src/damage/editable-array.ts'
import { addCells, removeKey, rows, setKeys } from '../../src/damage/layer-sample.ts'
import { VCF_SAMPLE, vcfCell, vcfHeader } from '../../src/damage/vcf-sample.ts'
import { groupDetails } from '../../src/format/group-details.ts'
import { Texts } from '../../src/layers/cell-texts.ts'
import { NameRoom } from '../../src/layers/vcf/name-room.ts'
import { check, serious } from '../check/findings.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { run, runJson } from '../helpers/run.ts'
import { datasetFrom, datasetOf, described, factsOf, tableOf } from './datasets.ts'

/** What a check of the cells finds, in words. */
async function found(array: EditableArray): Promise<string[]> {
  const { findings } = await check(array.storage(), EDITED)
  return findings.map(({ code, file, field, found }) => `${code} ${file.slice(EDITED.length)} ${field ?? ''}: ${found}`)
}

const write = (array: EditableArray, path: string, ...cells: readonly object[]): Promise<void> =>
  addCells(array, VCF_SAMPLE, path, rows(...cells))

describe('a dataset of TileDB-VCF', () => {
  test('has no findings', async () => {
    expect(await found(await datasetOf('vcf'))).toEqual([])
  })

  test('is described without its cells', async () => {
    const description = await described(await datasetOf('vcf'))
    expect(description).toMatchObject({ layer: 'vcf', version: '4', is_version_known: true })
    // How many cells the headers have is for an overview to tell.
    expect(factsOf(description)).toEqual({
      samples: null,
      cells: null,
      'anchor gap': 1000,
      'extracted fields': ['fmt_GT'],
    })
    expect([...(description?.members.keys() ?? [])].sort()).toEqual([
      'allele_count',
      'data',
      'metadata/vcf_headers',
      'sample_stats',
    ])
  })

  test('has an overview in its words', async () => {
    const { documents } = await runJson([EDITED], { storage: (await datasetOf('vcf')).storage() })
    expect(documents[0]).toMatchObject({
      layer: { name: 'vcf', version: '4', facts: expect.arrayContaining([{ name: 'samples', value: 2 }]) },
      members: expect.arrayContaining([expect.objectContaining({ name: 'data', layer_type: 'records' })]),
    })
  })

  test('has its samples and contigs in a list, if they are asked for', async () => {
    const storage = (await datasetOf('vcf')).storage()
    const { text, code } = await run(['ls', '--samples', EDITED], { storage })
    expect(code).toBe(0)
    expect(text).toMatch(/^samples\nsample +records\nA +\d+\nB +\d+\n\ncontigs\n/m)
    expect((await run(['ls', EDITED], { storage })).text).not.toContain('contigs')
    const both = await run(['ls', '--samples', '--names', EDITED], { storage })
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--samples or --names')])
  })

  test('is described with its cells: samples, contigs, records and their anchors', async () => {
    const array = await datasetOf('vcf')
    const description = await described(array, { cells: true })
    expect(factsOf(description)).toMatchObject({
      samples: 2,
      'first samples': ['A', 'B'],
      contigs: 2,
      records: 3,
      'anchor cells': 2,
      'anchor share': 0.4,
      cells: 5,
    })
    expect(tableOf(description, 'samples')).toEqual([
      ['A', 2],
      ['B', 1],
    ])
    expect(tableOf(description, 'contigs')).toEqual([
      ['chr1', 50000, 3],
      ['chr2', null, 0],
    ])
    expect(tableOf(description, 'statistics')).toEqual([
      ['allele_count', 1, 0, 0, 0],
      ['sample_stats', 1, 0, 0, 0],
    ])
    expect(tableOf(description, 'fields').map(([name]) => name)).toContain('fmt_GT')
  })

  test('is known by its members, if nothing else says what it is', async () => {
    const array = await datasetOf('vcf')
    await removeKey(array, 'dataset_type')
    expect((await described(array))?.layer).toBe('vcf')
    expect(await found(array)).toEqual(['LAYER_METADATA  dataset_type: no such key'])
    // Groups of before TileDB 2.8 have no list, and no metadata.
    array.removeAll(/^\/(?:metadata\/)?__(?:group|meta)\//)
    expect((await described(array))?.layer).toBe('vcf')
    expect(await found(array)).toEqual([])
  })

  test('is no other group with such members', async () => {
    const array = await datasetOf('vcf')
    array.removeAll(/\/__meta\//)
    expect(await described(array)).toBeUndefined()
    const named = await datasetOf('vcf')
    await setKeys(named, '', { dataset_type: 'other' })
    expect(await described(named)).toBeUndefined()
  })

  test('may be of a version that is not known', async () => {
    const array = await datasetOf('vcf')
    await setKeys(array, 'data/', { version: 9 })
    const description = await described(array, { cells: true })
    expect(description).toMatchObject({ version: '9', is_version_known: false })
    expect(factsOf(description)).not.toHaveProperty('records')
    expect(await found(array)).toEqual(['LAYER_VERSION /data version: 9'])
    await removeKey(array, 'version', 'data/')
    expect(await described(array)).toMatchObject({ version: null, is_version_known: false })
    expect(await found(array)).toEqual(['LAYER_METADATA /data version: no such key'])
  })
})

describe('the check of samples', () => {
  test('names samples of one array that another one lacks', async () => {
    const array = await datasetOf('vcf')
    await write(array, 'metadata/vcf_headers/', vcfHeader('GHOST'))
    await write(array, 'data/', vcfCell('ORPHAN', 5, 5))
    await write(array, 'sample_stats/', { sample: 'GONE', n_records: 1 })
    expect(await found(array)).toEqual([
      'LAYER_ID_UNKNOWN /data sample: ORPHAN',
      'LAYER_ID_UNUSED /metadata/vcf_headers sample: none of GHOST',
      'LAYER_STALE /sample_stats sample: GONE',
    ])
  })

  test('names samples without statistics', async () => {
    const array = await datasetOf('vcf')
    await write(array, 'metadata/vcf_headers/', vcfHeader('C'))
    await write(array, 'data/', vcfCell('C', 5, 5))
    await setKeys(array, 'allele_count/', { [`file:///x/allele_count/__fragments/__5_5_${'0'.repeat(32)}_22`]: 'A,C' })
    expect(await found(array)).toEqual([
      'LAYER_STALE /allele_count : fragments that are gone: __5_5_00000000000000000000000000000000_22',
      'LAYER_COUNT /allele_count sample: none of B',
      'LAYER_COUNT /sample_stats sample: none of C',
    ])
  })

  test('names samples with records that are there again, but not two records at one place', async () => {
    const array = await datasetOf('vcf')
    await write(array, 'data/', vcfCell('A', 100, 100), { ...vcfCell('A', 700, 701), alleles: 'A,G' })
    expect(await found(array)).toEqual([
      'LAYER_CELLS_AGAIN /data sample: records that are there again, of A (1 record)',
    ])
    const { findings } = await check(array.storage(), EDITED)
    expect(serious(findings)).toEqual([])
  })
})

describe('the check of records', () => {
  test('names contigs that no header has, and records beyond the end of a contig', async () => {
    const array = await datasetOf('vcf')
    await write(
      array,
      'data/',
      vcfCell('A', 5, 5, 5, 'chrUn'),
      vcfCell('A', 50001, 50001),
      vcfCell('A', 90000, 90000, 90000, 'chr2'),
    )
    expect(await found(array)).toEqual([
      'LAYER_ID_UNKNOWN /data contig: chrUn',
      'LAYER_COUNT /data start_pos: one at 50001',
    ])
  })

  test('names long records without anchors, and anchors without records', async () => {
    const array = await datasetOf('vcf')
    await write(
      array,
      'data/',
      vcfCell('A', 5000, 7500),
      vcfCell('A', 6000, 7500, 5000),
      vcfCell('B', 9000, 9500, 8000),
      // As long as the distance of anchors: it needs none.
      vcfCell('A', 20000, 21000),
    )
    expect(await found(array)).toEqual([
      'LAYER_COUNT /data : too few of chr1 5000 to 7500 of A',
      'LAYER_COUNT /data : none for chr1 8000 to 9500 of B',
    ])
  })

  test('names records that end before they begin', async () => {
    const array = await datasetOf('vcf')
    await write(array, 'data/', vcfCell('A', 4000, 3000))
    expect(await found(array)).toEqual(['LAYER_COUNT /data end_pos: chr1 4000 to 3000 of A'])
  })
})

describe('the check of parts', () => {
  test('names a field that the metadata promises', async () => {
    const array = await datasetOf('vcf')
    await setKeys(array, 'data/', { extra_attributes: btoa('fmt_GT,info_AF') })
    expect(await found(array)).toEqual(['LAYER_SCHEMA /data extra_attributes: no info_AF'])
  })

  test('names arrays that are missing', async () => {
    const array = await datasetOf('vcf')
    await array.rewrite(array.find(/^\/metadata\/__group\//), groupDetails, ({ members }) => {
      members.splice(0)
    })
    expect(await found(array)).toEqual(['LAYER_MEMBER  metadata/vcf_headers: no such member'])
  })

  test('survives metadata that is something else', async () => {
    const array = await datasetOf('vcf')
    await setKeys(array, 'data/', { extra_attributes: '*', anchor_gap: 'far' })
    expect(await found(array)).toEqual([])
  })
})

describe('a dataset of version 3', () => {
  const cell = (sample: number, start_pos: number, real_start_pos = start_pos): object => {
    const rest = { qual: 1, alleles: 'A,C', id: '.', filter_ids: [0], info: [0], fmt: [0] }
    return { sample, start_pos, real_start_pos, end_pos: real_start_pos + 1500, ...rest }
  }
  const old = (...cells: readonly object[]) =>
    datasetFrom({
      arrays: {
        'data/': {
          options: {
            dim: ['sample:UINT32:0..99:10', 'start_pos:UINT32:0..99999:1000'],
            attr: [
              ...['real_start_pos:UINT32', 'end_pos:UINT32', 'qual:FLOAT32', 'alleles:STRING_ASCII'],
              ...['id:STRING_ASCII', 'filter_ids:INT32:var', 'info:UINT8:var', 'fmt:UINT8:var'],
            ],
            duplicates: true,
          },
          cells: rows(...cells),
          keys: {
            ...{ version: 3, anchor_gap: 1000, tile_capacity: 10000, extra_attributes: '' },
            ...{ all_samples: btoa('A,B'), sample_ids: btoa('A\t0,B\t1'), contig_lengths: btoa('1\t5000,2\t400') },
          },
        },
        'metadata/vcf_headers/': {
          options: { dense: true, dim: ['sample:UINT32:0..99:10'], attr: ['header:STRING_ASCII'] },
          cells: rows({ sample: 0, header: 'a' }, { sample: 1, header: 'b' }),
        },
      },
      groups: { '': { arrays: ['data'], groups: ['metadata'] }, 'metadata/': { arrays: ['vcf_headers'] } },
    })

  test('has its samples and contigs in the metadata', async () => {
    const array = await old(cell(0, 10), cell(0, 1010, 10), cell(1, 7))
    array.removeAll(/^\/(?:metadata\/)?__group\//)
    const facts = { samples: 2, 'first samples': ['A', 'B'], contigs: 2 }
    expect(factsOf(await described(array))).toMatchObject(facts)
    const description = await described(array, { cells: true })
    expect(factsOf(description)).toMatchObject({ ...facts, records: 2, 'anchor cells': 1, cells: 3 })
    expect(tableOf(description, 'samples')).toEqual([
      ['A', 1],
      ['B', 1],
    ])
    expect(await found(array)).toEqual([])
  })

  test('has numbers of samples in its data, which the metadata must have', async () => {
    const array = await old(cell(0, 10), cell(5, 7))
    array.removeAll(/^\/(?:metadata\/)?__group\//)
    expect(await found(array)).toEqual(['LAYER_ID_UNKNOWN /data sample: 5'])
  })
})

test('texts have numbers, however many there are', () => {
  const texts = new Texts()
  const names = Array.from({ length: 5000 }, (_, i) => `sample ${i}`)
  const data = new TextEncoder().encode(names.join(''))
  let end = 0
  const starts = new Float64Array([0, ...names.map(({ length }) => (end += length))])
  const column = { data, starts, validity: undefined }
  for (const i of names.keys()) expect(texts.numberOf(column, i)).toBe(i)
  for (const i of names.keys()) expect(texts.numberOf(column, i)).toBe(i)
  expect(texts.all()).toEqual(names)
  expect(texts.size).toBe(5000)
})

describe('names of samples and contigs', () => {
  const room = (): NameRoom => new NameRoom(new Memory(6000), 'file')

  test('are split at commas, and empty ones are none', () => {
    expect(room().split(',a,,bc,')).toEqual(['a', 'bc'])
    expect(room().split('')).toEqual([])
  })

  test('take a share of the memory, and more of them are refused in words', () => {
    expect(() => room().split('a,b,c,d')).toThrow('expected at most 2000 bytes of names of samples and contigs')
    const texts = new Texts((length) => counted.add(length))
    const counted = room()
    const column = { data: new TextEncoder().encode('abcd'), starts: undefined, validity: undefined }
    for (const from of [0, 1, 2, 0, 1, 2]) texts.numberOf({ ...column, starts: Float64Array.of(from, from + 1) }, 0)
    expect(() => texts.numberOf({ ...column, starts: Float64Array.of(3, 4) }, 0)).toThrow('of names of samples')
  })

  test('what is given back has room again', () => {
    const counted = room()
    for (let i = 0; i < 10; i++) {
      counted.take(1500)
      counted.take(-1500)
    }
    expect(() => counted.take(2001)).toThrow('found 2001 or more')
  })
})
