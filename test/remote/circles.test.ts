import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { Folder, type Storage } from '../../src/storage/source.ts'
import { filesBelow } from '../../src/storage/walk.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { serveFolder } from '../helpers/http-server.ts'
import { get, parseJson } from '../helpers/json.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()
const server = await serveFolder(folder, { index: true })
const ARRAY = `${FIXTURES}/22/sparse_basic`

async function otherSize(place: string): Promise<{ code: number; size: unknown; stderr: string }> {
  const { code, text, stderr } = await run(['stats', place, '--json'])
  return { code, size: get(parseJson(text), 'other_size'), stderr }
}

test('a walk ends on a web server with links in a circle, and stats says where it stopped', async () => {
  cpSync(ARRAY, `${folder}/circle`, { recursive: true })
  mkdirSync(`${folder}/circle/__labels`)
  for (const name of ['u1', 'u2', 'u3']) symlinkSync('..', `${folder}/circle/__labels/${name}`)
  const { code, stderr } = await otherSize(`${server.url}/circle`)
  expect(code).toBe(0)
  expect(stderr).toMatch(
    /^note: .*counted down to a depth of 4 folders.* such as __labels\/u1\/__labels\/u1\/__\w+, are left out\..*more than once\n$/,
  )
  expect(server.requests.length).toBeLessThan(300)
  for (const args of [['ls'], ['check', '--level', 'cells'], ['commits'], ['schema', '--all']])
    expect((await run([args[0], `${server.url}/circle`, ...args.slice(1)])).code).toBe(0)
})

test('all folders of TileDB are counted, as on a disk', async () => {
  cpSync(ARRAY, `${folder}/labels`, { recursive: true })
  cpSync(ARRAY, `${folder}/labels/__labels/l0`, { recursive: true })
  const remote = await otherSize(`${server.url}/labels`)
  expect(remote).toEqual(await otherSize(`${folder}/labels`))
  expect(remote.stderr).toBe('')
})

test('on a disk folders may be of any depth', async () => {
  const deep = `${folder}/labels/notes/2024/05/01/morning/first`
  const before = await otherSize(`${folder}/labels`)
  mkdirSync(deep, { recursive: true })
  writeFileSync(`${deep}/note.txt`, 'twelve bytes')
  const after = await otherSize(`${folder}/labels`)
  expect(after).toEqual({ code: 0, size: Number(before.size) + 12, stderr: '' })
})

test('a walk through endless folders stops', async () => {
  const endless: Storage = {
    kind: async () => 'folder',
    list: async () => [
      { name: 'a', kind: 'folder' },
      { name: 'b', kind: 'folder' },
      { name: 'file', kind: 'file' },
    ],
    open() {
      throw new TypeError('nothing is read')
    },
    isRemote: () => true,
    mayNotList: () => true,
  }
  let files = 0
  for await (const { entry } of filesBelow(new Folder(endless, 'http://server/array'), () => true))
    if (entry.name === 'file') files++
  // the top, and 2, 4, 8 and 16 folders
  expect(files).toBe(31)
})
