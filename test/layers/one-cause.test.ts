import { resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { NO_BYTES } from '../../src/base/bytes.ts'
import { localFiles } from '../../src/node/file.ts'
import { withFile } from '../../src/storage/overlay.ts'
import { runJson } from '../helpers/run.ts'

const BLOOD = resolve('examples/arrays/blood')

/** The path of the oldest file in a folder of the dataset. */
async function fileIn(folder: string): Promise<string> {
  const entries = await localFiles.list(`${BLOOD}/${folder}`)
  return `${BLOOD}/${folder}/${entries[0]?.name}`
}

test.each([
  ['obs/__fragments', '/__fragment_metadata.tdb', 'FOOTER_UNREADABLE'],
  ['obs/__schema', '', 'SCHEMA_UNREADABLE'],
  ['obs/__meta', '', 'METADATA_UNREADABLE'],
  ['ms/RNA/__meta', '', 'METADATA_UNREADABLE'],
])('an empty file of %s is one finding, not one more for each array beside it', async (folder, file, code) => {
  const storage = withFile(localFiles, (await fileIn(folder)) + file, NO_BYTES)
  const { documents } = await runJson(['check', BLOOD, '--level', 'cells'], { storage })
  expect(documents[0]).toMatchObject({ findings: [{ code }] })
})
