/**
 * Writes the types of the Python module: a class for each document, from the schemas that tools/schemas.mjs has made, and the options of
 * each command, from the command itself.
 */

import { Command } from 'commander'
import { BEST_KINDS, CELL_ORDERS, EMITTED, ROLES } from '../src/calls/choices.ts'
import { LIST_ORDERS } from '../src/calls/list-order.ts'
import { addTimesOptions } from '../src/calls/times.ts'
import { SEVERITIES } from '../src/check/codes.ts'
import { LEVELS } from '../src/check/finding.ts'
import { addCommonOptions } from '../src/cli/args.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { formatNames } from '../src/cli/formats.ts'
import { READ_ORDERS } from '../src/read/query.ts'
import { DOCUMENTS_OF } from '../test/schemas/printed-by.ts'

/** Commands with their own function in the module, which has the options, too. */
const ONLY_OPTIONS = ['page']

const KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

const HEAD = '# Made by `npm run docs:schemas`. Changes belong into src/documents, or into tools/python-types.mjs.\n'

const DOCUMENTS_HEAD = `"""The types of the documents: what the keys of the dicts are, and what they mean.

    from tiledb_inspect.types import CheckDocument, CheckFinding

Dicts with these keys are what the functions of the module return. A key that is NotRequired is left out where it says nothing.
"""

${HEAD}
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired
elif sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    # Older Pythons do not tell such keys from others while they run. Type checkers do.
    NotRequired = Optional
`

/** What the Python module makes of some types. It gets integers as numbers, however large. */
const OF_PYTHON = { Int64: { type: 'integer' }, CellsLine: { type: 'object', additionalProperties: ref('CellValue') } }

function ref(name) {
  return { $ref: `#/definitions/${name}` }
}

/** A Python string literal. */
function quoted(text) {
  return JSON.stringify(text)
}

function literal(values) {
  const texts = values
    .filter((value) => value !== null)
    .map((value) => (typeof value === 'boolean' ? capital(String(value)) : quoted(value)))
  const types = texts.length > 0 ? [`Literal[${texts.join(', ')}]`] : []
  return values.includes(null) ? [...types, 'None'] : types
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1)
}

function union(types) {
  const all = [...new Set(types)]
  if (all.length === 1) return all[0]
  const some = all.filter((type) => type !== 'None')
  const inside = some.length === 1 ? some[0] : `Union[${some.join(', ')}]`
  return some.length < all.length ? `Optional[${inside}]` : inside
}

const SIMPLE = { null: 'None', boolean: 'bool', integer: 'int', number: 'float', string: 'str' }

/** The classes of documents, as the text of a Python module. */
export class PythonDocuments {
  written = new Map()
  constructor(definitions, inline) {
    this.definitions = { ...definitions, ...OF_PYTHON }
    this.inline = inline
  }

  /** @param roots names of types that are written, with all that they need */
  text(roots) {
    for (const name of roots) this.need(name)
    return [DOCUMENTS_HEAD, ...this.written.values()].join('\n')
  }

  need(name) {
    if (this.written.has(name)) return
    // Its place is kept, so that a type that contains itself ends.
    this.written.set(name, '')
    const made = this.made(name, this.definitions[name])
    this.written.delete(name)
    this.written.set(name, made)
  }

  made(name, schema) {
    if (schema.type === 'object' && schema.properties) return this.classOf(name, schema)
    const about = schema.description === undefined ? '' : `\n${docstring(schema.description, '')}`
    return `\n${name} = ${this.type(schema, name)}${about}`
  }

  classOf(name, { properties, required = [], description }) {
    const keys = Object.entries(properties).map(([key, schema]) => {
      const type = this.type(schema, name + key.split('_').map(capital).join(''))
      const about = schema.description ?? this.definitions[nameOf(schema)]?.description
      return { key, about, type: required.includes(key) ? type : `NotRequired[${type}]` }
    })
    if (keys.some(({ key }) => KEYWORDS.has(key) || !/^\w+$/.test(key))) {
      const lines = keys.map(({ key, type }) => `        ${quoted(key)}: ${type},\n`)
      return `\n${name} = TypedDict(\n    ${quoted(name)},\n    {\n${lines.join('')}    },\n)${description ? `\n${docstring(description, '')}` : ''}`
    }
    const lines = keys.map(({ key, type, about }) => `    ${key}: ${type}\n${about ? docstring(about, '    ') : ''}`)
    return `\n\nclass ${name}(TypedDict):\n${description ? `${docstring(description, '    ')}\n` : ''}${lines.join('') || '    pass\n'}`
  }

  /** The type as an expression. @param place a name for what has none */
  type(schema, place) {
    const name = nameOf(schema)
    if (name !== undefined) return this.reference(name, place)
    if (schema.anyOf) return union(schema.anyOf.map((one, i) => this.type(one, place + (i === 0 ? '' : i))))
    if (schema.enum) return union(literal(schema.enum))
    if (schema.const === 'bigint') return 'int'
    if (typeof schema.const === 'number') return `Literal[${schema.const}]`
    if ('const' in schema) return union(literal([schema.const]))
    if (Array.isArray(schema.type)) return union(schema.type.map((type) => this.type({ ...schema, type }, place)))
    if (schema.type === 'array') return `List[${this.elements(schema, place)}]`
    if (schema.type !== 'object') return SIMPLE[schema.type] ?? 'Any'
    if (schema.properties) {
      this.definitions[place] = schema
      return this.reference(place)
    }
    const { additionalProperties: values } = schema
    return `Dict[str, ${typeof values === 'object' ? this.type(values, place) : 'Any'}]`
  }

  /** JSON has lists where TypeScript has tuples, and Python's tuples are another type. */
  elements({ items, additionalItems }, place) {
    if (items === undefined || typeof items !== 'object') return 'Any'
    const all = [items].flat().map((one) => this.type(one, `${place}Item`))
    if (typeof additionalItems === 'object') all.push(this.type(additionalItems, `${place}Item`))
    return all.length === 0 ? 'Any' : union(all)
  }

  reference(name, place) {
    if (this.inline.has(name)) return this.type(this.definitions[name], place)
    this.need(name)
    return quoted(name)
  }
}

function nameOf({ $ref }) {
  return $ref?.slice('#/definitions/'.length)
}

/** A docstring, in lines of at most 120 characters. */
function docstring(text, indent) {
  const words = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").split(/\s+/)
  const lines = []
  let line = `${indent}"""`
  for (const [i, word] of words.entries()) {
    if (i > 0 && line.length + word.length + 4 > 120) {
      lines.push(line)
      line = `${indent}${word}`
    } else line += i === 0 ? word : ` ${word}`
  }
  const end = line.endsWith('"') ? ' """' : '"""'
  return `${[...lines, line + end].join('\n')}\n`
}

/** Options that say how the program shows what it finds: the module asks for JSON, Arrow or a file. */
const SHOWN = new Set([
  'format',
  'json',
  'output',
  'int64',
  'full',
  'vertical',
  'color',
  'requests',
  'noPager',
  'quiet',
  'svg',
  'open',
  'static',
])

const CHOICES = {
  level: LEVELS,
  failOn: SEVERITIES,
  order: READ_ORDERS,
  sort: LIST_ORDERS,
  role: ROLES,
  cellOrder: CELL_ORDERS,
  emit: EMITTED,
  best: BEST_KINDS,
}

/** The types of options by what stands for their values in help. All others are text. */
const VALUES = {
  n: 'int',
  ms: 'float',
  'MB/s': 'float',
  bytes: 'Union[int, str]',
  time: 'Time',
  'T1..T2': 'Times',
  'T1[..T2]': 'Union[Time, Literal[True]]',
  'NAME=LO..HI': 'Ranges',
  'NAME=V,…': 'Cells',
  'I..J': 'Union[int, str]',
  'A..B': 'Union[int, str]',
  'KEY=VALUE': 'Values',
  'KEY=JSON': 'Values',
  'NAME=pipeline': 'Values',
  'name=n': 'Values',
  file: 'Path',
  dir: 'Path',
}

/** Types of options whose values are not like those of others. */
const ODD = { depth: 'Union[int, Literal["all"]]', key: 'Union[str, bytes]' }

/** Types that can name several values already. */
const MANY = new Set(['Ranges', 'Cells', 'Values', 'Times'])

function optionType(option) {
  const name = option.attributeName()
  const choices = option.argChoices ?? CHOICES[name]
  if (choices) return union(literal(choices))
  const value = /[<[](.*)[>\]]$/.exec(option.flags)?.[1]
  if (value === undefined) return 'bool'
  const one = ODD[name] ?? VALUES[value] ?? 'str'
  return option.parseArg && !MANY.has(one) ? `Union[${one}, Sequence[${one}]]` : one
}

/** The keyword of an option: `--no-flips` is `no_flips`. */
function keyword(option) {
  return option.long.slice('--'.length).replaceAll('-', '_')
}

function optionLines(options) {
  const shown = options.filter(
    (option) => !SHOWN.has(option.negate && option.attributeName() === 'pager' ? 'noPager' : option.attributeName()),
  )
  const lines = shown.map(
    (option) => `    ${keyword(option)}: ${optionType(option)}\n${docstring(capital(option.description), '    ')}`,
  )
  return lines.join('') || '    pass\n'
}

const COMMANDS_HEAD = `"""The options of the commands, as keywords; and document and documents, which give the documents of any command."""

${HEAD}
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Optional, TypedDict, Union, overload

from ._values import Cells, Path, Ranges, Time, Times, Uri, Values

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import types as of
`

const DOCUMENT = `

def document(name: str, target: Uri, *arguments: Uri | int, **options: Any) -> Any:
    """The document that a command prints with \`--json\`: \`document("footer", "places/__fragments/__17…")\`. \`tiledb_inspect.types\` says
    what its keys mean; \`kind\` tells which of several documents it is. Commands that need more than a target get it as further arguments:
    \`document("tile", fragment, "lat", 0)\`.

    Raises:
        InspectError: there is no document, or only the beginning of one.
        ValueError: there are several, such as the footers of all fragments of an array.
    """
    from . import _documents

    return _documents.one_document(name, (target, *arguments), options)
`

const DOCUMENTS = `

def documents(name: str, *targets: Uri | int, **options: Any) -> Any:
    """The documents that a command prints with \`--json\`, one a target or fragment. \`document\` is for one.

    A document may say that something is damaged (\`errors\`, \`findings\`, \`not_examined\`): that raises nothing.

    Raises:
        InspectError: one of them is missing, or lacks its end. Its \`partial\` has what there is.
    """
    from . import _documents

    return _documents.all_documents(name, targets, options)
`

/** The options of each command, and the function `document`. */
export async function pythonCommands(rootOf) {
  const common = addCommonOptions(new Command(), formatNames())
  const parts = [COMMANDS_HEAD, '\n\nclass CommonOptions(TypedDict, total=False):\n', optionLines(common.options)]
  const calls = []
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const kinds = DOCUMENTS_OF[name]
    if (!kinds && !ONLY_OPTIONS.includes(name)) continue
    const module = (await load()).command
    const command = new Command(name)
    module.configure(command)
    if (module.takesTimes) addTimesOptions(command)
    const options = `${name.split('-').map(capital).join('')}Options`
    parts.push(`\n\nclass ${options}(CommonOptions, total=False):\n${optionLines(command.options)}`)
    if (!kinds) continue
    const several = command.registeredArguments[0].variadic
    const hasMore = command.registeredArguments.length > 1
    calls.push({ name, options, several, hasMore, type: kinds.map((kind) => `of.${rootOf(kind)}`).join(' | ') })
  }
  const one = (hasMore) => (hasMore ? 'target: Uri, *arguments: Uri | int' : 'target: Uri')
  for (const { name, options, hasMore, type } of calls)
    parts.push(overloaded('document', name, one(hasMore), options, type))
  parts.push(DOCUMENT)
  for (const { name, options, several, hasMore, type } of calls)
    parts.push(overloaded('documents', name, several ? '*targets: Uri' : one(hasMore), options, `list[${type}]`))
  parts.push(DOCUMENTS)
  return parts.join('')
}

/** A use of a function for one command. */
function overloaded(of, name, targets, options, type) {
  return `

@overload
def ${of}(name: Literal[${quoted(name)}], ${targets}, **options: Unpack[${options}]) -> ${type}: ...`
}
