import { describe, expect, test } from '@jest/globals'
import { FINDING_CODES } from '../../src/check/codes.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { turn } from '../helpers/turn.ts'

const folder = temporaryFolder()

describe('write-sample --damage', () => {
  test.each(turn(Object.entries(FINDING_CODES), 8))('%s: check says so', async (code, { severity }) => {
    const path = `${folder}/${code}`
    const written = await run(['write-sample', path, '--damage', code])
    expect(written).toMatchObject({ code: 0, stderr: '' })
    expect(written.text).toContain(`tiledb-inspect check --level cells --all ${path}`)
    const checked = await runJson(['check', '--level', 'cells', '--all', '--fail-on', severity, path])
    const found = items(get(checked.documents[0], 'findings')).map((one) => [get(one, 'code'), get(one, 'severity')])
    expect(found).toContainEqual([code, severity])
    expect(checked.code).toBe(1)
  })

  test('--damage list names every finding code', async () => {
    const { code, text } = await run(['write-sample', '--damage', 'list', '--format', 'ndjson'])
    expect(code).toBe(0)
    const kinds = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { damage: string }).damage)
    expect(kinds.sort()).toEqual(Object.keys(FINDING_CODES).sort())
  })

  test.each([
    [['--damage', 'tile-sums', 'x'], /found "tile-sums"; did you mean "TILE_SUM"\?/],
    [['--damage', 'TILE_SUM', 'x', '--cells', '7'], /expected no --cells beside it/],
    [['--damage', 'list', 'x'], /^error: --damage list writes nothing: expected no folder, found one\n$/],
    [['--damage', 'TILE_SUM'], /expects one folder, found 0/],
    [['--damage', 'TILE_SUM', folder], /nothing is ever overwritten/],
  ])('%j is refused', async (args, message) => {
    const { code, stderr } = await run(['write-sample', ...args])
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  test('names in any case and with hyphens', async () => {
    expect(await run(['write-sample', `${folder}/hyphens`, '--damage', 'tile-sum'])).toMatchObject({ code: 0 })
  })
})
