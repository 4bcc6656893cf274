import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()

test('ls names what is in __fragments and is no fragment, and lists no more folders for it', async () => {
  const array = `${folder}/array`
  cpSync(`${FIXTURES}/22/dense_basic`, array, { recursive: true })
  const lists: string[] = []
  const storage = {
    kind: (path: string) => localFiles.kind(path),
    open: (path: string) => localFiles.open(path),
    list: (path: string) => {
      lists.push(path)
      return localFiles.list(path)
    },
  }
  const listed = async (): Promise<[text: string, lists: number]> => {
    lists.length = 0
    return [(await run(['ls', array], { storage })).text, lists.length]
  }
  const [before, num] = await listed()
  expect(before).not.toContain('no fragments:')
  expect(get((await runJson(['ls', array])).documents[0], 'foreign_entries')).toBeUndefined()

  writeFileSync(`${array}/__fragments/junk.tmp`, 'x')
  writeFileSync(`${array}/__fragments/__1_$folder$`, '')
  mkdirSync(`${array}/__fragments/backup`)
  const [after, numAfter] = await listed()
  expect(after).toContain('\nin __fragments, but no fragments: backup, junk.tmp; check says more\n')
  expect(numAfter).toBe(num)
  expect(get((await runJson(['ls', array])).documents[0], 'foreign_entries')).toEqual(['backup', 'junk.tmp'])
  // It names what check does.
  const { text } = await run(['check', array])
  for (const name of ['backup', 'junk.tmp']) expect(text).toContain(name)
})
