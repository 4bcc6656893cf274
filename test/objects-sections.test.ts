import { expect, test } from '@jest/globals'
import { localFiles } from '../src/node/file.ts'
import { InspectArray } from '../src/objects/array.ts'
import { filePipeline } from '../src/objects/fragment.ts'
import { Folder } from '../src/storage/source.ts'
import { contextFor, FIXTURES } from './helpers/fixtures.ts'
import { fragmentNames } from './helpers/fragments.ts'

test('the end of a section is the next start, found in a few steps', async () => {
  const array = new InspectArray(new Folder(localFiles, `${FIXTURES}/22/sparse_basic`), contextFor({ key: undefined }))
  const [name] = fragmentNames(array.folder.path)
  await array.withFragment(`__fragments/${name}`, async (fragment) => {
    const end = (await fragment.info()).footer?.offset ?? 0
    const starts = Array.from({ length: end }, (_, i) => i * 2).filter((start) => start < end)
    let looks = 0
    const counted = new Proxy(starts, {
      get(target, key) {
        looks++
        return Reflect.get(target, key)
      },
    })
    fragment.metadataOffsets = async () => counted
    const ends = []
    for (const start of [0, 1, 10, starts.length, starts.at(-1) ?? 0]) ends.push(await fragment.sectionEnd(start, 'x'))
    expect(ends).toEqual([2, 2, 12, starts.length + 2 - (starts.length % 2), end])
    expect(looks).toBeLessThan(5 * 20)
    expect(starts.length).toBeGreaterThan(500)
  })
})

test.each([false, true])(
  'the fragments of a schema share the list of a file’s filters (encrypted: %s)',
  async (encrypted) => {
    const array = new InspectArray(
      new Folder(localFiles, `${FIXTURES}/22/sparse_basic`),
      contextFor({ key: undefined }),
    )
    const [name] = fragmentNames(array.folder.path)
    await array.withFragment(`__fragments/${name}`, async (fragment) => {
      const info = await fragment.info()
      const lists = [0, 1].map(() => filePipeline(info, { slot: 0, role: 'data' }, encrypted))
      expect(lists[0]).toBe(lists[1])
      expect(lists[0]?.some((filter) => filter.name === 'AES_256_GCM')).toBe(encrypted)
    })
  },
)
