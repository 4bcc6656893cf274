import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import { ERROR_CODES } from '../../src/base/errors.ts'
import { FINDING_CODES } from '../../src/check/codes.ts'
import { COMMANDS } from '../../src/cli/commands.ts'

import { fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { quickTrials } from '../helpers/quick-trials.ts'
import { turnOfFamilies } from '../helpers/turn.ts'
import { type Printed, printed, printedOfFixtures } from './printed.ts'
import { DOCUMENTS_OF } from './printed-by.ts'

quickTrials()

const FOLDER = fileURLToPath(new URL('../../schemas', import.meta.url))
/** What is printed; test/schemas/steps-file.test.ts looks at what is read. */
const FILES = readdirSync(FOLDER).filter((file) => file !== 'steps-file.json')
const folder = temporaryFolder()

/** Fixtures with keys that nothing else has: printed in every run. The others take turns. */
const NEEDED: ReadonlySet<string> = new Set([
  ...['1/dense_2d_row_row', '16/number_filters', '22/dense_fragment_metadata_consolidated', '22/dimension_labels'],
  ...['22/filter_webp', '22/metadata'],
])

/** Lines whose keys are names of fields. */
const FREE_LINES = ['cells.json#/$defs/line', 'genomicsdb-calls.json#/$defs/line']

type Schema = { [key: string]: unknown }

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasLine({ $defs }: AnySchemaObject): boolean {
  return isSchema($defs) && 'line' in $defs
}

/** A schema, read once. It is never changed. */
function schemaOf(file: string): AnySchemaObject {
  const known = schemas.get(file) ?? newSchemaOf(file)
  schemas.set(file, known)
  return known
}

const schemas = new Map<string, AnySchemaObject>()

function newSchemaOf(file: string): AnySchemaObject {
  return JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8'))
}

/** A key that a schema names: where, and what is said of it. */
interface Key {
  where: string
  schema: Schema
}

function* keysIn(value: unknown, where: string): Generator<Key> {
  if (Array.isArray(value)) {
    for (const [i, one] of value.entries()) yield* keysIn(one, `${where}/${i}`)
  } else if (isSchema(value)) {
    for (const [name, one] of Object.entries(value)) {
      // conditions name keys without describing them
      if (name === 'if' || name === 'then') continue
      if (name === 'properties' && isSchema(one)) {
        for (const [key, schema] of Object.entries(one))
          if (isSchema(schema)) yield { where: `${where}/${key}`, schema }
      }
      yield* keysIn(one, name === 'properties' ? where : `${where}/${name}`)
    }
  }
}

const KEYS = FILES.flatMap((file) => {
  const schema = schemaOf(file)
  return Array.from(keysIn(schema, file), (key) => ({ ...key, file, root: schema }))
})

/** Where `where` of a key that was met is kept. */
const MET = 'x-met'

function validator(met: Set<string>): Ajv2020 {
  // To make shorter code of a schema takes longer than to run what is not.
  const code = { optimize: false }
  const ajv = new Ajv2020({ allErrors: false, strict: true, strictRequired: false, strictTypes: false, code })
  ajv.addKeyword({
    keyword: MET,
    schemaType: 'string',
    validate: (where: string) => {
      met.add(where)
      return true
    },
    errors: false,
  })
  for (const file of FILES) ajv.addSchema(marked(newSchemaOf(file), file), file)
  return ajv
}

/** The schema with every key noting that it was met. */
function marked(schema: AnySchemaObject, file: string): AnySchemaObject {
  for (const key of keysIn(schema, file)) key.schema[MET] = key.where
  return schema
}

/** Keys that only arrays too large for a fixture get: test/advice and test/commands/diff-read look at them. */
const LARGE_ONLY = /\/(?:ExplainFinding\/(?:field|remedies)|Remedy\/\w+|ReadCounts\/\w+|unlisted_(?:cell_)?num)$/

describe('the schemas', () => {
  const all = fixtureFolders()
  const met = new Set<string>()
  /** Those met in every run: nothing hangs on which fixtures have their turn. */
  let metInAll: ReadonlySet<string> = met
  const ajv = validator(met)
  const wrong: string[] = []
  /** The first of each, by the schema that it was held against. */
  const samples = new Map<string, unknown>()
  /** Commands that printed a document, and the schemas of what each printed. */
  const commands = new Map<string, Set<string>>()

  beforeAll(async () => {
    const needed = all.filter(({ name }) => NEEDED.has(name))
    await hold(printedOfFixtures(needed))
    await hold(printed(folder))
    metInAll = new Set(met)
    const others = all.filter(({ name }) => !NEEDED.has(name))
    await hold(printedOfFixtures(turnOfFamilies(others, 32, versionOf, 4)))
  })

  async function hold(documents: AsyncIterable<Printed>): Promise<void> {
    for await (const { what, schema, value } of documents) {
      if (!samples.has(schema)) samples.set(schema, value)
      if (schema !== 'error.json') {
        const [name] = what.split(' ', 1)
        commands.set(name, (commands.get(name) ?? new Set()).add(schema))
      }
      const fault = faultOf(schema, value)
      if (fault !== undefined) wrong.push(`${what}: ${fault}`)
    }
  }

  function faultOf(schema: string, value: unknown): string | undefined {
    const validate = ajv.getSchema(schema)
    if (!validate) return `no schema ${schema}`
    return validate(value) ? undefined : `${schema}: ${ajv.errorsText(validate.errors)}`
  }

  test('know every key of every document that is printed', () => {
    expect(wrong).toEqual([])
  })

  test('are held against what every command prints: its examples in help, or a call in printed.ts', () => {
    expect(Object.keys(COMMANDS).filter((name) => !commands.has(name))).toEqual([])
  })

  test('are those that Python knows of each command', () => {
    const others = Object.entries(DOCUMENTS_OF).flatMap(([name, kinds]) =>
      Array.from(commands.get(name) ?? [])
        .filter((schema) => !schema.includes('#') && !kinds.includes(schema.slice(0, -'.json'.length)))
        .map((schema) => `${name}: ${schema}`),
    )
    expect(others).toEqual([])
  })

  // A field of the format, or an option of a filter, is printed only if a fixture has it: docs/format.md says "in no fixture" of a filter.
  test('name no key that is never printed (else: a fixture or a call in printed.ts that has it)', () => {
    const missed = KEYS.map(({ where }) => where).filter((where) => !metInAll.has(where))
    expect(missed.filter((where) => !LARGE_ONLY.test(where))).toEqual([])
  })

  test('are each used, and so are those of lines', () => {
    const unused = FILES.filter((file) => !samples.has(file) && file !== 'common.json' && file !== 'document.json')
    const lines = FILES.filter((file) => hasLine(schemaOf(file))).map((file) => `${file}#/$defs/line`)
    expect([...unused, ...lines.filter((line) => !samples.has(line))]).toEqual([])
  })

  test('refuse a document with a key more, or one of its first keys less', () => {
    for (const [schema, value] of samples) {
      if (!isSchema(value) || FREE_LINES.includes(schema)) continue
      expect([schema, faultOf(schema, { ...value, key_of_tomorrow: 1 })]).not.toEqual([schema, undefined])
      const [first, ...rest] = Object.keys(value)
      const without = Object.fromEntries(rest.map((key) => [key, value[key]]))
      expect([schema, first, faultOf(schema, without)]).not.toEqual([schema, first, undefined])
    }
  })

  test('are together document.json, which takes any document', () => {
    const documents = [...samples].filter(([schema]) => !schema.includes('#'))
    expect(documents.flatMap(([, value]) => faultOf('document.json', value) ?? [])).toEqual([])
    expect(faultOf('document.json', { kind: 'array' })).toBeDefined()
  })
})

describe('every key', () => {
  /** The schema with all that it refers to. */
  function* resolved({ schema, root }: { schema: Schema; root: Schema }): Generator<Schema> {
    yield schema
    const alternatives = [schema.anyOf ?? []].flat().filter(isSchema)
    for (const one of [schema, ...alternatives]) {
      if (typeof one.$ref === 'string') {
        const [file, name] = one.$ref.split('#/$defs/')
        const target = file === '' ? root : schemaOf(file)
        const found = isSchema(target.$defs) ? target.$defs[name] : undefined
        if (isSchema(found)) yield* resolved({ schema: found, root: target })
      } else if (one !== schema) yield one
    }
  }

  test('has a description', () => {
    const without = KEYS.filter((key) => ![...resolved(key)].some(({ description }) => typeof description === 'string'))
    expect(without.map(({ where }) => where)).toEqual([])
  })

  const UNIT =
    /\b(bytes?|cells?|tiles?|chunks?|files?|fragments?|milliseconds|seconds|number of|index|identifier|version|level|a ratio|bits|pixels|values?|unit|0 to|MBRs|on disk|the sum)\b/i

  test('that is a number has its unit in the description', () => {
    const numbers = KEYS.filter((key) =>
      [...resolved(key)].some(({ type }) => [type].flat().some((one) => one === 'integer' || one === 'number')),
    )
    expect(numbers.length).toBeGreaterThan(100)
    const without = numbers.filter(
      (key) => ![...resolved(key)].some(({ description }) => UNIT.test(String(description))),
    )
    expect(without.map(({ where }) => where)).toEqual([])
  })
})

describe('the lists of codes are those of the program', () => {
  const { $defs } = schemaOf('common.json')

  test('of errors', () => expect($defs.ErrorCode.enum).toEqual(Object.keys(ERROR_CODES)))
  test('of findings', () => expect($defs.FindingCode.enum).toEqual(Object.keys(FINDING_CODES)))
})
