import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { terminalHeading } from '../../src/render/views/terminal-headings.ts'

export const NAMES_PAGE = fileURLToPath(new URL('../../docs/names.md', import.meta.url))
const SCHEMAS = fileURLToPath(new URL('../../schemas', import.meta.url))

/** The kinds of JSON values. */
export type Kind = 'text' | 'number' | 'truth' | 'object' | 'list' | 'any'

/** A key of the schemas. */
export interface Named {
  /** What the schemas say of it, each text once. */
  descriptions: ReadonlySet<string>
  /** Kinds of its values; null does not count. */
  kinds: ReadonlySet<Kind>
  /** Schemas that have it. */
  documents: ReadonlySet<string>
  /** The paths to it in the documents, such as `fields[].size`; `.*` stands for a name that depends on the target. */
  places: ReadonlySet<string>
}

type Schema = { readonly [key: string]: unknown }

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** All keys of all schemas, in alphabetical order. */
export function namedKeys(): ReadonlyMap<string, Named> {
  const found = new Map<
    string,
    { [Part in keyof Named]: Set<Named[Part] extends ReadonlySet<infer One> ? One : never> }
  >()
  const files = readdirSync(SCHEMAS).filter((file) => file !== 'document.json')
  const schemas = new Map(files.map((file) => [file, JSON.parse(readFileSync(`${SCHEMAS}/${file}`, 'utf8')) as Schema]))

  function look(value: unknown, file: string): void {
    if (Array.isArray(value)) for (const one of value) look(one, file)
    if (!isSchema(value)) return
    for (const [word, inside] of Object.entries(value)) {
      if (word === 'properties' && isSchema(inside))
        for (const [key, schema] of Object.entries(inside)) {
          if (isSchema(schema)) meet(key, schema, file)
          look(schema, file)
        }
      else look(inside, file)
    }
  }

  function meet(key: string, schema: Schema, file: string): void {
    const named = found.get(key) ?? {
      descriptions: new Set(),
      kinds: new Set(),
      documents: new Set(),
      places: new Set(),
    }
    found.set(key, named)
    named.documents.add(file.replace('.json', ''))
    const text = schema.description ?? definition(schema, file)?.[0].description
    if (typeof text === 'string') named.descriptions.add(firstSentence(text))
    for (const kind of kindsOf(schema, file)) named.kinds.add(kind)
  }

  /** What a schema refers to, and the file of that. */
  function definition({ $ref }: Schema, file: string): readonly [Schema, string] | undefined {
    if (typeof $ref !== 'string') return undefined
    const [other, path = ''] = $ref.split('#')
    const home = other === '' ? file : other
    const parts = path.split('/').filter((part) => part !== '')
    const inside = parts.reduce<unknown>(
      (value, part) => (isSchema(value) ? value[part] : undefined),
      schemas.get(home),
    )
    return isSchema(inside) ? [inside, home] : undefined
  }

  function kindsOf(schema: Schema, file: string): Kind[] {
    const refers = definition(schema, file)
    if (refers) return kindsOf(...refers)
    if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap((one) => (isSchema(one) ? kindsOf(one, file) : []))
    const values = 'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined
    if (values) return values.flatMap((value) => KINDS[value === null ? 'null' : typeof value] ?? [])
    if (schema.type === undefined) return ['any']
    return [schema.type].flat().flatMap((type) => KINDS[String(type)] ?? [])
  }

  /** Notes the paths of the keys of a document. */
  function placeAll(document: string): void {
    /** A type inside itself is entered once. @param around the schemas that lie around */
    function place(value: unknown, file: string, path: string, around: readonly unknown[]): void {
      if (!isSchema(value) || around.includes(value)) return
      const inside = [...around, value]
      const refers = definition(value, file)
      if (refers) place(...refers, path, inside)
      for (const word of ['anyOf', 'allOf', 'oneOf'])
        if (Array.isArray(value[word])) for (const one of value[word]) place(one, file, path, inside)
      place(value.items, file, `${path}[]`, inside)
      place(value.additionalProperties, file, `${path}.*`, inside)
      if (!isSchema(value.properties)) return
      for (const [key, schema] of Object.entries(value.properties)) {
        const own = path === '' ? key : `${path}.${key}`
        found.get(key)?.places.add(`${document} ${own}`)
        place(schema, file, own, inside)
      }
    }
    place(schemas.get(`${document}.json`), `${document}.json`, '', [])
  }

  for (const [file, schema] of schemas) look(schema, file)
  for (const file of schemas.keys()) if (file !== 'common.json') placeAll(file.replace('.json', ''))
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Kinds by the names of types in schemas and in JavaScript. */
const KINDS: Readonly<Record<string, Kind>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'truth',
  object: 'object',
  array: 'list',
}

function firstSentence(text: string): string {
  const [sentence] = text.split(/(?<=\.)\s+(?=[A-Z])|\n/)
  return sentence.replace(/\.$/, '')
}

const HEAD = '| key in JSON, column in CSV | fact | heading | where |\n| --- | --- | --- | --- |\n'
const ROW = /^\| `(?<key>[^`]+)` \| (?<fact>.*?) \| (?<heading>[^|]*) \| (?<documents>[^|]*) \|$/gm

/** The facts that the page has, by key. */
export function factsOf(page: string): ReadonlyMap<string, string> {
  return new Map(Array.from(page.matchAll(ROW), ({ groups = {} }) => [groups.key, groups.fact]))
}

/**
 * Renews the table of docs/names.md from the schemas and the headings. A key that has one description in the schemas has it as its
 * fact. For the others the page itself says what they have in common.
 */
export function namesPage(page: string): string {
  const facts = factsOf(page)
  const rows = Array.from(namedKeys(), ([key, named]) => {
    const { descriptions } = named
    const [one, ...others] = descriptions
    const fact = one !== undefined && others.length === 0 ? one.replaceAll('|', '\\|') : (facts.get(key) ?? '')
    return `| \`${key}\` | ${fact} | ${terminalHeading(key)} | ${placesText(key, named)} |\n`
  })
  const start = page.indexOf(HEAD) + HEAD.length
  const end = start + page.slice(start).search(/^(?!\|)/m)
  return page.slice(0, start) + rows.join('') + page.slice(end)
}

/** Most documents, and most places in documents, that are named. */
const MOST = 6

/** Where a key is: the documents that have it at the top, then its places elsewhere. */
function placesText(key: string, { documents, places }: Named): string {
  const byPath = new Map<string, Set<string>>()
  for (const place of places) {
    const [document = '', path = ''] = place.split(/ (.*)/)
    byPath.set(path, (byPath.get(path) ?? new Set()).add(document))
  }
  const tops = byPath.get(key)
  byPath.delete(key)
  // Only lines of NDJSON have some keys.
  if (!tops && byPath.size === 0) return documentsText(documents)
  const inner = [...byPath].sort(([a], [b]) => steps(a) - steps(b) || (a < b ? -1 : 1))
  const shown = inner.slice(0, MOST).map(([path, own]) => `\`${path}\` of ${documentsText(own)}`)
  const more = inner.length - shown.length
  return [...(tops ? [documentsText(tops)] : []), ...shown, ...(more > 0 ? [`${more} more places`] : [])].join('; ')
}

function steps(path: string): number {
  return path.split('.').length
}

function documentsText(documents: ReadonlySet<string>): string {
  const names = [...documents].sort()
  return names.length > MOST ? `${names.length} documents` : names.join(', ')
}
