import { cpSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { groupDetails } from '../../src/format/group-details.ts'
import { localStorage } from '../../src/source/file.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { check } from './findings.ts'

const folder = temporaryFolder()

describe('groups that contain themselves', () => {
  test('by name: check and verify-checksums end, and say so', async () => {
    const array = new EditedArray('22/group')
    await array.rewrite(array.find(/__group\//), groupDetails, ({ members }) => {
      for (const member of members) {
        if (member.type !== 'group') continue
        member.uri = `file://${EDITED}`
        member.relative = false
      }
    })
    const { code, stderr } = await run(['verify-checksums', EDITED], { storage: array.storage() })
    expect(code).toBe(1)
    expect(stderr).toMatch(/expected a group below this one/)
  })

  test('by a symbolic link: by longer and longer paths', async () => {
    const path = `${folder}/group`
    cpSync(`${FIXTURES}/22/group`, path, { recursive: true })
    rmSync(`${path}/sub`, { recursive: true })
    symlinkSync(path, `${path}/sub`)
    const { findings } = await check(localStorage, path)
    expect(findings.filter(({ code }) => code === 'GROUP_CYCLE')).toHaveLength(1)
    expect((await run(['verify-checksums', path])).code).toBe(1)
  })

  test('members outside of the group are not followed by ".."', async () => {
    const array = new EditedArray('22/group')
    await array.rewrite(array.find(/__group\//), groupDetails, ({ members }) => {
      members[0].uri = '../../etc'
      members[0].relative = true
    })
    const { notExamined } = await check(array.storage(), EDITED)
    expect(notExamined.map(({ message }) => message)).toEqual(['member "../../etc" is not below the group'])
  })
})
