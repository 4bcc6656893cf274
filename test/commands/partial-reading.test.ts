import { describe, expect, test } from '@jest/globals'
import { TileFile } from '../../src/cells/tile-files.ts'
import { arraySchema } from '../../src/format/array-schema.ts'
import { decode } from '../../src/format/io.ts'
import { openGenericTile } from '../../src/objects/generic-tile.ts'
import { u64Bytes } from '../helpers/build-bytes.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { contextFor, fixtureFolders } from '../helpers/fixtures.ts'
import { genericTileBytes } from '../helpers/generic-tile-bytes.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { turn } from '../helpers/turn.ts'

const FIXTURE = '22/sparse_basic'

async function decoded(
  array: EditedArray,
  ...options: string[]
): Promise<{ code: number; rows: string[]; stderr: string }> {
  const args = ['decode', array.fragmentPath(), '--format', 'ndjson', ...options]
  const { code, text, stderr } = await run(args, { storage: array.storage() })
  return { code, rows: text.split('\n').filter((line) => line !== ''), stderr }
}

describe('decode --keep-going', () => {
  test('gives the cells of every tile that is whole, and tells the others', async () => {
    const whole = await decoded(new EditedArray(FIXTURE))
    const array = new EditedArray(FIXTURE)
    // The compressed bytes of one column's first tile, and an offset of a cell in the third tile of another.
    array.flip(array.find(/a2\.tdb$/), 40)
    await array.editTile('s', 'offsets', 2, (data) => void data.set(u64Bytes(1e6), 8))
    const { code, rows, stderr } = await decoded(array, '--keep-going')
    expect(code).toBe(1)
    expect(rows).toEqual(whole.rows.filter((_, i) => Math.floor(i / 8) !== 0 && Math.floor(i / 8) !== 2))
    expect(stderr).toMatch(/f, tile 0/)
    expect(stderr).toMatch(/a1\.tdb: byte \d+, field s, tile 2, offsets: expected cell 1/)
  })

  test('leaves out a field whose offsets cannot be read, and tells it', async () => {
    const array = new EditedArray(FIXTURE)
    const whole = await decoded(array)
    const { footer } = await (await array.fragment()).info()
    array.flip(array.find(/__fragment_metadata\.tdb$/), (footer?.tile_offsets_offsets[0] ?? 0) + 80)
    const { code, rows, stderr } = await decoded(array, '--keep-going')
    expect(code).toBe(1)
    expect(stderr).toMatch(/__fragment_metadata\.tdb: byte \d+, field a, /)
    const without = whole.rows.map((row) => row.replace(/"a":-?\d+,/, ''))
    expect(rows).toEqual(without)
  })

  test('says nothing of a healthy fragment', async () => {
    const array = new EditedArray(FIXTURE)
    const { code, rows, stderr } = await decoded(array, '--keep-going')
    expect({ code, rows, stderr }).toEqual({ ...(await decoded(array)), code: 0, stderr: '' })
  })
})

describe('tile --offset reads tiles of a fragment without its metadata', () => {
  const cases = fixtureFolders().filter(
    ({ kind, name }) =>
      kind === 'array' && /\/(?:sparse_basic|dense_basic|string_filters|encrypted|string_dim)$/.test(name),
  )
  test.each(turn(cases, 12).map((folder) => [folder.name, folder] as const))('%s', async (_, { name }) => {
    const array = new EditedArray(name)
    const [metadata] = [...array.files.keys()].filter((path) => path.endsWith('/__fragment_metadata.tdb'))
    const path = metadata.slice(0, metadata.lastIndexOf('/'))
    const fragment = await array.fragment(path)
    const info = await fragment.info()
    const env = { TILEDB_INSPECT_KEY: array.key }
    const without = new EditedArray(name)
    without.remove(metadata)
    for (const { name: file, slot, role } of await fragment.fieldFiles()) {
      if (role === 'metadata' || role === 'unknown') continue
      const tiles = await TileFile.open(
        fragment,
        slot,
        role === 'offsets' || role === 'var' || role === 'validity' ? role : 'data',
      )
      for (let tile = 0; tile < info.tile_num; tile++) {
        const { offset, size } = tiles.place(tile)
        const ran = await runJson(['tile', path, file, '--offset', String(offset)], { storage: without.storage(), env })
        expect(ran.stderr).toBe('')
        const [document] = ran.documents
        const known = await runJson(['tile', path, file, String(tile)], { storage: array.storage(), env })
        expect(get(document, 'size')).toBe(size)
        expect(items(get(document, 'chunks'))).toEqual(items(get(known.documents[0], 'chunks')))
      }
    }
  })

  test('says where no tile stands', async () => {
    const array = new EditedArray(FIXTURE)
    array.remove(array.find(/__fragment_metadata\.tdb$/))
    const folder = array.find(/a0\.tdb$/).replace('/a0.tdb', '')
    const args = ['tile', folder, 'a0.tdb', '--offset', '3']
    const { code, stderr } = await run(args, { storage: array.storage() })
    expect(code).toBe(1)
    expect(stderr).toMatch(/a0\.tdb: byte \d+, field chunks?/)
  })
})

describe('ls', () => {
  test('lists fragments beside a newest schema without dimensions, none of them overlapping', async () => {
    const array = new EditedArray('22/evolved_dense')
    const path =
      array
        .matching(/\/__schema\/__\d/)
        .sort()
        .at(-1) ?? ''
    const { payload } = await openGenericTile(array.get(path), contextFor(array), { file: path, offset: 0 })
    const schema = decode(payload, arraySchema)
    const none = { ...schema, attributes: [], current_domain: undefined, domain: { ...schema.domain, dimensions: [] } }
    array.files.set(path, genericTileBytes({ ...none, version: 21 }, arraySchema, 21))
    const { code, documents, stderr } = await runJson(['ls', EDITED], { storage: array.storage() })
    expect([code, stderr]).toEqual([1, expect.stringContaining('TileDB 2.30 does not open the array')])
    expect(get(documents[0], 'overlap_pair_num')).toBe(0)
    expect(items(get(documents[0], 'fragments')).length).toBeGreaterThan(1)
  })

  test('--range passes over fragments with fewer dimensions than a newest schema that is damaged', async () => {
    const array = new EditedArray('22/evolved_dense')
    const path =
      array
        .matching(/\/__schema\/__\d/)
        .sort()
        .at(-1) ?? ''
    const { payload } = await openGenericTile(array.get(path), contextFor(array), { file: path, offset: 0 })
    const schema = decode(payload, arraySchema)
    const [first] = schema.domain.dimensions
    const dimensions = [{ ...first, name: 'more' }, ...schema.domain.dimensions, { ...first, name: 'last' }]
    const more = { ...schema, version: 21, current_domain: undefined, domain: { ...schema.domain, dimensions } }
    array.files.set(path, genericTileBytes(more, arraySchema, 21))
    const ran = await runJson(['ls', EDITED, '--range', 'last=1..2'], { storage: array.storage() })
    expect(ran.stderr).not.toContain('fault of tiledb-inspect')
    expect(items(get(ran.documents[0], 'fragments'))).toEqual([])
  })
})
