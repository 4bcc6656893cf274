import { cpSync, mkdirSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { finding } from '../../src/check/finding.ts'
import { groupPlans } from '../../src/mend/group-plan.ts'
import { Shell } from '../../src/mend/shell.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectGroup, type Member } from '../../src/objects/group.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()

test('a plan for many missing members looks at each a few times', async () => {
  let looks = 0
  const member = (i: number): Member => ({
    version: 2,
    type: 'array',
    relative: true,
    get uri() {
      return this.name ?? ''
    },
    get name() {
      looks++
      return `m${i}`
    },
    deleted: false,
    implicit: false,
  })
  const group = new InspectGroup(new Folder(localFiles, folder), contextFor({ key: undefined }))
  const members = Array.from({ length: 1000 }, (_, i) => member(i))
  group.members = async () => members
  const findings = members.map((_, i) =>
    finding('GROUP_MEMBER_MISSING', { file: folder, field: `members.m${i}` }, 'an array', `"m${i}", not there`),
  )
  const [{ steps, finding_num }] = await groupPlans(group, new Shell('g', 'g.aside'), findings, async () => false)
  expect([finding_num, steps.length]).toEqual([1000, 1001])
  expect(looks).toBeLessThan(5000)
})

test('a plan for many fragments lists the folder around them a few times', async () => {
  const lists = async (num: number): Promise<number> => {
    const array = `${folder}/${num}`
    cpSync(`${FIXTURES}/22/sparse_basic`, array, { recursive: true })
    const [name] = fragmentNames(array)
    for (let i = 0; i < num; i++)
      cpSync(
        `${array}/__fragments/${name}`,
        `${array}/__fragments/${name.replace(/^__\d+_\d+/, `__${100 + i}_${100 + i}`)}`,
        {
          recursive: true,
        },
      )
    mkdirSync(`${array}/__fragments/stray`)
    let listed = 0
    const list = async (path: string) => {
      if (path.endsWith('/__fragments')) listed++
      return localFiles.list(path)
    }
    const { code, text } = await run(['check', '--plan', '--all', array], { storage: { ...localFiles, list } })
    expect([code, text.split('aside').length > num]).toEqual([0, true])
    return listed
  }
  expect(await lists(20)).toBe(await lists(5))
})
