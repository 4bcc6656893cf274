import { describe, expect, test } from '@jest/globals'
import { FINDING_CODES, type FindingCode } from '../../src/check/codes.ts'
import { DAMAGES } from '../../src/damage/damages.ts'
import { type Way, wayOfCode } from '../../src/mend/ways.ts'
import { BY_PROGRAM, codesOf, planFolder, planOf } from '../helpers/plan.ts'
import { run } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

const { folder, mendAndUndo } = planFolder()
const CODES = Object.keys(FINDING_CODES) as FindingCode[]
/** Ways whose steps need TileDB: test/tiledb/plan.py runs those. Ways without steps. */
const NOT_RUN: readonly Way[] = ['members', 'schema', 'copy', 'leave', ...BY_PROGRAM]
/** Damage that only a copy mends although others of its code can be mended; that which needs Python. */
const ONLY_COPY: readonly FindingCode[] = ['SCHEMA_UNREADABLE', 'COORDINATE_DUPLICATE', 'SCHEMA_FILTER_OPTIONS']
const MENDED = CODES.filter((code) => !NOT_RUN.includes(wayOfCode(code)) && !ONLY_COPY.includes(code))
// Its schema is written anew without a change, which needs no Python.
if (BY_PROGRAM.length === 0) MENDED.push('GENERIC_TILE_HEADER')

describe('the printed steps mend the damage, and the back steps undo them byte for byte', () => {
  test.each(shortTurn(MENDED, 12))('%s', async (code) => {
    const path = `${folder}/it's a ${code}`
    await run(['write-sample', path, '--damage', code])
    expect(await codesOf(path)).toContain(code)
    expect(await mendAndUndo(path)).toEqual([])
  })

  test('are all codes that a shell can mend', () => {
    expect(MENDED.length).toBeGreaterThanOrEqual(BY_PROGRAM.length > 0 ? 33 : 78)
  })
})

describe('every code', () => {
  test.each(shortTurn(CODES, 20))('%s has a plan that says what is lost', async (code) => {
    const path = `${folder}/plan of ${code}`
    await run(['write-sample', path, '--damage', code])
    const { plans, finding_num } = await planOf(path)
    const total = plans.reduce((sum, plan) => sum + plan.finding_num, 0)
    expect(total).toBe(finding_num.error + finding_num.warning + finding_num.note)
    const plan = plans.find(({ findings }) => findings.some((one) => one.code === code))
    expect(plan?.lost.join('')).not.toBe('')
    if (plan?.outcome === 'mends' || plan?.outcome === 'loses') expect(plan.steps).not.toEqual([])
    if (plan?.outcome === 'mends') expect(plan.lost.filter((text) => !text.startsWith('nothing'))).toEqual([])
  })

  test('has a damage', () => {
    expect(Object.keys(DAMAGES).sort()).toEqual([...CODES].sort())
  })
})
