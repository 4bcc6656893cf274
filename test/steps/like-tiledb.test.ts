import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()
let serial = 0

interface Cell {
  [field: string]: unknown
}
interface Commit {
  kind: string
  file: string
  condition?: string
}

async function ok(...args: string[]): Promise<string> {
  const { code, text, stderr } = await run(args)
  if (code !== 0) throw new Error(`${args.join(' ')}: exit ${code}: ${stderr}${text.slice(0, 2000)}`)
  return text
}

async function cellsOf(fragment: string): Promise<Cell[]> {
  const text = await ok('decode', fragment, '--format', 'ndjson', '--raw', '--quiet')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const timesOf = (name: string): string => name.split('_').slice(2, 4).join('_')

function fragmentsOf(array: string): Map<string, string> {
  const names = fragmentNames(array)
  return new Map(names.map((name) => [timesOf(name), `${array}/__fragments/${name}`]))
}

/** Writes by time, without the fields that only consolidated fragments have. */
function writesOf(cells: readonly Cell[], time: number | undefined): object[] {
  const byTime = new Map<number, Cell[]>()
  for (const { __timestamps, __delete_timestamps, __delete_condition_index, ...cell } of cells) {
    const at = time ?? Number(__timestamps)
    byTime.set(at, [...(byTime.get(at) ?? []), cell])
  }
  return Array.from(byTime, ([at, some]) => ({ step: 'write', cells: some, time: at }))
}

/** Does to a new array what was done to a fixture, as its cells and commits say. @returns its path */
async function again(name: string): Promise<string> {
  const array = `${FIXTURES}/${name}`
  const schema = JSON.parse(await ok('schema', array, '--json', '--raw'))
  const steps: { step: string; time?: number }[] = []
  const fragments = [...fragmentsOf(array)]
  const alone = fragments.filter(([times]) => new Set(times.split('_')).size === 1)
  for (const [times, path] of alone.length > 0 ? alone : fragments)
    steps.push(
      ...(writesOf(await cellsOf(path), alone.length > 0 ? Number(times.split('_')[0]) : undefined) as typeof steps),
    )
  const { commits }: { commits: Commit[] } = JSON.parse(await ok('commits', array, '--json'))
  for (const { kind, file, condition } of commits)
    if (kind === 'delete') steps.push({ step: 'delete', time: Number(file.split('_')[4]), where: condition } as never)
  steps.sort((one, other) => (one.time ?? 0) - (other.time ?? 0))
  const path = `${folder}/${serial++}`
  const all = [{ step: 'create', schema, time: 1 }, ...steps, { step: 'consolidate' }]
  writeFileSync(`${path}.json`, JSON.stringify({ steps: all }))
  await ok('write-sample', path, '--raw', '--steps', `${path}.json`)
  return path
}

/** TileDB 2.11, of format 15, stores cells of the same coordinates in another order. */
const CONSOLIDATED = [
  ...[16, 17, 18, 19, 20, 21, 22].map((version) => `${version}/sparse_consolidated`),
  ...[16, 19, 22].map((version) => `${version}/deletes_consolidated`),
  '22/vacuum_left',
]

describe('the same steps give the consolidated fragment that TileDB wrote', () => {
  test.each(CONSOLIDATED)('%s', async (name) => {
    const array = await again(name)
    const ours = fragmentsOf(array)
    let compared = 0
    for (const [times, theirs] of fragmentsOf(`${FIXTURES}/${name}`)) {
      const own = String(ours.get(times))
      const files = readdirSync(theirs).sort()
      expect(readdirSync(own).sort()).toEqual(files)
      for (const file of files) {
        if (file === '__fragment_metadata.tdb') continue
        expect({ file, bytes: readFileSync(`${own}/${file}`, 'base64') }).toEqual({
          file,
          bytes: readFileSync(`${theirs}/${file}`, 'base64'),
        })
        compared++
      }
      const metadata = async (path: string): Promise<string> =>
        (await ok('metadata', path, '--json')).replace(/"path".*\n/, '').replace(/(__\d+_\d+_)[0-9a-f]{32}/g, '$1')
      const cells = (path: string): Promise<string> => ok('decode', path, '--raw', '--format', 'ndjson')
      expect(await cells(own)).toBe(await cells(theirs))
      expect(await metadata(own)).toBe(await metadata(theirs))
    }
    expect(compared).toBeGreaterThan(0)
    expect(await ok('check', array, '--level', 'cells', '--quiet')).toMatch(/OK/)
  })
})
