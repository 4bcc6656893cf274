import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FINDING_CODES, type FindingCode, needsAll, needsCells } from '../../src/check/codes.ts'
import type { Finding } from '../../src/check/finding.ts'
import { DAMAGES } from '../../src/damage/damages.ts'
import type { EditableArray } from '../../src/damage/editable-array.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'
import { keyOf, PLACES, whole } from './damage.ts'
import { check, shown } from './findings.ts'

const folder = temporaryFolder()

const CODES = Object.keys(FINDING_CODES) as FindingCode[]

const PLACE = ['offset', 'field', 'tile', 'chunk', 'cell'] as const

/** The findings with the code of a damage, at the expected place if one is listed. */
function ofDamage(code: FindingCode, findings: readonly Finding[]): readonly Finding[] {
  const place = PLACES[code]
  return findings.filter(
    (finding) =>
      finding.code === code &&
      finding.severity === FINDING_CODES[code].severity &&
      (!place || place.file.test(finding.file)) &&
      PLACE.every((key) => place?.[key] === undefined || finding[key] === place[key]),
  )
}

describe('planted damage is found, with its code and its place', () => {
  // Every run tries every code, because no other test fails if a check finds nothing.
  test.each(CODES.map((code) => [code, DAMAGES[code].name] as const))('%s: %s', async (code) => {
    const array = await planted(code)
    const level = needsCells(code) ? 'cells' : 'chunks'
    const { findings } = await check(array.storage(), EDITED, { key: keyOf(array), level, all: needsAll(code) })
    const found = ofDamage(code, findings)
    if (found.length === 0) expect(shown(findings)).toEqual([`${code} ${PLACES[code]?.file}`])
    if (PLACES[code]) return
    const file = found[0].file.replaceAll(/[0-9a-f]{32}/g, 'UUID')
    expect({ file, ...Object.fromEntries(PLACE.map((key) => [key, found[0][key]])) }).toMatchSnapshot()
  })
})

describe('it is not found before, at all levels after, and only with --level cells if it is in the cells', () => {
  test.each(shortTurn(CODES, 8))('%s', async (code) => {
    const array = await whole(code)
    const [key, all] = [keyOf(array), needsAll(code)]
    const before = await check(array.storage(), EDITED, { key, all })
    expect(
      shown(
        before.findings.filter((finding) => finding.code === code && finding.severity === FINDING_CODES[code].severity),
      ),
    ).toEqual([])
    await DAMAGES[code].plant(array)
    const { findings } = await check(array.storage(), EDITED, { key, all })
    // No field of the fixtures has a space in its name.
    expect(findings.filter(({ field }) => field?.includes(' '))).toEqual([])
    expect(ofDamage(code, findings)).not.toEqual([])
    const { findings: ofChunks } = await check(array.storage(), EDITED, { key, all, level: 'chunks' })
    expect(!ofChunks.some((finding) => finding.code === code)).toBe(needsCells(code))
  })
})

async function planted(code: FindingCode): Promise<EditableArray> {
  const array = await whole(code)
  await DAMAGES[code].plant(array)
  return array
}

test('a line of check has tile and cell beside the name of the field', async () => {
  const array = await planted('CELL_VALIDITY')
  const { text } = await run(['check', '--level', 'cells', EDITED], { storage: array.storage() })
  expect(text).toMatch(/^warning CELL_VALIDITY \S+: tile 1 at byte 54, cell 1, field n$/m)
})

test('at says of a finding in the cells that only check --level cells has it, though the code is of the footer, too', async () => {
  const [array, data] = [`${folder}/padding`, `${folder}/padding.ndjson`]
  writeFileSync(data, '{"x":1,"a":5}\n{"x":2,"a":6}\n')
  const shape = ['--dense', '--dim', 'x:INT32:1..8:4', '--attr', 'a:INT32', '--filters', '', '--data', data]
  expect((await run(['write-sample', array, ...shape])).code).toBe(0)
  const [name] = fragmentNames(array)
  const file = `${array}/__fragments/${name}/a0.tdb`
  const { text } = await run(['at', file, '30'])
  expect(text).toMatch(/ noticed by +NONEMPTY_DOMAIN \(check --level cells\)\ncheck --level cells +NONEMPTY_DOMAIN\n$/)
  const bytes = readFileSync(file)
  bytes[30] ^= 1
  writeFileSync(file, bytes)
  expect((await run(['check', array])).code).toBe(0)
  const cells = await run(['check', '--level', 'cells', array])
  expect(cells.text).toMatch(/^error NONEMPTY_DOMAIN \S+: tile 0 at byte 0, cell 2, field a$/m)
})

test('an error about a tile does not give the tile as a field', async () => {
  const array = await planted('TILE_OFFSETS_ORDER')
  const { stderr } = await run(['decode', array.fragmentPath()], { storage: array.storage() })
  expect(stderr).toMatch(/: field a, tile 1: expected tile 1 to end after its start 187, found its end at 1$/m)
})
