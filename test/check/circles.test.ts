import { cpSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { groupDetails } from '../../src/format/group-details.ts'
import { localFiles } from '../../src/node/file.ts'
import { memberPath } from '../../src/objects/group.ts'
import type { Storage } from '../../src/storage/source.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { check } from './findings.ts'

const folder = temporaryFolder()

describe('groups that contain themselves', () => {
  /** check and verify-checksums visit the group only once, and find no damage. */
  async function agree(storage: Storage, path: string): Promise<void> {
    const checked = await run(['check', path, '--json'], { storage })
    expect(checked.code).toBe(0)
    expect(JSON.parse(checked.text)).toMatchObject({ ok: true, not_examined: [], counts: { fragment_num: 2 } })
    const verified = await run(['verify-checksums', path, '--json'], { storage })
    expect(verified).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(verified.text)).toMatchObject({
      ok: true,
      verdict: 'nothing-to-verify',
      fragment_num: 2,
      failures: [],
      not_examined: [],
    })
  }

  test('by name: check and verify-checksums end', async () => {
    const array = new EditedArray('22/group')
    await array.rewrite(array.find(/__group\//), groupDetails, ({ members }) => {
      for (const member of members) {
        if (member.type !== 'group') continue
        member.uri = `file://${EDITED}`
        member.relative = false
      }
    })
    const { findings } = await check(array.storage(), EDITED)
    expect(findings.filter(({ code }) => code === 'GROUP_CYCLE')).toHaveLength(1)
    await agree(array.storage(), EDITED)
    const overview = JSON.parse((await run(['overview', EDITED, '--json'], { storage: array.storage() })).text)
    expect(overview.findings).toMatchObject([{ code: 'GROUP_CYCLE', finding_num: 1 }])
    expect(overview.finding_num).toMatchObject({ error: 0, warning: 1 })
  })

  test('by a symbolic link: by longer and longer paths', async () => {
    const path = `${folder}/group`
    cpSync(`${FIXTURES}/22/group`, path, { recursive: true })
    rmSync(`${path}/sub`, { recursive: true })
    symlinkSync(path, `${path}/sub`)
    const { findings } = await check(localFiles, path)
    expect(findings.filter(({ code }) => code === 'GROUP_CYCLE')).toHaveLength(1)
    await agree(localFiles, path)
  })

  test('".." is followed on a disk, as TileDB does, and not over a network', async () => {
    expect(memberPath('/data/store/group', { relative: true, uri: '../side' })).toBe('/data/store/side')
    expect(memberPath('store/group', { relative: true, uri: '../../../side' })).toBe('../side')
    expect(memberPath('/data/group', { relative: false, uri: 'file:///data/other/../side' })).toBe('/data/side')
    expect(memberPath('s3://bucket/group', { relative: true, uri: '../side' })).toBeUndefined()
    expect(memberPath('s3://bucket/group', { relative: false, uri: 's3://bucket/group/../side' })).toBeUndefined()
    const array = new EditedArray('22/group')
    await array.rewrite(array.find(/__group\//), groupDetails, ({ members }) => {
      members[0].uri = '../../etc'
      members[0].relative = true
    })
    const { findings } = await check(array.storage(), EDITED)
    expect(findings).toMatchObject([
      { code: 'GROUP_MEMBER_MISSING', variant: 'elsewhere', found: '"../../etc", not there' },
    ])
  })
})
