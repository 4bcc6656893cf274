import { existsSync } from 'node:fs'
import { get, isObject, type Json, type JsonObject, shown } from '../helpers/json.ts'
import { type Ran, run, runJson } from '../helpers/run.ts'
import type { ExpectedArray, ExpectedFragment } from './expected.ts'

/** The program did not do what was asked: nothing to compare. */
export class Refused extends Error {}

/** An array on disk, what TileDB's reader says of it, and the program to hold against that. */
export class GoldenArray {
  readonly path: string
  readonly key: string | null
  readonly expected: ExpectedArray
  readonly tags: readonly string[]

  constructor(path: string, key: string | null, expected: ExpectedArray, tags: readonly string[]) {
    this.path = path
    this.key = key
    this.expected = expected
    this.tags = tags
  }

  /** Folder of a fragment. */
  fragmentPath({ name }: ExpectedFragment): string {
    const inside = `${this.path}/__fragments/${name}`
    return existsSync(inside) ? inside : `${this.path}/${name}`
  }

  /** Public arrays exist whose files hold more than their metadata says. */
  get loose(): boolean {
    return this.tags.length === 1 && this.tags[0] === 'any'
  }

  run(args: readonly string[]): Promise<Ran> {
    return run(args, { env: environment(this.key) })
  }

  json(args: readonly string[], target: string, kind: string): Promise<JsonObject> {
    return oneDocument(this.key, args, target, kind)
  }
}

export function environment(key: string | null): Record<string, string> {
  return key === null ? {} : { TILEDB_INSPECT_KEY: key }
}

/** The one document that a command prints of a target; every document says what it is. */
export async function oneDocument(
  key: string | null,
  args: readonly string[],
  target: string,
  kind: string,
): Promise<JsonObject> {
  const { code, documents, stderr } = await runJson([...args, '--raw', target], { env: environment(key) })
  const what = args.join(' ')
  if (code !== 0) throw new Refused(`${what}: exit ${code}: ${stderr.trim().split('\n').at(-1)}`)
  const [document] = documents
  if (documents.length !== 1 || !isObject(document)) throw new Refused(`${what}: ${documents.length} documents`)
  const head: [string, Json][] = [
    ['kind', kind],
    ['path', target],
    ['schema_version', 1],
  ]
  for (const [name, want] of head) {
    if (get(document, name) !== want)
      throw new Refused(`${what}: ${name} is ${shown(get(document, name))}, not ${shown(want)}`)
  }
  return document
}
