import { describe, expect, test } from '@jest/globals'
import { CELL_CODES, FINDING_CODES, type FindingCode } from '../../src/check/codes.ts'
import { DAMAGES } from '../../src/damage/damages.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { shortTurn } from '../helpers/turn.ts'
import { PLACES } from './damage.ts'
import { check, shown } from './findings.ts'

const CODES = Object.keys(FINDING_CODES) as FindingCode[]

describe('planted damage is found, with its code and its place', () => {
  test.each(shortTurn(CODES, 3).map((code) => [code, DAMAGES[code].name] as const))('%s: %s', async (code) => {
    const place = PLACES[code]
    const array = new EditedArray(place.fixture)
    const before = await check(array.storage(), EDITED, { key: array.key })
    expect(
      shown(before.findings.filter((finding) => finding.code === code && finding.severity === FINDING_CODES[code][0])),
    ).toEqual([])
    await DAMAGES[code].plant(array)
    const { findings } = await check(array.storage(), EDITED, { key: array.key })
    const found = findings.filter(
      (finding) =>
        finding.code === code &&
        finding.severity === FINDING_CODES[code][0] &&
        place.file.test(finding.file) &&
        (['offset', 'field', 'tile', 'chunk'] as const).every(
          (key) => place[key] === undefined || finding[key] === place[key],
        ),
    )
    if (found.length === 0) expect(shown(findings)).toEqual([`${code} ${place.file}`])
    const { findings: ofChunks } = await check(array.storage(), EDITED, { key: array.key, level: 'chunks' })
    const needsCells = !ofChunks.some((finding) => finding.code === code)
    expect(needsCells).toBe(CELL_CODES.has(code))
  })
})
