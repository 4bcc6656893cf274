import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseKey } from '../../src/base/key.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { type ReadContext, readContext } from '../../src/objects/read-context.ts'

export const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))

/** The folder of an array or group among the fixtures, including arrays inside groups and label arrays. */
export interface FixtureFolder {
  kind: 'array' | 'group'
  path: string
  /** The path below the fixtures, such as `22/deletes`. */
  name: string
  /** Encryption key, as text. */
  key: string | undefined
}

/** Every array and group among the fixtures, ordered by format version. */
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

/** The encryption key of a fixture, as text. A fixture without a file of expected values has none. */
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

/** The format version in the name of a fixture folder. */
export function versionOf(folder: Pick<FixtureFolder, 'name'>): number {
  return Number(folder.name.split('/')[0])
}
