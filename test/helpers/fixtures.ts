import './realm.ts'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseKey } from '../../src/base/key.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { type ReadContext, readContext } from '../../src/store/generic-tile.ts'

export const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))

/** An array or group folder of the fixtures, those inside groups and label arrays too. */
export interface FixtureFolder {
  kind: 'array' | 'group'
  path: string
  /** As tests name it: `22/deletes`. */
  name: string
  /** Encryption key, as text. */
  key: string | undefined
}

/** Every array and group of the fixtures, by version. */
export function fixtureFolders(): FixtureFolder[] {
  const out: FixtureFolder[] = []
  const versions = readdirSync(FIXTURES).filter((name) => /^\d+$/.test(name))
  for (const version of versions.sort((a, b) => Number(a) - Number(b))) {
    for (const name of readdirSync(`${FIXTURES}/${version}`)) {
      if (existsSync(expectedFile(`${version}/${name}`)))
        walk(`${version}/${name}`, fixtureKey(`${version}/${name}`), out)
    }
  }
  return out
}

function expectedFile(name: string): string {
  return `${FIXTURES}/${name.split('/', 2).join('/')}.expected.json`
}

/** Encryption key of a fixture, as text. What TileDB cannot read, or not by its ranges, has nothing expected beside it, and no key. */
export function fixtureKey(name: string): string | undefined {
  const file = expectedFile(name)
  if (!existsSync(file)) return undefined
  const { key }: { key?: unknown } = JSON.parse(readFileSync(file, 'utf8'))
  return typeof key === 'string' ? key : undefined
}

function walk(name: string, key: string | undefined, out: FixtureFolder[]): void {
  const path = `${FIXTURES}/${name}`
  const entries = readdirSync(path, { withFileTypes: true })
  const names = new Set(entries.map((entry) => entry.name))
  if (names.has('__schema') || names.has('__array_schema.tdb')) out.push({ kind: 'array', path, name, key })
  else if (names.has('__tiledb_group.tdb')) out.push({ kind: 'group', path, name, key })
  for (const entry of entries) {
    if (entry.isDirectory() && (!entry.name.startsWith('__') || entry.name === '__labels'))
      walk(`${name}/${entry.name}`, key, out)
  }
}

export function contextFor(folder: Pick<FixtureFolder, 'key'>): ReadContext {
  return readContext(
    nodeCodecs,
    folder.key === undefined ? undefined : parseKey(new TextEncoder().encode(folder.key), 'key'),
  )
}

/** The format version of a fixture folder's name. */
export function versionOf(folder: Pick<FixtureFolder, 'name'>): number {
  return Number(folder.name.split('/')[0])
}
