import { describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { turnOfFamilies } from '../helpers/turn.ts'
import { check, serious, shown } from './findings.ts'

describe('an array that TileDB wrote has no error and no warning', () => {
  const some = turnOfFamilies(fixtureFolders(), 8, versionOf)
  test.each(some.map((folder) => [folder.name, folder] as const))('%s', async (_, { path, key }) => {
    const { findings, notExamined } = await check(localFiles, path, { key, all: true })
    // TileDB writes this, and then fails to consolidate the commits once more.
    const others = findings.filter(({ code }) => code !== 'DELETE_CONDITION_FILE')
    expect(shown(serious(others))).toEqual([])
    expect(notExamined).toEqual([])
  })
})
