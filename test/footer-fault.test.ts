import { describe, expect, test } from '@jest/globals'
import { ERROR_CODES, InspectError } from '../src/base/errors.ts'
import { METADATA } from '../src/damage/damage.ts'
import { footerHead, fragmentFooter } from '../src/format/fragment-footer.ts'
import { decodePrefix, trace } from '../src/format/io.ts'
import type { FragmentInfo } from '../src/objects/fragment.ts'
import { check, shown } from './check/findings.ts'
import { EDITED, EditedArray } from './helpers/edit-array.ts'
import { openEdited } from './helpers/open-edited.ts'

/** One sparse and one dense fragment of each version with a footer. */
const FIXTURES = [
  ...[3, 4, 5, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22].flatMap((version) => [
    `${version}/sparse_basic`,
    ...([4, 5, 9, 12, 22].includes(version) ? [`${version}/dense_basic`] : []),
  ]),
  '6/sparse_basic',
  '8/sparse_basic',
  '8/string_dim',
  '22/string_dim',
]

interface Opened {
  array: EditedArray
  /** Path of the first metadata file. */
  file: string
  whole: Uint8Array
  info: FragmentInfo & { footer: NonNullable<FragmentInfo['footer']> }
}

async function opened(name: string): Promise<Opened> {
  const array = new EditedArray(name)
  const file = [...array.files.keys()].filter((path) => METADATA.test(path)).sort()[0]
  const info = await read(array, file)
  if (info instanceof InspectError || !info.footer) throw new Error(`no footer in ${name}`)
  return { array, file, whole: array.get(file), info: { ...info, footer: info.footer } }
}

/** Path of a metadata file's folder in the array. */
function folderIn(file: string): string {
  return file.slice(EDITED.length + 1, file.lastIndexOf('/'))
}

/** The fragment's footer, or the error. */
async function read(array: EditedArray, file: string): Promise<FragmentInfo | InspectError> {
  const fragment = (await openEdited(array)).fragment(folderIn(file))
  try {
    return await fragment.info()
  } catch (error) {
    if (error instanceof InspectError) return error
    throw error
  }
}

function fault(found: FragmentInfo | InspectError): InspectError {
  if (found instanceof InspectError) return found
  throw new Error('read without a fault')
}

describe('metadata that was cut short is reported as such', () => {
  test.each(FIXTURES)('%s', async (name) => {
    const { array, file, whole, info } = await opened(name)
    const { offset, size } = info.footer
    const ends = [1, 4, 8, 9, 12, 16, 40].map((less) => whole.length - less)
    const inFooter = [offset + size, offset + size - 8, offset + Math.floor(size / 2), offset + 3, offset]
    const inSections = [offset - 1, offset - 40, Math.floor(offset / 2), Math.floor(offset / 3), 100, 34, 20, 1, 0]
    for (const length of new Set([...ends, ...inFooter, ...inSections])) {
      if (length < 0 || length >= whole.length) continue
      array.files.set(file, whole.slice(0, length))
      const { code, message } = fault(await read(array, file))
      expect([length, code, message]).toEqual([length, 'TRUNCATED', expect.stringMatching(/cut short|it was cut/)])
      expect(message).not.toMatch(/expected format version|disagree/)
      // If more than half of the footer is left, it tells its length.
      if (length > offset + size / 2) expect(message).toContain(`expected ${whole.length} bytes`)
    }
  })

  test.each(['sections', 'footer'])(
    'the copy in consolidated metadata tells the length: cut in the %s',
    async (where) => {
      const { array, file, whole, info } = await opened('22/fragment_metadata_consolidated')
      const { offset } = info.footer
      array.files.set(file, whole.slice(0, where === 'sections' ? offset - 10 : offset + 2))
      const fragment = (await openEdited(array)).fragment(folderIn(file))
      const found = await fragment.info()
      expect({ ...found.footer, offset: 0 }).toEqual({ ...info.footer, offset: 0 })
      expect(fragment.ownFooterFault?.message).toContain(`expected ${whole.length} bytes, by the copy of its footer`)
    },
  )

  // TileDB 2.30 never looks at a footer that has a copy: 50 random damages of one, three reads each, all as TileDB reads them.
  test('a footer is read from its copy, unless it is asked for as it is stored', async () => {
    const { array, file, whole, info } = await opened('22/fragment_metadata_consolidated')
    const { offset, size } = info.footer
    const { root } = trace(whole.subarray(offset, offset + size), fragmentFooter(info.schema), 'footer', { offset })
    const field = root.children?.find((span) => span.name === 'last_tile_cell_num')
    const changed = whole.slice()
    changed[field?.offset ?? 0] ^= 1
    array.files.set(file, changed)
    const around = await openEdited(array)
    await around.fragments()
    expect((await around.fragment(folderIn(file)).info()).footer).toEqual(info.footer)
    const own = (await around.fragment(folderIn(file)).asStored().info()).footer
    expect(own?.last_tile_cell_num).toBe(BigInt(info.footer.last_tile_cell_num) ^ 1n)
  })
})

describe('metadata that was overwritten is reported as such', () => {
  const at = (bytes: Uint8Array, offset: number, content: readonly number[]): Uint8Array => {
    const out = bytes.slice()
    out.set(content, offset)
    return out
  }
  test.each(FIXTURES)('%s', async (name) => {
    const { array, file, whole, info } = await opened(name)
    const { offset } = info.footer
    const changes: [string, Uint8Array, RegExp][] = [
      ['version', at(whole, offset, [0xef, 0xbe, 0xad, 0x7e]), /which does not exist: the footer was overwritten/],
      ['version 0', at(whole, offset, [0, 0, 0, 0]), /does not exist: the footer was overwritten/],
      ['all', new Uint8Array(whole.length), /overwritten/],
    ]
    if (offset + info.footer.size < whole.length) {
      const end = Array.from({ length: 8 }, () => 0x11)
      changes.push(['length', at(whole, whole.length - 8, end), /the end of the file was overwritten/])
    }
    for (const [what, bytes, expected] of changes) {
      array.files.set(file, bytes)
      const { code, message } = fault(await read(array, file))
      expect([what, ERROR_CODES[code], message]).toEqual([what, 1, expect.stringMatching(expected)])
    }
    array.files.set(file, new Uint8Array([...whole, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
    expect(fault(await read(array, file)).message).toMatch(/bytes were added after/)
  })

  test.each(FIXTURES)('%s: a wrong value is no cut, if the length of the footer is right', async (name) => {
    const { array, file, whole, info } = await opened(name)
    const { offset, size } = info.footer
    if (offset + size === whole.length) return
    const wrong = offset + decodePrefix(whole.subarray(offset), footerHead).length - 1
    array.files.set(file, at(whole, wrong, [0xff]))
    const { code, message, at: place } = fault(await read(array, file))
    expect([code, message]).toEqual(['BAD_VALUE', 'expected 0 or 1, found 255: the footer was overwritten'])
    expect(place).toMatchObject({ offset: wrong, field: 'footer.null_nonempty_domain' })
  })

  test.each(FIXTURES)('%s: a wrong offset or size above 2^53 is passed over, as TileDB does', async (name) => {
    const { array, file, whole, info } = await opened(name)
    const { offset, size } = info.footer
    const bytes = whole.slice()
    const { root } = trace(whole.subarray(offset, offset + size), fragmentFooter(info.schema), 'footer', { offset })
    const large = ['file_sizes', 'rtree_offset', 'tile_offsets_offsets', ...(info.dense ? ['sparse_tile_num'] : [])]
    for (const span of root.children ?? [])
      if (large.includes(span.name)) bytes.fill(0xff, span.offset, span.offset + 8)
    array.files.set(file, bytes)
    expect(await read(array, file)).toMatchObject({
      tile_num: info.tile_num,
      nonempty_domain: info.nonempty_domain,
      file_var_sizes: info.file_var_sizes,
      footer: { rtree_offset: 2 ** 64, slack: info.footer.slack },
    })
  })

  test('a version that has the footer elsewhere contradicts the name; another version is read', async () => {
    const { array, file, whole, info } = await opened('22/sparse_basic')
    array.files.set(file, at(whole, info.footer.offset, [9, 0, 0, 0]))
    expect(fault(await read(array, file))).toMatchObject({ code: 'INCONSISTENT', at: { field: 'version' } })
    array.files.set(file, at(whole, info.footer.offset, [21, 0, 0, 0]))
    expect(await read(array, file)).toMatchObject({ format_version: 21 })
  })

  test('check reports it, too', async () => {
    const { array, file, whole } = await opened('22/sparse_basic')
    array.files.set(file, whole.slice(0, whole.length - 40))
    const { findings } = await check(array.storage(), EDITED)
    expect(shown(findings)).toEqual([expect.stringMatching(/error FOOTER_UNREADABLE .*expected 9102 bytes.*cut short/)])
  })
})
