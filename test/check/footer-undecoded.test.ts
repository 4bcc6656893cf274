import { expect, test } from '@jest/globals'
import { footerFindings } from '../../src/check/footer.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'

test('the footer of a sparse fragment is checked without decoding all of it', async () => {
  const array = new InspectArray(new Folder(localFiles, `${FIXTURES}/22/sparse_basic`), contextFor({ key: undefined }))
  const [entry] = await array.fragments()
  const fragment = array.fragment(entry.path)
  const info = await fragment.info()
  await fragment.close()
  const decodes = { get: () => expect(info.dense).toBe(true) }
  const found = (changes: PropertyDescriptorMap) => [
    ...footerFindings(Object.create(info, { footer: decodes, ...changes }), fragment, 'f'),
  ]
  expect(found({})).toEqual([])
  expect(found({ footer_slack: { value: 3 }, file_var_sizes: { value: Float64Array.of(7) } })).toMatchObject([
    { code: 'FOOTER_SLACK', offset: info.footer_span?.offset, found: '3' },
    { code: 'FOOTER_FILE_SIZE', field: `file_var_sizes.${info.slots[0].name}`, found: '7' },
  ])
})
