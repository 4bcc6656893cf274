import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Memory } from '../../src/base/memory.ts'
import { failureOf } from '../helpers/failure.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { unpackWorkspace, WORKSPACES } from '../helpers/genomicsdb.ts'
import { callsOf, comparable, type LibraryCall, libraryCall, openWorkspace } from '../helpers/genomicsdb-calls.ts'

const folder = temporaryFolder()

/** Unpacks and opens a workspace. @returns it, and the calls of the library for each of its intervals, in the order of the genome */
function unpacked(name: string) {
  const path = unpackWorkspace(name, folder)
  const { arrays } = JSON.parse(readFileSync(`${dirname(path)}/expect.json`, 'utf8'))
  const callsIn = (interval: string): LibraryCall[] =>
    (arrays[interval].calls as LibraryCall[]).toSorted((a, b) => a.column - b.column || a.row - b.row)
  return { workspace: openWorkspace(path), intervalNames: Object.keys(arrays), callsIn }
}

describe('the calls of an interval, all fragments merged, equal those of the library', () => {
  test.each(WORKSPACES)('%s', async (name) => {
    const { workspace, intervalNames, callsIn } = unpacked(name)
    const filters = (await workspace.vidmap()).fields.map((field) => field.name)
    const intervals = await workspace.intervals()
    expect(intervals.map((interval) => interval.name)).toEqual(intervalNames.sort())
    for (const interval of intervals) {
      const { calls, fields } = await callsOf(workspace, interval)
      expect(calls.map((call) => comparable(libraryCall(call, fields, filters)))).toEqual(
        callsIn(interval.name).map(({ row: _, column: __, end_column: ___, ...call }) => comparable(call)),
      )
    }
  })
})

describe('a range gives the calls that touch it', () => {
  test.each(WORKSPACES)('%s', async (name) => {
    const { workspace, callsIn } = unpacked(name)
    for (const interval of await workspace.intervals()) {
      const all = callsIn(interval.name)
      const middle = all[all.length >> 1]
      if (!middle) continue
      const [from, to] = [middle.column, middle.column + 20]
      const { calls } = await callsOf(workspace, interval, { columns: [[from, to]], rows: new Set([0, middle.row]) })
      const touching = all.filter(
        ({ column, end_column, row }) => column <= to && end_column >= from && (row === 0 || row === middle.row),
      )
      expect(calls.map(({ sample, contig, pos }) => [sample, contig, pos])).toEqual(
        touching.map(({ sample, contig, pos }) => [sample, contig, pos]),
      )
      expect(touching.length).toBeGreaterThan(0)
    }
  })
})

test('batches have room in memory, and one call that has none is an error', async () => {
  const workspace = openWorkspace(unpackWorkspace('301', folder))
  const [interval] = await workspace.intervals()
  const read = async (bytes: number) => (await callsOf(workspace, interval, {}, new Memory(bytes))).calls
  const whole = await read(2 ** 30)
  expect(whole.length).toBeGreaterThan(20)
  expect(await read(6 * 1000)).toEqual(whole)
  expect(await failureOf(() => read(6 * 10))).toMatchObject({
    code: 'TOO_LARGE',
    fault: { expected: expect.stringContaining('at most 10 bytes of the cells of a call') },
  })
})
