import { expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { labelText, pictureLabels } from '../../src/page/picture/labels.ts'
import { openAt } from '../../src/read/opening.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor } from '../helpers/fixtures.ts'

async function opened(path: string) {
  return openAt(new InspectArray(new Folder(localFiles, path), contextFor({ key: undefined })))
}

test('a picture has the labels of enumerations; between two of them, a scale has no words', async () => {
  const labels = await pictureLabels(await opened('examples/gallery/island'))
  expect([...labels.keys()]).toEqual(['cover'])
  const text = (name: string, value: number) => labelText({ labels }, { name }, value)
  expect([text('cover', 0), text('cover', 7), text('cover', 99)]).toEqual(['sea', 'lava', '99'])
  expect([text('cover', 0.5), text('elevation', 7)]).toEqual(['', undefined])
  expect(labelText({ labels }, undefined, 7)).toBeUndefined()
})
