import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { nestedLists } from '../../src/genomicsdb/values.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { arraysOf, unpackWorkspace } from '../helpers/genomicsdb.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { runJson } from '../helpers/run.ts'

/* Workspaces with what no importer writes. */

const folder = temporaryFolder()
let copies = 0

/** A workspace of its own, and the path of its first interval. */
function unpacked(): { path: string; interval: string } {
  const path = unpackWorkspace('303', `${folder}/${copies++}`)
  return { path, interval: arraysOf(path)[0] ?? '' }
}

interface Found {
  code: string
  severity: string
  file: string
  field?: string
  found: string | number
}

/** What check finds above notes, and its exit code. */
async function findings(path: string): Promise<Found[]> {
  const { documents, code } = await runJson(['check', '--level', 'structure', path])
  const found = items(get(documents[0], 'findings')) as unknown as Found[]
  expect(code).toBe(found.some(({ severity }) => severity === 'error') ? 1 : 0)
  return found.filter(({ severity }) => severity !== 'note')
}

const nestedList = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

describe('maps', () => {
  test('a value that is nested deeply is a finding', async () => {
    const { path } = unpacked()
    writeFileSync(`${path}/callset.json`, `{"callsets":[{"sample_name":"a","row_idx":${nestedList(100_000)}}]}`)
    expect(await findings(path)).toContainEqual(
      expect.objectContaining({ code: 'GENOMICSDB_MAP', field: 'callsets.0.row_idx', found: 'a list' }),
    )
  })

  test('a last row that is nested deeply is a finding', async () => {
    const { path, interval } = unpacked()
    const file = `${interval}/genomicsdb_meta_dir/genomicsdb_meta_x.json`
    writeFileSync(file, `{"max_valid_row_idx_in_array":${nestedList(100_000)}}`)
    expect(await findings(path)).toContainEqual(
      expect.objectContaining({ code: 'GENOMICSDB_MAP', field: 'max_valid_row_idx_in_array', found: 'a list' }),
    )
  })

  test('of many faults the first are told, and how many more there are', async () => {
    const { path } = unpacked()
    writeFileSync(`${path}/callset.json`, `{"callsets":[${'{},'.repeat(100_000)}{}]}`)
    const found = (await findings(path)).filter(({ file }) => file.endsWith('callset.json'))
    expect(found.filter(({ code }) => code === 'GENOMICSDB_MAP')).toHaveLength(101)
    expect(found).toContainEqual(expect.objectContaining({ code: 'GENOMICSDB_MAP', found: '99901 more faults' }))
  })

  test('memory counts values, not only bytes: small ones take more than they are long', async () => {
    const { path } = unpacked()
    const size = 1_000_000
    const check = ['check', '--level', 'structure', '--memory', '64M', path]
    const foundIn = async (callsets: string): Promise<unknown> => {
      writeFileSync(`${path}/callset.json`, `{"callsets":[${callsets}]}`)
      return items(get((await runJson(check)).documents[0], 'not_examined')).map((one) => get(one, 'code'))
    }
    const sample = (row: number): string => JSON.stringify({ sample_name: `S${row}`.padEnd(40), row_idx: `${row}` })
    expect(await foundIn(Array.from({ length: size / 74 }, (_, row) => sample(row)).join())).toEqual([])
    expect(await foundIn(`${'{},'.repeat(size / 3)}{}`)).toEqual(['TOO_LARGE'])
  })
})

describe('the folder of batches', () => {
  test.each([
    ['a file in its place', 'GENOMICSDB_MAP', 'error'],
    ['none', 'GENOMICSDB_INTERVAL', 'warning'],
  ])('%s', async (what, code, severity) => {
    const { path, interval } = unpacked()
    const file = `${interval}/genomicsdb_meta_dir`
    rmSync(file, { recursive: true })
    if (what !== 'none') writeFileSync(file, 'x')
    const wanted = [expect.objectContaining({ code, severity, file })]
    expect(await findings(path)).toEqual(wanted)
    expect(await findings(interval)).toEqual(wanted)
  })
})

describe('contigs and intervals', () => {
  const LAST = 'HLA-A*01:01'

  /** Changes the contigs, which have all columns from 0 on. */
  async function withContigs(change: (contigs: { [key: string]: Json }[]) => void): Promise<Found[]> {
    const { path } = unpacked()
    const map = JSON.parse(readFileSync(`${path}/vidmap.json`, 'utf8'))
    change(map.contigs)
    writeFileSync(`${path}/vidmap.json`, JSON.stringify(map))
    return findings(path)
  }

  test('the same name twice', async () => {
    const found = await withContigs((contigs) => {
      const last = contigs.at(-1)
      contigs.push({
        ...{ name: LAST, length: '5' },
        tiledb_column_offset: String(Number(last?.tiledb_column_offset) + Number(last?.length)),
      })
    })
    expect(found).toContainEqual(expect.objectContaining({ code: 'GENOMICSDB_MAP', found: `${LAST} twice` }))
  })

  test.each([
    ['no columns', '0'],
    ['columns above 2^53', String(2 ** 53 - 1)],
  ])('%s', async (_, length) => {
    const found = await withContigs((contigs) => Object.assign(contigs.at(-1) ?? {}, { length }))
    expect(found).toContainEqual(expect.objectContaining({ code: 'GENOMICSDB_MAP', field: `contigs.${LAST}.length` }))
  })

  test('an interval that is longer than its contig', async () => {
    const found = await withContigs((contigs) => Object.assign(contigs.at(-1) ?? {}, { length: '2000' }))
    expect(found.map(({ code, found }) => ({ code, found }))).toEqual([
      { code: 'GENOMICSDB_INTERVAL', found: `${LAST}$1052$2166` },
    ])
  })

  test.each(['1$0$1000', '1$900$3', '$$$'])('an interval named %s', async (name) => {
    const { path, interval } = unpacked()
    renameSync(interval, `${path}/${name}`)
    expect(await findings(path)).toContainEqual(
      expect.objectContaining({ code: 'GENOMICSDB_INTERVAL', file: `${path}/${name}`, found: name }),
    )
  })

  test('a name without a place is one that other loaders give', async () => {
    const { path } = unpacked()
    mkdirSync(`${path}/t0_1_2/genomicsdb_meta_dir`, { recursive: true })
    expect((await findings(path)).map(({ code }) => code)).toEqual(['GENOMICSDB_SCHEMA', 'GENOMICSDB_INTERVAL'])
  })
})

describe('nested lists', () => {
  const words = (...numbers: number[]): Uint8Array => new Uint8Array(BigUint64Array.from(numbers, BigInt).buffer)
  const list = (values: number[], ...offsets: number[]): Uint8Array =>
    Uint8Array.from([...words(values.length), ...values, ...words(offsets.length - 1, ...offsets)])

  test('are read', () => expect(nestedLists(list([1, 0, 0, 0], 0, 4), 'INT32')).toEqual([[1]]))

  test.each([
    ['half an element', list([1, 0, 0], 0, 3), 'elements of 4 bytes in a list'],
    ['a first list that begins late', list([1, 0, 0, 0], 4, 4), 'a first list from byte 0 of the values on'],
  ])('%s', (_, bytes, expected) => {
    expect(() => nestedLists(bytes, 'INT32')).toThrow(expect.objectContaining({ code: 'BAD_VALUE', expected }))
  })
})

describe('recover', () => {
  /** Copies a workspace. Returns what was left out by its path in it, and what is in the copy. */
  async function recovered(path: string) {
    const to = `${folder}/copy${copies++}`
    const { documents, code } = await runJson(['recover', path, '--to', to])
    const left = items(get(documents[0], 'left_out')).map(
      (one) => [String(get(one, 'path')).slice(path.length + 1), get(one, 'is_loss')] as const,
    )
    return { code, document: documents[0], left, files: readdirSync(to, { recursive: true, encoding: 'utf8' }) }
  }

  test('links to folders that were entered, and what is no file, are left out', async () => {
    const { path } = unpacked()
    const whole = readdirSync(path, { recursive: true })
    symlinkSync('.', `${path}/a`)
    symlinkSync('nowhere', `${path}/gone`)
    execFileSync('mkfifo', [`${path}/pipe`])
    const { code, left, files } = await recovered(path)
    expect(left).toEqual([
      ['a', false],
      ['gone', false],
      ['pipe', false],
    ])
    expect(files.sort()).toEqual(whole.sort())
    expect(code).toBe(0)
  })

  test('folders with two links each to the next do not double', async () => {
    const { path, interval } = unpacked()
    for (let i = 0; i < 30; i++) {
      mkdirSync(`${interval}/d${i}`)
      if (i === 29) continue
      for (const link of ['a', 'b']) symlinkSync(`../d${i + 1}`, `${interval}/d${i}/${link}`)
    }
    const { code, files } = await recovered(path)
    expect(files.filter((file) => /\/d\d/.test(file)).length).toBeLessThan(90)
    expect(code).toBe(0)
  })

  test('a link that leads out of the workspace is a loss where readers need it', async () => {
    const { path, interval } = unpacked()
    const [first = '', second = ''] = readdirSync(interval).filter(
      (name) => name.startsWith('__') && !name.includes('.'),
    )
    const moveOut = (inside: string): void => {
      const outside = `${folder}/outside${copies++}`
      renameSync(`${interval}/${inside}`, outside)
      symlinkSync(outside, `${interval}/${inside}`)
    }
    const name = interval.slice(path.length + 1)
    symlinkSync('/', `${path}/top`)
    moveOut(first)
    moveOut(`${second}/END.tdb`)
    const { code, document, left } = await recovered(path)
    expect(left).toEqual([
      [`${name}/${first}`, false],
      [`${name}/${second}/END.tdb`, false],
      ['top', false],
    ])
    const lost = items(get(document, 'fragments')).filter((one) => get(one, 'outcome') === 'lost')
    expect(lost.map((one) => get(one, 'name')).sort()).toEqual([first, second].sort())
    expect(document).toMatchObject({ is_loss: true, remaining: [] })
    expect(code).toBe(1)
  })
})
