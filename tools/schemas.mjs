/**
 * Makes the JSON Schemas in `schemas` from the types in `src/documents`, and in commands with a document that nobody else prints: one file for each document, and `common.json` for the shared
 * types; and the types of the Python module. The comment of a type or key becomes its description. Fields of the footer are described by the reads in `src/format`. Needs
 * `--import ./test/fuzz/register.mjs`. With `--check`, writes nothing, and fails if a file would change.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import {
  ArrayType,
  BooleanType,
  createFormatter,
  createParser,
  createProgram,
  LiteralType,
  NeverType,
  NumberType,
  ObjectProperty,
  ObjectType,
  SchemaGenerator,
  StringType,
  UnionType,
} from 'ts-json-schema-generator'
import { footerRows } from '../test/docs/format-tables.ts'
import { DOCUMENTS_OF } from '../test/schemas/printed-by.ts'
import { PythonDocuments, pythonCommands } from './python-types.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DOCUMENTS = join(ROOT, 'src/documents')
const COMMANDS = join(ROOT, 'src/commands')
const SCHEMAS = join(ROOT, 'schemas')

/** Types that are printed in another form than they have in memory. */
const PRINTED = {
  Int64: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?\\d+$' }] },
  Float: { anyOf: [{ type: 'number' }, { enum: ['NaN', 'Infinity', '-Infinity'] }] },
  Sum: { anyOf: [ref('Int64'), ref('Float')] },
  Binary: {
    type: 'object',
    properties: {
      base64: { description: 'The bytes in base64.', type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' },
    },
    required: ['base64'],
    additionalProperties: false,
  },
  CellValue: {
    anyOf: [
      { type: ['null', 'boolean', 'number', 'string'] },
      ref('Binary'),
      { type: 'array', items: { type: ['boolean', 'number', 'string'] } },
    ],
  },
  Path: { anyOf: [{ type: 'string' }, ref('Binary')] },
  StoredName: { anyOf: [{ type: 'string' }, ref('Binary')] },
}

/** Types whose keys are fields of the footer. Keys without a comment get what docs/format.md says of the field, too. */
const FOOTERS = ['WholeFooter', 'OldFooter', 'FooterWithoutSchema', 'FooterFieldOffsets']

/** The fields of the footer, by name, in stored order. */
const FOOTER_FIELDS = new Map((await footerRows()).map((row) => [row.field, row]))

/** The schema of a key that is a field of the format. */
function asField(schema, { type, versions, meaning }) {
  const since = versions === 'all' ? '' : ` ${capital(versions).replace(' ', ' format ')}.`
  const whole = schema.type === 'number' && type.startsWith('uint') ? { type: 'integer', minimum: 0 } : schema
  return { ...whole, description: `${capital(meaning)}.${since}` }
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1)
}

/** Placeholder for the type bigint, until its schema is written. */
const BIGINT = 'bigint'

function ref(name) {
  return { $ref: `#/definitions/${name}` }
}

const WORKED_OUT = {
  boolean: new BooleanType(),
  string: new StringType(),
  number: new NumberType(),
  bigint: new LiteralType(BIGINT),
}

/** Types of lists. All of them are printed as arrays. */
const LISTS = new Set(['List', 'TileValues', 'Iterable', 'AsyncIterable'])

class ListParser {
  constructor(parser) {
    this.parser = parser
  }
  supportsNode(node) {
    return LISTS.has(node.typeName?.escapedText)
  }
  createType(node, context) {
    return new ArrayType(this.parser.createType(node.typeArguments[0], context))
  }
}

/** Parses text for people, which the type only marks. */
class ProseParser {
  supportsNode(node) {
    return node.typeName?.escapedText === 'Prose'
  }
  createType() {
    return new StringType()
  }
}

/** Parses the type bigint: 64-bit integers of the format. */
class BigIntParser {
  supportsNode(node) {
    return node.parent && node.getText() === 'bigint'
  }
  createType() {
    return new LiteralType(BIGINT)
  }
}

/** Parses types whose names come from a table of values. The compiler computes them. */
class NamesParser {
  supportsNode(node) {
    return ['SlotSectionName', 'SectionName'].includes(node.typeName?.escapedText)
  }
  createType(node) {
    return new UnionType(checker.getTypeAtLocation(node).types.map(({ value }) => new LiteralType(value)))
  }
}

/** Parses the fields of the footer, which the compiler infers from the reads. */
class FieldsParser {
  supportsNode(node) {
    return (node.typeName ?? node.expression)?.escapedText === 'FooterFields'
  }
  createType(node) {
    const all = checker.getTypeAtLocation(node)
    const stored = [...FOOTER_FIELDS.keys()]
    const fields = all.getProperties().map((field) => {
      const type = checker.getTypeOfSymbol(field)
      const whole = checker.getNonNullableType(type)
      const made = WORKED_OUT[checker.typeToString(whole)]
      if (!made) throw new Error(`${field.name}: no schema for ${checker.typeToString(whole)}`)
      return new ObjectProperty(field.name, made, whole === type)
    })
    fields.sort((a, b) => stored.indexOf(a.getName()) - stored.indexOf(b.getName()))
    return new ObjectType('FooterFields', [], fields, false)
  }
}

/** Parses bytes that come in pages. They appear in unions with `Binary`, and are printed in the same way. */
class PagedBytesParser {
  supportsNode(node) {
    return node.typeName?.escapedText === 'PagedBytes'
  }
  createType() {
    return new NeverType()
  }
}

/** Where types of documents are: `src/documents`, and the files of commands that have the type of their own document. */
const FILES = [DOCUMENTS, COMMANDS]
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((file) => file.startsWith(DOCUMENTS) || /^export interface \w+Document\b/m.test(readFileSync(file, 'utf8')))
  .filter((file) => file.endsWith('.ts'))

const config = {
  path: `{${FILES.join(',')}}`,
  tsconfig: join(ROOT, 'tsconfig.json'),
  type: '*',
  expose: 'export',
  topRef: true,
  jsDoc: 'extended',
  sortProps: false,
  skipTypeCheck: true,
  additionalProperties: false,
}
const program = createProgram(config)
const checker = program.getTypeChecker()
const parser = createParser(program, config, (chain) => {
  chain.addNodeParser(new ListParser(chain))
  chain.addNodeParser(new NamesParser())
  chain.addNodeParser(new ProseParser())
  chain.addNodeParser(new FieldsParser())
  chain.addNodeParser(new BigIntParser())
  chain.addNodeParser(new PagedBytesParser())
})
const generator = new SchemaGenerator(program, parser, createFormatter(config), config)

/** The file that defines each type. */
const homes = new Map()
for (const file of FILES) {
  const text = readFileSync(file, 'utf8')
  for (const [, name] of text.matchAll(/^export (?:interface|type) (\w+)/gm)) homes.set(name, basename(file, '.ts'))
}

/** All types in documents and lines, by name. Some of them exist only in memory. */
const types = {}
const roots = [...homes.keys()].filter((name) => /(?:Document|Line)$/.test(name))
for (const name of roots) Object.assign(types, generator.createSchema(name).definitions)
for (const [name, schema] of Object.entries(PRINTED)) types[name] = { description: types[name].description, ...schema }

for (const name of FOOTERS) {
  for (const [key, schema] of Object.entries(types[name].properties)) {
    if (schema.description) continue
    const field = FOOTER_FIELDS.get(key)
    if (field) types[name].properties[key] = asField(schema, field)
    // Other types say what they are.
    else if (!schema.$ref || schema.$ref.endsWith('/Int64'))
      throw new Error(`${key} of ${name} has no comment, and no fixture has a footer with it`)
  }
}

/** The types that are printed. */
const definitions = {}
for (const name of roots) need(name)

need('Int64')

function need(name) {
  if (name in definitions) return
  definitions[name] = types[name]
  for (const [, inside] of JSON.stringify(types[name]).matchAll(/"#\/definitions\/(\w+)"/g)) need(inside)
}

/** Types that are inserted where they are used. To all others there are references. */
const INLINE = new Set(['Count', 'Integer', 'Hex', 'PixelFormat', 'FindingNum', 'ReadTimes', 'TileIndex', 'TileNum'])
const homeOf = (name) => homes.get(name) ?? 'common'
const own = (name) => (name.endsWith('Line') ? 'line' : name)

/** The schema with references relative to a file. */
function placed(schema, file) {
  if (Array.isArray(schema)) return schema.map((one) => placed(one, file))
  if (typeof schema !== 'object' || schema === null) return schema
  if (schema.const === BIGINT) return placed({ ...schema, ...ref('Int64'), const: undefined, type: undefined }, file)
  const { $ref, ...rest } = schema
  const name = $ref?.slice('#/definitions/'.length)
  if (INLINE.has(name)) return placed({ ...definitions[name], ...rest }, file)
  const out = {}
  if (name !== undefined) {
    const home = homeOf(name)
    const root = name.endsWith('Document')
    out.$ref = `${home === file ? '' : `${home}.json`}#${root ? '' : `/$defs/${own(name)}`}`
  }
  for (const [key, value] of Object.entries(rest)) {
    // A constant implies its type.
    if (key === 'type' && ('const' in rest || 'enum' in rest)) continue
    if (key === 'additionalItems') continue
    if (key === 'items' && Array.isArray(value)) out.prefixItems = placed(value, file)
    else out[key] = key === 'properties' ? mapValues(value, (one) => placed(one, file)) : placed(value, file)
  }
  return out
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}

/** Shared types, and documents that are only read. */
const NOT_PRINTED = new Set(['common.json', 'steps-file.json'])

const files = new Map()
const titleOf = (file) => (file === 'common' ? 'What the documents of tiledb-inspect share' : file)
for (const file of new Set(['common', ...homes.values()])) {
  const names = Object.keys(definitions).filter((name) => homeOf(name) === file && !INLINE.has(name))
  const root = names.find((name) => name.endsWith('Document'))
  const $defs = Object.fromEntries(
    names.filter((name) => name !== root).map((name) => [own(name), placed(definitions[name], file)]),
  )
  files.set(`${file}.json`, {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: titleOf(file),
    ...(root && placed(definitions[root], file)),
    ...(Object.keys($defs).length > 0 && { $defs }),
  })
}
files.set('document.json', {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Any document of tiledb-inspect',
  description: 'Any document that `--json` prints, told apart by `kind`; an error has none.',
  anyOf: [...files.keys()].filter((file) => !NOT_PRINTED.has(file)).map((file) => ({ $ref: file })),
})

/** The type of the document of a kind. */
const rootOf = (kind) => Object.keys(definitions).find((name) => homeOf(name) === kind && name.endsWith('Document'))

const PYTHON = join(ROOT, 'python/tiledb_inspect')
const printedTypes = roots.filter((name) => !NOT_PRINTED.has(`${homeOf(name)}.json`))
/** Longest line of a schema, if it can be cut. */
const LINE = 140

/** JSON text in which what fits in a line has one: a fifth shorter than a line for each value, and a property is seen as a whole. */
function jsonText(value, indent = '') {
  const line = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= LINE) return line
  const inside = `${indent} `
  const isArray = Array.isArray(value)
  const entries = isArray
    ? value.map((one) => jsonText(one, inside))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${jsonText(one, inside)}`)
  const [open, close] = isArray ? '[]' : '{}'
  return `${open}\n${entries.map((entry) => inside + entry).join(',\n')}\n${indent}${close}`
}

/** Keys that every document has. */
const HEAD_KEYS = new Set(['kind', 'path', 'schema_version'])

/** The keys at the top of a schema. */
function topKeys({ $ref, properties = {}, anyOf = [], allOf = [] }) {
  const inside = $ref === undefined ? [] : [definitions[$ref.slice('#/definitions/'.length)]]
  const own = Object.keys(properties).filter((key) => !HEAD_KEYS.has(key))
  return [...new Set([...own, ...[...inside, ...anyOf, ...allOf].flatMap(topKeys)])]
}

/** The module with the top keys of the documents that each command prints, for its help. */
function documentKeys() {
  const entries = Object.entries(DOCUMENTS_OF).map(([name, kinds]) => {
    // Documents of other formats, and those that another command is for, would make the help long.
    const own = kinds.filter((kind) => kind === name || !/^(?:genomicsdb-.*|dump|empty)$/.test(kind))
    const lines = own.map((kind) => `${kind}: ${topKeys(definitions[rootOf(kind)]).join(', ')}`)
    const key = /\W/.test(name) ? `'${name}'` : name
    return `  ${key}: ${JSON.stringify(lines.join('\n')).replace(/^"|"$/g, "'")},`
  })
  return `/** By command: the top keys of its documents, one document a line. Made by \`npm run docs:schemas\`. */
export const DOCUMENT_KEYS: Readonly<Record<string, string>> = {\n${entries.join('\n')}\n}\n`
}

const outputs = new Map([
  [join(ROOT, 'src/cli/document-keys.ts'), documentKeys()],
  ...Array.from(files, ([file, schema]) => [join(SCHEMAS, file), `${jsonText(schema)}\n`]),
  [join(PYTHON, 'types.py'), new PythonDocuments(definitions, INLINE).text(printedTypes)],
  [join(PYTHON, '_commands.py'), await pythonCommands(rootOf)],
])

const stale = []
for (const [path, text] of outputs) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  if (process.argv.includes('--check')) stale.push(basename(path))
  else writeFileSync(path, text)
}
if (stale.length > 0) {
  process.stderr.write(`${stale.join(', ')}: not as src/documents has it; run npm run docs:schemas\n`)
  process.exitCode = 1
}
