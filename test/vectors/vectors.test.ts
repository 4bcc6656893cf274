import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process, { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { temporaryFolder } from '../helpers/folders.ts'
import { shortTurn } from '../helpers/turn.ts'
import { CELLS, exportVectors, type Vector } from './export.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(temporaryFolder(), 'vectors')
const WANTED =
  /^tiledb\/\d+\/(sparse_basic|encrypted|type_\w+|deletes|dense_basic)$|^written\/(\w+_(3|22)|deleted|vacuumed)$/
let vectors: Vector[]

/** Tries a shell command as a reader. */
function tried(command: string, ...only: string[]) {
  const args = [join(folder, 'run.mjs'), ...only, 'sh', '-c', command, '-']
  const { status, stdout } = spawnSync(execPath, args, { encoding: 'utf8', env: { PATH: process.env.PATH } })
  return { status, lines: stdout.trimEnd().split('\n') }
}

describe('test vectors', () => {
  beforeAll(async () => {
    vectors = await exportVectors(folder, (id) => WANTED.test(id))
  })

  test('the list fits its JSON Schema, and names files that are there', () => {
    const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
    expect(read('vectors.json')).toEqual(vectors)
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(read('vectors.schema.json'))
    validate(read('vectors.json'))
    expect(validate.errors).toBeNull()
    expect(vectors.length).toBeGreaterThan(25)
    expect(new Set(vectors.map(({ format_version }) => format_version)).size).toBeGreaterThan(15)
    for (const { array, schema, cells, tiledb } of vectors)
      for (const path of [array, schema, cells, ...(tiledb === null ? [] : [tiledb])])
        expect({ path, isThere: existsSync(join(folder, path)) }).toEqual({ path, isThere: true })
  })

  test('arrays of one fragment have as many cells as TileDB counts in them', () => {
    let compared = 0
    for (const { cells, tiledb, tags } of vectors) {
      if (tiledb === null) continue
      const { fragments, schema } = JSON.parse(readFileSync(join(folder, tiledb), 'utf8'))
      if (fragments.length !== 1 || schema.array_type !== 'sparse' || tags.includes('deletes')) continue
      const lines = readFileSync(join(folder, cells), 'utf8').trimEnd().split('\n')
      expect({ cells, count: lines.length }).toEqual({ cells, count: fragments[0].cell_num })
      compared++
    }
    expect(compared).toBeGreaterThan(5)
  })

  const built = existsSync(`${ROOT}dist/cli`) ? test : test.skip
  built('this program passes all', () => {
    const chosen = shortTurn(vectors, 8).map(({ array }) => join(folder, array))
    const others = `case "$1" in "${chosen.join('"|"')}") ;; *) exit 77 ;; esac`
    const read = `"${execPath}" "${ROOT}bin/tiledb-inspect.js" read "$1" ${CELLS.join(' ')}`
    const { status, lines } = tried(`${others}; TILEDB_INSPECT_KEY="$VECTOR_KEY" ${read}`)
    const counts = `${chosen.length} passed, 0 failed, ${vectors.length - chosen.length} skipped`
    expect({ status, lines }).toEqual({ status: 0, lines: [counts] })
  })

  test('a reader that is wrong fails, and one that does not read something skips it', () => {
    const { cells } = vectors.find(({ id }) => id === 'tiledb/22/sparse_basic') as Vector
    const only = ['--only', 'tiledb/22/sparse_basic']
    expect(tried(`cat "${join(folder, cells)}"`, ...only).lines).toEqual(['1 passed, 0 failed, 0 skipped'])
    expect(tried(`sort -r "${join(folder, cells)}"`, ...only).lines).toEqual(['1 passed, 0 failed, 0 skipped'])
    const wrong = join(folder, 'wrong.ndjson')
    writeFileSync(wrong, readFileSync(join(folder, cells), 'utf8').replace('-449', '-448'))
    const { status, lines } = tried(`cat "${wrong}"`, ...only)
    expect(status).toBe(1)
    expect(lines).toEqual([
      expect.stringMatching(/^tiledb\/22\/sparse_basic: expected the cell .*-449/),
      '0 passed, 1 failed, 0 skipped',
    ])
    expect(tried(`head -n 3 "${wrong}"`, ...only).lines[0]).toMatch(/expected \d+ cells, found 3$/)
    expect(tried('exit 77', ...only)).toEqual({ status: 0, lines: ['0 passed, 0 failed, 1 skipped'] })
    expect(tried('exit 3', ...only).status).toBe(1)
  })
})
