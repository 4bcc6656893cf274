import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { schemaFileOpened } from '../../src/objects/array.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { get, items, type Json, parseJson } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { readArrow } from '../render/arrow-table.ts'

const folder = temporaryFolder()
const LABELS = `${FIXTURES}/labels`
/** What TileDB-Py gives: {"index": n} where it has no label. */
const expected = parseJson(readFileSync(`${LABELS}/expected.json`, 'utf8'))
const CHANGED = ['late', 'readded', 'plain', 'future', 'wanting']

async function column(fragment: string, name: string): Promise<(Json | undefined)[]> {
  const { documents } = await runJson(['decode', fragment, '--labels'])
  return items(get(documents[0], 'cells')).map((cell) => get(cell, name))
}

const withoutLabel = (value: Json): boolean => typeof value === 'object' && value !== null && 'index' in value

describe('labels are those of the array as TileDB opens it, whatever schema the cells were written with', () => {
  test.each(CHANGED)('%s: JSON, NDJSON and Arrow', async (name) => {
    const fragment = firstFragment(`${LABELS}/${name}`)
    const want = items(get(get(expected, name), 'v'))
    const missing = want.filter(withoutLabel).length
    expect(await column(fragment, 'v')).toEqual(want.map((v) => (withoutLabel(v) ? get(v, 'index') : v)))
    const lines = await run(['decode', fragment, '--labels', '--format', 'ndjson'])
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((line) => get(parseJson(line), 'v')),
    ).toEqual(await column(fragment, 'v'))
    const arrow = await run(['decode', fragment, '--labels', '--format', 'arrow'])
    const values = readArrow(arrow.stdout).columns.get('v') ?? []
    expect(values.map((v) => (typeof v === 'bigint' ? Number(v) : v))).toEqual(
      want.map((v) => (withoutLabel(v) ? null : v)),
    )
    for (const { stderr, code } of [lines, arrow]) {
      expect(code).toBe(0)
      if (missing > 0) expect(stderr).toContain(`v: ${missing} cells have no label (the first has index 2,`)
      else expect(stderr).not.toContain('no label')
    }
    expect(arrow.stderr.includes('null is written')).toBe(missing > 0)
  })

  test('the document counts what is missing', async () => {
    const { documents } = await runJson(['decode', firstFragment(`${LABELS}/wanting`), '--labels'])
    expect(get(documents[0], 'missing_labels')).toEqual([
      { field: 'v', enumeration: 'e', value_num: 2, cell_num: 2, first: 2 },
    ])
    expect(
      get((await runJson(['decode', firstFragment(`${LABELS}/late`), '--labels'])).documents[0], 'missing_labels'),
    ).toBe(undefined)
  })

  test('an index among labels that are numbers looks like one of them: that is said', async () => {
    const array = `${folder}/numbers`
    const data = `${folder}/numbers.ndjson`
    writeFileSync(data, '{"d":0,"v":0}\n{"d":1,"v":2}\n{"d":2,"v":1}\n')
    const fields = ['--dim', 'd:INT32:0..9:10', '--attr', 'v:INT8:enum=e', '--enum', 'e:INT32=7,2']
    expect((await run(['write-sample', array, ...fields, '--data', data])).code).toBe(0)
    const fragment = firstFragment(array)
    expect(await column(fragment, 'v')).toEqual([7, 2, 2])
    const { documents, stderr } = await runJson(['decode', fragment, '--labels'])
    expect(get(items(get(documents[0], 'missing_labels'))[0], 'looks_like_label')).toBe(true)
    expect(stderr).toContain('and looks like a label')
    const arrow = await run(['decode', fragment, '--labels', '--format', 'arrow'])
    expect(arrow.stderr).toContain('null is written')
    expect(arrow.stderr).not.toContain('looks like')
    expect((await run(['decode', firstFragment(`${LABELS}/wanting`), '--labels'])).stderr).not.toContain('looks like')
  })

  test('only cells that are shown count, of all fragments together', async () => {
    const shown = await run([
      'decode',
      firstFragment(`${LABELS}/wanting`),
      '--labels',
      '--limit',
      '3',
      '--format',
      'ndjson',
    ])
    expect(shown.stderr).toContain('v: 1 cell has no label')
    const all = await run(['decode', `${LABELS}/wanting`, '--all-fragments', '--labels', '--format', 'arrow'])
    expect(all.stderr).toContain('v: 2 cells have no label')
    const none = await run(['decode', firstFragment(`${LABELS}/wanting`), '--labels', '--field', 'w'])
    expect(none.stderr).toBe('')
  })

  test('an attribute that was dropped keeps its last labels, and that is said', async () => {
    const fragment = firstFragment(`${LABELS}/dropped`)
    expect(await column(fragment, 'v')).toEqual(['a', 'b', 'c', 'd'])
    expect((await run(['decode', fragment, '--labels'])).stderr).toContain(
      'v: the array has no such attribute any more',
    )
  })

  test('an attribute that lost its enumeration shows what is stored, and that is said', async () => {
    const { stderr } = await run(['decode', firstFragment(`${LABELS}/plain`), '--labels'])
    expect(stderr).toContain('v: the attribute has no enumeration in the array any more')
  })

  test('an enumeration that cannot be read is an error, and the other cells are shown', async () => {
    const copy = `${folder}/partial`
    cpSync(`${LABELS}/late`, copy, { recursive: true })
    rmSync(`${copy}/__schema/__enumerations`, { recursive: true })
    const { code, text, stderr } = await run(['decode', firstFragment(copy), '--labels', '--format', 'ndjson'])
    expect(code).toBe(3)
    expect(stderr).toContain('__enumerations')
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => get(parseJson(line), 'w')),
    ).toEqual([0, 1, 2, 3])
  })
})

describe('check finds an index without a label only where TileDB has none', () => {
  test.each(['late', 'readded', 'plain', 'dropped'])('%s is healthy, as array and as fragment', async (name) => {
    for (const target of [`${LABELS}/${name}`, firstFragment(`${LABELS}/${name}`)]) {
      const { code, documents } = await runJson(['check', '--level', 'cells', target])
      expect({ target, code, findings: get(documents[0], 'findings') }).toEqual({ target, code: 0, findings: [] })
    }
  })

  test.each(['future', 'wanting'])('%s is not', async (name) => {
    for (const target of [`${LABELS}/${name}`, firstFragment(`${LABELS}/${name}`)]) {
      const { documents } = await runJson(['check', '--level', 'cells', target])
      const findings = items(get(documents[0], 'findings'))
      expect(findings.map((one) => [get(one, 'code'), get(one, 'expected'), get(one, 'found')])).toEqual([
        ['ENUMERATION_INDEX', '0 to 1', '2'],
      ])
    }
  })
})

test('delete conditions name the labels that the user named', async () => {
  const { text } = await run(['commits', `${LABELS}/conditions`])
  for (const condition of ['n > 20', 't == "b"', 'n == 10 or t == "aa"']) expect(text).toContain(condition)
})

describe('labels of every type', () => {
  const fragment = firstFragment(`${LABELS}/types`)
  const wanted = get(expected, 'types')

  test('--raw shows the bytes that TileDB has', async () => {
    const { documents } = await runJson(['decode', fragment, '--labels', '--raw'])
    const cells = items(get(documents[0], 'cells'))
    for (const name of ['char', 'blob', 'char3', 'utf8_3', 'ascii', 'utf8', 'utf16', 'utf32', 'bytes', 'wkt']) {
      expect(cells.map((cell) => get(get(cell, name), 'base64'))).toEqual(
        items(get(wanted, name)).map((hex) => Buffer.from(String(hex), 'hex').toString('base64')),
      )
    }
  })

  test('Arrow has the same values as JSON, whatever their type', async () => {
    const { code, stdout } = await run(['decode', fragment, '--labels', '--format', 'arrow'])
    expect(code).toBe(0)
    const { columns } = readArrow(stdout)
    const { documents } = await runJson(['decode', fragment, '--labels'])
    const cells = items(get(documents[0], 'cells'))
    const dates = /day|ns|ms/
    for (const [name, values] of columns) {
      const shown = cells.map((cell) => get(cell, name))
      if (name === 'empty') expect(values).toEqual([null, null, null])
      else if (dates.test(name)) expect(values.filter((value) => value === null)).toEqual([])
      else expect({ name, values: values.map(asJson) }).toEqual({ name, values: shown.map(asJson) })
    }
  })
})

/** Numbers of any kind as text; what readers of Arrow and of JSON have in common. */
function asJson(value: unknown): unknown {
  if (value instanceof Uint8Array && value.constructor.name === 'Uint8Array') return bytes(value)
  if (ArrayBuffer.isView(value) || Array.isArray(value))
    return Array.from(value as ArrayLike<unknown> & Iterable<unknown>, asJson)
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'object' && value !== null && 'base64' in value)
    return bytes(Buffer.from(String(value.base64), 'base64'))
  return value
}

const bytes = (value: Uint8Array): string => Buffer.from(value).toString('latin1')

describe('the schema that TileDB opens an array with', () => {
  const file = (name: string, at?: bigint) => ({
    name,
    path: name,
    timestamp_range: at === undefined ? undefined : ([at, at] as [bigint, bigint]),
  })
  test('is the newest that is not in the future, else the oldest', () => {
    const [old, a, b] = [file('__array_schema.tdb'), file('a', 5n), file('b', 9n)]
    expect(schemaFileOpened([old, a, b], 9n)).toBe(b)
    expect(schemaFileOpened([old, a, b], 8n)).toBe(a)
    expect(schemaFileOpened([old, a, b], 4n)).toBe(old)
    expect(schemaFileOpened([a, b], 4n)).toBe(a)
    expect(schemaFileOpened([], 4n)).toBe(undefined)
  })
})
