import { describe, expect, test } from '@jest/globals'
import { FINDING_CODES } from '../../src/check/codes.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { DAMAGES } from './damage.ts'
import { check, shown } from './findings.ts'

describe('planted damage is found, with its code and its place', () => {
  test.each(DAMAGES.map((damage) => [damage.code, damage.name, damage] as const))('%s: %s', async (code, _, damage) => {
    const array = new EditedArray(damage.fixture)
    const before = await check(array.storage(), EDITED, { key: array.key })
    expect(
      shown(before.findings.filter((finding) => finding.code === code && finding.severity === FINDING_CODES[code][0])),
    ).toEqual([])
    await damage.plant(array)
    const { findings } = await check(array.storage(), EDITED, { key: array.key })
    const found = findings.filter(
      (finding) =>
        finding.code === code &&
        finding.severity === FINDING_CODES[code][0] &&
        damage.file.test(finding.file) &&
        (['offset', 'field', 'tile', 'chunk'] as const).every(
          (key) => damage[key] === undefined || finding[key] === damage[key],
        ),
    )
    if (found.length === 0) expect(shown(findings)).toEqual([`${code} ${damage.file}`])
  })

  test('every code is planted', () => {
    const planted = new Set(DAMAGES.map(({ code }) => code as string))
    expect(Object.keys(FINDING_CODES).filter((code) => !planted.has(code))).toEqual([])
  })
})
