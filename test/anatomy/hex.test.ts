import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { parsePath, pathText } from '../../src/anatomy/path.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

/** The path of the first fragment of a fixture. */
function fragmentOf(name: string): string {
  const array = `${FIXTURES}/${name}`
  const names = readdirSync(array)
  const inside = names.includes('__fragments') ? '/__fragments' : ''
  const fragment = readdirSync(`${array}${inside}`).find(
    (one) => one.startsWith('__') && !/^__(?:schema|array_schema|meta|lock)/.test(one),
  )
  return `${array}${inside}/${fragment}`
}

function commitOf(name: string, suffix: string): string {
  const folder = `${FIXTURES}/${name}/__commits`
  return `${folder}/${readdirSync(folder).find((one) => one.endsWith(suffix))}`
}

const SPARSE = fragmentOf('22/sparse_basic')

const VIEWS: readonly (readonly [string, readonly string[]])[] = [
  ['a tile with checksums', ['tile', SPARSE, 's', '0', '--role', 'var', '--hex']],
  ['a tile without compression', ['tile', fragmentOf('22/filter_none'), 'text', '0', '--hex']],
  ['a footer', ['footer', SPARSE, '--hex', '--depth', '2']],
  ['an R-tree', ['rtree', SPARSE, '--hex']],
  ['a schema', ['schema', `${FIXTURES}/22/sparse_basic`, '--hex']],
  ['a delete condition', ['dump', commitOf('22/deletes', '.del')]],
  ['consolidated commits', ['dump', commitOf('22/commits_consolidated', '.con')]],
  ['fragment metadata of version 2', ['dump', `${fragmentOf('2/sparse_basic')}/__fragment_metadata.tdb`]],
]

/** Makes paths relative to the project's folder, because their length decides where lines break. */
function fromHere(args: readonly string[]): string[] {
  return args.map((arg) => (arg.startsWith(FIXTURES) ? relative(process.cwd(), arg) : arg))
}

describe('annotated hex', () => {
  for (const [what, args] of VIEWS) {
    test.each([80, 132])(`of ${what} at %d columns`, async (columns) => {
      const ran = await run(fromHere(args), { columns, env: { NO_COLOR: '1' } })
      expect([ran.code, ran.stderr]).toEqual([0, ''])
      for (const line of ran.text.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(columns)
      expect(ran.text).toMatchSnapshot()
    })
  }

  test('tells the files of a group from those of an array', async () => {
    const typeOf = async (path: string) => {
      const folder = `${FIXTURES}/22/${path}`
      const name = path.endsWith('.tdb') ? '' : `/${readdirSync(folder)[0]}`
      return (await run(['dump', '--tree', '--depth', '0', `${folder}${name}`])).text
    }
    expect(await typeOf('group/__tiledb_group.tdb')).toContain('group marker, 0 bytes')
    expect(await typeOf('group/__meta')).toContain('group metadata, ')
    expect(await typeOf('metadata/__meta')).toContain('array metadata, ')
  })

  test('says of a uri whose it is', async () => {
    const details = `${FIXTURES}/22/group/__group/__1795261514262_1795261514262_3c1d4fee7e056d61f1111e92125cb335_2`
    const group = await run(['dump', '--tree', '--path', 'members[0].uri', details])
    expect(group.text).toContain('uri text: "sub", URI of the member\n')
    const schema = ['dump', '--tree', '--path', 'schema.dimension_labels[0].uri', `${FIXTURES}/22/dimension_labels`]
    expect((await run(schema)).text).toContain('uri text: "__labels/l0", URI of the array with the labels\n')
  })

  test('shows every byte once with --full', async () => {
    const path = `${SPARSE}/__fragment_metadata.tdb`
    const { text } = await run(['dump', path, '--full'], { columns: 80, env: { NO_COLOR: '1' } })
    const rows = text.split('\n').filter((line) => /^ [0-9a-f]{8} {2}/.test(line))
    const shown: number[] = []
    for (const row of rows) {
      const base = Number.parseInt(row.slice(1, 9), 16)
      const cells = row.slice(11, 60)
      for (let i = 0; i < 16; i++) {
        const byte = cells.slice(i * 3 + (i > 7 ? 1 : 0), i * 3 + (i > 7 ? 1 : 0) + 2)
        if (byte.trim() === '') continue
        expect(shown.length).toBe(base + i)
        shown.push(Number.parseInt(byte, 16))
      }
    }
    expect(Buffer.from(shown).equals(readFileSync(path))).toBe(true)
  })

  test('is the same without colour and in a pipe', async () => {
    const args = ['tile', SPARSE, 'a', '0', '--hex']
    const plain = await run(args)
    const coloured = await run([...args, '--color', 'always'])
    expect(coloured.text).not.toBe(plain.text)
    expect(stripVTControlCharacters(coloured.text)).toBe(plain.text)
  })

  test('goes no deeper than --depth, and stays inside --at', async () => {
    const path = `${SPARSE}/__fragment_metadata.tdb`
    const { text } = await run(['dump', path, '--depth', '1', '--tree'])
    expect(text).toMatch(/^ {2}rtree, generic tile/m)
    expect(text).not.toMatch(/header/)
    const ranged = await run(['dump', path, '--at', '0x40..0x4f'], { columns: 80, env: { NO_COLOR: '1' } })
    expect(ranged.text.match(/^ 000000[0-9a-f]{2} /gm)).toEqual([' 00000040 '])
  })
})

describe('dump --path', () => {
  test.each([
    ['footer.fields[0].file_size', 1116],
    ['footer.fields[1].file_var_size', 1008],
    ['footer.file_sizes[s]', 557],
    ['footer.fields[2].offsets.tile_offsets', 406],
    ['rtree.levels[1][2][x].min', 33],
    ['tile_offsets.a.values[1]', 187],
    ['tile_sums[a].value_num', 6],
  ])('%s is the field that documents name so', async (path, value) => {
    const { code, documents } = await runJson(['dump', SPARSE, '--path', path])
    expect(code).toBe(0)
    expect([get(documents[0], 'value')].flat()).toEqual([value])
  })

  test('of a schema goes through the generic tile', async () => {
    const { documents } = await runJson(['dump', `${FIXTURES}/22/sparse_basic`, '--path', 'schema.attributes[a].type'])
    expect(get(documents[0], 'value')).toBe('INT64')
    expect(get(documents[0], 'space')).toBe('unfiltered content of the generic tile at 0')
  })

  test.each(['a\nb', 'tab\t"q"', '\u0001', 'x.y[0]', '\\n', 'é', '\udc80', ''])('has %j where it is a name', (name) => {
    const text = pathText(['attributes', name, 'type'])
    expect(parsePath(text)).toEqual(['attributes', name, 'type'])
    expect(text).not.toMatch(/[\x00-\x1f]/)
  })

  test('takes names in quotes with any backslashes', () => {
    expect(parsePath('["a b\\x\\""].type')).toEqual(['a bx"', 'type'])
  })

  test('says what there is where a name is wrong', async () => {
    const { code, stderr } = await run(['dump', SPARSE, '--path', 'footer.file_size'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/expected below footer one of version, array_schema_name_length, .*, found "file_size"/)
  })
})

describe('a damaged file', () => {
  const temporary = temporaryFolder()

  function damaged(name: string, bytes: Uint8Array): string {
    const path = `${temporary}/${name}`
    writeFileSync(path, bytes)
    return path
  }

  /** Collects the invalid nodes of a dump. */
  function* wrong(node: Json | undefined): Generator<Json | undefined> {
    if (get(node, 'verdict') === 'invalid' || get(node, 'error') !== undefined) yield node
    for (const child of [get(node, 'children') ?? []].flat()) yield* wrong(child)
  }

  const schema = `${FIXTURES}/22/sparse_basic/__schema`
  const schemaFile = `${schema}/${readdirSync(schema).find((name) => name.startsWith('__1'))}`

  test('is shown up to where it ends', async () => {
    const path = damaged('__array_schema.tdb', readFileSync(schemaFile).subarray(0, 150))
    const { code, stderr, text } = await run(['dump', path])
    expect(code).toBe(1)
    expect(stderr).toMatch(/expected 230 bytes of tile, found 98/)
    expect(text).toMatch(/persisted_size uint64: 230 bytes, .* \(invalid\)/)
    const { documents } = await runJson(['dump', path])
    expect(Array.from(wrong(documents[0])).length).toBeGreaterThan(0)
  })

  test('is shown with the field that cannot be', async () => {
    const bytes = Uint8Array.from(readFileSync(schemaFile))
    bytes[29] = 0xee
    const { code, text } = await run(['dump', damaged('__array_schema.tdb', bytes)])
    expect(code).toBe(1)
    expect(text).toMatch(/encryption_type, uint8, 1 byte \(invalid\)/)
    expect(text).toMatch(/unreadable: .*expected an encryption type/)
  })

  test('with a checksum that does not fit has it called invalid in its place', async () => {
    const array = `${temporary}/filter_sha256`
    cpSync(`${FIXTURES}/22/filter_sha256`, array, { recursive: true })
    const path = `${fragmentOf('22/filter_sha256').replace(`${FIXTURES}/22/filter_sha256`, array)}/a0.tdb`
    const bytes = Uint8Array.from(readFileSync(path))
    const { documents } = await runJson(['dump', path, '--path', 'tiles[0].chunks[0].data'])
    bytes[Number(get(documents[0], 'offset')) + 1] ^= 4
    writeFileSync(path, bytes)
    const ran = await run(['dump', path])
    expect(ran.code).toBe(1)
    expect(ran.text).toMatch(/digest bytes: .*found [0-9a-f]{64} \(invalid\)/)
    expect(ran.stderr).toMatch(/CHECKSUM_SHA256.*expected [0-9a-f]{64}, found [0-9a-f]{64}/)
  })

  test('of random bytes is a gap to the end, whatever its name', async () => {
    for (const name of ['__array_schema.tdb', 'x.con', 'x.del', 'x.meta', 'x.vac', 'y.tdb']) {
      const path = damaged(
        name,
        Uint8Array.from({ length: 333 }, (_, i) => (i * 89 + 7) & 0xff),
      )
      const { code, documents } = await runJson(['dump', path])
      // Sets the version 3, which no release has.
      expect([0, 1, 3]).toContain(code)
      expect(get(documents[0], 'length')).toBe(333)
    }
  })

  test('without its key still shows its headers and says what is missing', async () => {
    const encrypted = fragmentOf('22/encrypted')
    const { code, stderr, text } = await run(['dump', `${FIXTURES}/22/encrypted`])
    expect(encrypted).toMatch(/encrypted/)
    expect(code).toBe(3)
    expect(stderr).toMatch(/key/)
    expect(text).toMatch(/encryption_type uint8: AES_256_GCM \(1\)/)
  })
})
