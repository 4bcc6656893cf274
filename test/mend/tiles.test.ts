import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import type { PlanDocument } from '../../src/documents/plan.ts'
import { failsOthers } from '../../src/mend/tile-loss.ts'
import { localFiles } from '../../src/node/file.ts'
import { openTarget } from '../../src/objects/target.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'
import { firstFragment, fragmentNames } from '../helpers/fragments.ts'
import { BY_PROGRAM, codesOf, fileOf, planFolder, planOf, stepsOf } from '../helpers/plan.ts'
import { run } from '../helpers/run.ts'

const { copyOf, folder, mendAndUndo, runSteps } = planFolder()

describe('damaged tiles', () => {
  test('the plan says which cells are lost, where they lie, and what it drops with them', async () => {
    const path = `${folder}/tiles`
    await run(['write-sample', path, '--damage', 'CHECKSUM_MISMATCH'])
    const { plans } = await planOf(path)
    expect(plans).toHaveLength(1)
    const [{ lost, not_lost, loses, keep, steps, back, never, outcome }] = plans
    expect(outcome).toBe('loses')
    expect(lost).toEqual([expect.stringMatching(/^a of 5 cells \(tile 5 of 6, x 90\.\.98, y -47\.\.-7\)$/)])
    expect(not_lost).toEqual(['40 other cells of this fragment, 0 other fragments'])
    expect(loses).toEqual(['the other fields of 5 cells'])
    expect(keep[0].command).toMatch(/^tiledb-inspect decode .* --tiles 5\.\.5 --field s .*-o .*\.kept-5\.ndjson$/)
    expect(steps[0].command).toMatch(
      /^mkdir -p \S+tiles\.aside\/__fragments && tiledb-inspect recover \S+tiles\/__fragments\/(\S+) --to \S+tiles\.\1\.new --drop-damaged$/,
    )
    expect(steps[1].command).toMatch(/^test -d (\S+)\.new && test ! -e \S+ && mv (\S+) \S+ && mv \1\.new \2$/)
    expect(back[0].command).toMatch(/^test -d (\S+) && mv (\S+) \S+\.new && mv \1 \2$/)
    expect(never[0]).toMatch(/^delete the fragment without these steps: a commit names it/)
    const { text } = await run(['check', '--plan', '--level', 'cells', path], { columns: 80, env: { NO_COLOR: '1' } })
    expect(text).toMatch(
      /^ {2}also lost the other fields of 5 cells\n {12}`keep` saves the values of these cells in a file: run it first\n {2}keep {6}0 {2}/m,
    )
  })

  test('if a delete condition reads a lost field, reads of all fields fail', async () => {
    const path = copyOf('22/deletes', 'deletes')
    const fragment = firstFragment(path)
    rmSync(`${fragment}/a0.tdb`)
    rmSync(`${fragment}/a1.tdb`)
    const { plans } = await planOf(path)
    const fails = 'reads of all fields fail there, too: the delete condition'
    expect(plans.flatMap((plan) => plan.lost)).toEqual([
      `a of 12 cells (tiles 0..1 of 2, x 1..17, y 2..19); ${fails} \`a < 20\` reads a`,
      `s of 12 cells (tiles 0..1 of 2, x 1..17, y 2..19); ${fails} \`(a >= 40 and a <= 60) or s == "oak"\` reads s`,
    ])
    // At earlier times, reads leave later conditions out.
    const target = await openTarget(localFiles, path, contextFor({ key: undefined }))
    if (target.type !== 'array') throw new Error('expected an array')
    const failing = (until: bigint) => failsOthers(target.array, 's', async () => 'the condition', until)
    expect(await failing(24n)).toBe('')
    expect(await failing(25n)).toContain('the condition')
  })

  test('of a wrong header of a tile, the plan does not say that no reader needs the file', async () => {
    const path = `${folder}/header`
    await run(['write-sample', path, '--damage', 'GENERIC_TILE_HEADER'])
    expect((await planOf(path)).plans[0].lost).toEqual([
      'nothing: readers need this file, but not the part of it that is wrong',
    ])
  })

  test('values whose coordinates are lost are kept, too, and the plan says that nothing tells where they belong', async () => {
    const path = copyOf('22/deletes', 'no coordinates')
    const fragment = firstFragment(path)
    truncateSync(`${fragment}/d0.tdb`, statSync(`${fragment}/d0.tdb`).size - 1)
    const lostPlaces = (cells: number): string =>
      `where ${cells} cells were: without x, nothing tells where their other values belong`
    const unplaced = (tiles: string, fields: string): unknown => ({
      command: expect.stringMatching(
        new RegExp(` --tiles ${tiles} ${fields} --format ndjson > '.*\\.kept-${tiles[0]}\\.ndjson'$`),
      ),
      text: 'ends with exit code 1: without x, nothing tells where these values belong',
    })
    const one = await planOf(path)
    expect(one.plans.map(({ keep }) => keep)).toEqual([[unplaced('1..1', '--field a --field s --field y')]])
    expect(one.plans[0].lost).toContain(lostPlaces(6))
    runSteps(one.plans[0].keep)
    const kept = readFileSync(`${path}.kept-1.ndjson`, 'utf8').trimEnd().split('\n')
    rmSync(`${path}.kept-1.ndjson`)
    expect(kept).toHaveLength(6)
    for (const line of kept) expect(JSON.parse(line)).toMatchObject({ a: expect.any(Number), s: expect.any(String) })
    // The other tile still has its coordinates.
    rmSync(`${fragment}/a1.tdb`)
    const two = await planOf(path)
    expect(two.plans[0].lost).toContain(lostPlaces(6))
    const [{ command = '' }, ...more] = two.plans[0].keep
    expect([command, more]).toEqual([
      expect.stringMatching(/ --tiles 0\.\.0 --field a --field y -o /),
      [unplaced('1..1', '--field a --field y')],
    ])
    rmSync(`${fragment}/d0.tdb`)
    const all = await planOf(path)
    expect(all.plans.map(({ keep }) => keep)).toEqual([[unplaced('0..1', '--field a --field y')]])
    expect(all.plans[0].lost).toContain(lostPlaces(12))
  })

  test('a file that is cut short loses the tiles after the cut', async () => {
    const path = `${folder}/short`
    await run(['write-sample', path, '--damage', 'FILE_SHORT'])
    const { plans } = await planOf(path, '--level', 'structure')
    expect(plans[0].lost).toEqual([expect.stringMatching(/^p of 5 cells \(tile 5 of 6, /)])
  })

  describe('older values that readers see again after cells are dropped', () => {
    /** An array of which each write has one cell at each of the coordinates; a value of the one at time 2000 is damaged. */
    async function written(
      name: string,
      writes: Readonly<Record<number, readonly number[]>>,
      options: readonly string[] = [],
    ): Promise<PlanDocument> {
      const path = `${folder}/older ${name}`
      const data = `${folder}/older.ndjson`
      const fields = ['--dim', 'x:INT32:0..99:10', '--attr', 'a:INT64', '--filters', 'CHECKSUM_MD5', '--capacity', '2']
      for (const [time, cells] of Object.entries(writes)) {
        writeFileSync(
          data,
          cells
            .map((x) => `${JSON.stringify({ x, a: Number(time), ...(options.includes('b:INT8') && { b: 1 }) })}\n`)
            .join(''),
        )
        const how = existsSync(path) ? ['--append'] : [...fields, ...options]
        await run(['write-sample', path, ...how, '--data', data, '--timestamp', time])
      }
      const file = `${fileOf(`${path}/__fragments`, /^__2000_2000_/)}/a0.tdb`
      const bytes = readFileSync(file)
      bytes[bytes.length - 1] ^= 1
      writeFileSync(file, bytes)
      return planOf(path)
    }

    test('are counted by the boxes of fragments', async () => {
      // Tile 1, of 60 and 61, is damaged.
      const { plans, path } = await written('counted', {
        1000: [0, 99],
        1500: [61, 62],
        1600: [1, 2],
        2000: [1, 2, 60, 61],
        3000: [60, 61],
      })
      expect(plans.map(({ lost }) => lost)).toEqual([['a of 2 cells (tile 1 of 2, x 60..61)']])
      expect(plans[0].brings_back).toEqual([
        '2 older fragments overlap the box of these cells: where they hold the same cells, readers see their older values again',
      ])
      const { text } = await run(['check', '--plan', path], { columns: 80, env: { NO_COLOR: '1' } })
      expect(text).toContain('\n  returns   2 older fragments overlap the box of these cells: where they hold\n')
    })

    test('are found by the boxes of dense tiles, too', async () => {
      const data = [...Array(20).keys()]
      const { plans } = await written('dense box', { 2000: data }, ['--dense'])
      expect(plans.map(({ lost }) => lost)).toEqual([['a of 10 cells (tile 1 of 2, x 10..19)']])
      expect(plans[0].keep).toEqual([])
      const more = await written('dense fields', { 2000: data }, ['--dense', '--attr', 'b:INT8'])
      expect(more.plans[0].keep.map(({ command }) => command)).toEqual([
        expect.stringMatching(/^tiledb-inspect decode .* --tiles 1\.\.1 --field b --field x -o .*\.kept-1\.ndjson'?$/),
      ])
    })

    test('do not exist if no older fragment overlaps, or if the array allows duplicates', async () => {
      const apart = await written('apart', { 1000: [1, 59], 2000: [1, 2, 60, 61], 3000: [60, 61] })
      expect(apart.plans.map(({ brings_back }) => brings_back)).toEqual([[]])
      const all = await written('all', { 1000: [60, 61], 2000: [60, 61] }, ['--duplicates'])
      expect(all.plans.map(({ outcome, brings_back }) => [outcome, brings_back])).toEqual([['loses', []]])
    })

    test('are those of dense fragments, too', async () => {
      const cells = Array.from({ length: 20 }, (_, x) => x)
      const dense = await written('dense', { 1000: cells, 2000: cells }, ['--dense'])
      expect(dense.plans.map(({ lost, brings_back }) => [lost.length, brings_back])).toEqual([
        [
          1,
          [expect.stringMatching(/^1 older fragment overlaps the box of these cells: where it holds the same cells, /)],
        ],
      ])
    })

    test('may exist if a whole fragment is gone', async () => {
      const path = copyOf('22/commits_consolidated', 'gone')
      rmSync(fileOf(`${path}/__fragments`, /^__20_20_/), { recursive: true })
      expect((await planOf(path)).plans[0].brings_back).toEqual([
        '1 older fragment may hold the same cells: there readers see its older values again',
      ])
    })
  })

  test('files of a fragment whose metadata is misread are not moved', async () => {
    const path = `${folder}/misread`
    await run(['write-sample', path, '--damage', 'FOOTER_DENSE'])
    const { plans } = await planOf(path)
    // check takes the coordinates for files of no field.
    expect(await codesOf(path)).toContain('FILE_UNLISTED')
    expect(stepsOf(plans).filter(({ command }) => command?.includes('d0.tdb'))).toEqual([])
  })

  test('the plan says what it assumes about a schema', async () => {
    const path = `${folder}/capacity`
    await run(['write-sample', path, '--damage', 'SCHEMA_CAPACITY'])
    const { plans } = await planOf(path)
    expect(plans).toMatchObject([
      { outcome: 'loses', loses: ['what was meant: the usual capacity of 10,000 is assumed'] },
    ])
    expect(plans[0].steps[1].command).toMatch(/^python3 -c 'import json, sys; [^\n]*; d\["capacity"\] = 10000; [^\n]*$/)
  })

  test('findings that may follow from a wrong schema are mended after the schema', async () => {
    const path = `${folder}/schema`
    await run(['write-sample', path, '--damage', 'SCHEMA_DOMAIN'])
    const { plans } = await planOf(path)
    expect(plans.map(({ outcome, findings }) => [outcome, findings[0].code])).toEqual([
      ['loses', 'SCHEMA_DOMAIN'],
      ['copy', 'NONEMPTY_DOMAIN'],
    ])
    expect(plans[1].steps[0].text).toMatch(/^mend the schema first/)
  })

  test('known faults of TileDB that are notes are left alone', async () => {
    const { plans } = await planOf(`${FIXTURES}/unreadable/22_tail_lost_bit_width_double_delta`)
    expect(plans).toMatchObject([{ outcome: 'leave', steps: [] }])
    expect(plans[0].lost).toEqual([expect.stringMatching(/^nothing that a copy of the array would have/)])
  })

  const UNREADABLE = ['18_empty_chunk_gzip', '22_empty_chunk_double_delta', '22_empty_chunk_bitshuffle_md5']
  test.each(UNREADABLE)('tiles that decode can read, but TileDB cannot, are written again: %s', async (name) => {
    const path = copyOf(`unreadable/${name}`, name)
    const { plans } = await planOf(path)
    expect(plans).toMatchObject([{ outcome: 'mends' }])
    if (BY_PROGRAM.length === 0) expect(await mendAndUndo(path)).toEqual([])
  })
})

describe('cells and statistics that disagree', () => {
  /** A value of an attribute without filters is changed. */
  function changed(name: string): string {
    const path = copyOf('22/filter_none', name)
    const file = fileOf(fileOf(`${path}/__fragments`, /^__/), /^a0\.tdb$/)
    const bytes = readFileSync(file)
    bytes[bytes.length - 4] ^= 1
    writeFileSync(file, bytes)
    return path
  }

  test('changed cells are restored from a copy; without one, their tiles can be left out', async () => {
    const path = changed('flipped')
    const { plans } = await planOf(path)
    expect(plans.map(({ outcome, findings }) => [outcome, ...findings.map(({ code }) => code)])).toEqual([
      ['copy', 'TILE_MIN_MAX', 'TILE_SUM'],
    ])
    const [{ lost, steps, instead, never }] = plans
    expect(lost).toEqual(['one cell: cell 4 of tile 2 of i8 was 103 before it was changed'])
    expect(steps[0]).toEqual({ text: expect.stringMatching(/^put \S+ back from a copy \(backup\) of the array/) })
    expect(steps.filter(({ command }) => command?.includes('recover'))).toEqual([])
    expect(instead[0]).toEqual({
      command: expect.stringMatching(/tiledb-inspect recover \S+ --to \S+\.new --drop-damaged$/),
      text: 'without a copy: leaves out the tiles whose cells contradict the metadata',
    })
    expect(never).toContainEqual(expect.stringMatching(/ends with exit code 1, and check still finds them$/))
    const { text } = await run(['check', '--plan', '--level', 'cells', path])
    expect(text.trimEnd().split('\n').at(-1)).toBe('NOT OK: 2 findings: 2 only from a copy. Nothing was run.')
    if (BY_PROGRAM.length > 0) return
    runSteps(instead)
    expect(await codesOf(path)).toEqual([])
  })

  test('each plan for one of two changed fragments moves out their consolidated metadata', async () => {
    const path = `${folder}/two flipped`
    const one = ['--attr', 'a:INT32', '--filters', 'none', '--cells', '40', '--consolidate', 'fragment_meta']
    await run(['write-sample', path, ...one])
    const fragments = fragmentNames(path)
    expect(fragments.length).toBe(2)
    for (const name of fragments) {
      const file = `${path}/__fragments/${name}/a0.tdb`
      const bytes = readFileSync(file)
      bytes[bytes.length - 4] ^= 1
      writeFileSync(file, bytes)
    }
    const { plans } = await planOf(path)
    expect(plans.map(({ not_lost }) => not_lost)).toEqual([['1 other fragment'], ['1 other fragment']])
    expect(plans.map(({ instead }) => instead.filter(({ command }) => command?.includes('.meta')).length)).toEqual([
      1, 1,
    ])
    if (BY_PROGRAM.length > 0) return
    runSteps(plans.flatMap(({ instead }) => instead))
    expect(await codesOf(path)).toEqual([])
  })

  test('steps against other faults of a fragment do not accept its changed cells', async () => {
    const path = changed('flipped and torn')
    const file = fileOf(fileOf(`${path}/__fragments`, /^__/), /^a0\.tdb$/)
    writeFileSync(`${file.slice(0, -'a0.tdb'.length)}stray`, 'x')
    const { plans } = await planOf(path)
    expect(plans.map(({ outcome, findings }) => [outcome, ...findings.map(({ code }) => code)])).toEqual([
      ['mends', 'FILE_UNLISTED'],
      ['copy', 'TILE_MIN_MAX', 'TILE_SUM'],
    ])
    runSteps(stepsOf(plans.slice(0, 1)).filter(({ command }) => !command?.startsWith('tiledb-inspect')))
    expect(await codesOf(path)).toEqual(['TILE_MIN_MAX', 'TILE_SUM'])
  })

  test('a changed text contradicts only a bound: cells may be lost', async () => {
    const path = `${folder}/a changed text`
    const cells = ['aaa', 'bbb', 'ccc', 'ddd'].map((s, x) => `{"x":${x},"s":"${s}"}\n`)
    writeFileSync(`${path}.ndjson`, cells.join(''))
    const fields = ['--dim', 'x:INT32:0..9:10', '--attr', 's:STRING_ASCII:var', '--filters', 'none', '--capacity', '2']
    await run(['write-sample', path, ...fields, '--data', `${path}.ndjson`])
    const file = fileOf(fileOf(`${path}/__fragments`, /^__/), /^a0_var\.tdb$/)
    const bytes = readFileSync(file)
    bytes[bytes.length - 1] = 0x7a
    writeFileSync(file, bytes)
    const lost = [expect.stringMatching(/^perhaps cells: /)]
    expect((await planOf(path)).plans).toMatchObject([{ findings: [{ code: 'TILE_MIN_MAX' }], outcome: 'copy', lost }])
  })

  test('nothing is lost if only the metadata can be wrong', async () => {
    const path = `${folder}/a wrong sum`
    await run(['write-sample', path, '--damage', 'TILE_SUM'])
    expect((await planOf(path)).plans).toMatchObject([
      { outcome: 'mends', lost: ['nothing: only the metadata is wrong'] },
    ])
  })

  test('something may be lost if nothing tells whether cells or metadata are wrong', async () => {
    const path = `${folder}/a wrong sum of the fragment`
    await run(['write-sample', path, '--damage', 'FRAGMENT_SUM'])
    expect((await planOf(path)).plans).toMatchObject([
      { outcome: 'loses', lost: [expect.stringMatching(/^perhaps cells: .* nobody can tell which$/)] },
    ])
  })
})
