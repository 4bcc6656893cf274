import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { SyntaxKind } from 'typescript/unstable/ast'
import { API, TypeFlags } from 'typescript/unstable/sync'

/**
 * Finds decisions on text that is for people: on values of the type `Prose` (src/base/prose.ts), on messages of errors, and on what is made of
 * them. Such text may be shown and joined. It may not be searched, matched, looked up, or compared with other text.
 *
 *     node tools/prose.mjs           says where the program decides on such text
 *     node tools/prose.mjs FOLDER    the same for the project in that folder
 *
 * A line may do so if a comment in it, or in the line before, begins with `Prose:` and says why: another program gives no code, or only the
 * look depends on the text.
 */

const project = process.argv[2]
const ROOT = project === undefined ? fileURLToPath(new URL('..', import.meta.url)) : `${resolve(project)}/`
const SOURCES = `${ROOT}src/`
const PROJECTS = ['tsconfig.json', 'src/page/tsconfig.json'].map((name) => ROOT + name).filter(existsSync)

/** Properties with these names are prose: a text in them must have that type. */
const PROSE_NAMES = new Set('message meaning advice lost not_lost loses brings_back never notes'.split(' '))

/** Methods of a text that tell something about it, or that change what it says. */
const TELLS = new Set(
  'startsWith endsWith includes match matchAll search indexOf lastIndexOf localeCompare split replace replaceAll'.split(
    ' ',
  ),
)
/** Methods of a text whose result is still the text. */
const KEEPS = new Set(
  'at charAt trim trimStart trimEnd toLowerCase toUpperCase slice substring padEnd padStart toString'.split(' '),
)
/** Methods that tell something about the text that they are given. */
const TELLS_OF = new Set('test exec has get includes indexOf lastIndexOf startsWith endsWith'.split(' '))
const COMPARISONS = new Set([
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.LessThanToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.InKeyword,
])
/** What joins texts, or chooses among them. */
const JOINS = new Set([SyntaxKind.PlusToken, SyntaxKind.QuestionQuestionToken, SyntaxKind.BarBarToken])
const ALLOWED = /\/\/ Prose: \S/

/** What is wrong, by file and line. */
const faults = new Map()
/** The names of types, because each question costs time. */
const names = new Map()

function check({ program, checker, configFileName }) {
  const folder = configFileName.slice(0, -'tsconfig.json'.length)
  const sites = []
  for (const name of program.getSourceFileNames()) {
    // The page's project has the modules that it imports, too. They are checked with the others.
    if (!name.startsWith(SOURCES) || !name.startsWith(folder)) continue
    const file = program.getSourceFile(name)
    for (const site of decisions(file)) sites.push({ name, file, ...site })
    for (const { node, type } of textsNamedAsProse(file))
      report(name, file, node, `${node.text} is ${type.getText(file)}, expected Prose`)
  }
  // One question for all places is much faster than one for each.
  const types = checker.getTypeAtLocation(sites.map(({ operand }) => operand))
  sites.forEach(({ name, file, node, operand }, i) => {
    if (!isProse(checker, operand, types[i])) return
    report(name, file, node, `decides on the text ${operand.getText(file)}`)
  })
}

function report(name, file, node, fault) {
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
  const lines = file.text.split('\n')
  if (ALLOWED.test(lines[line]) || ALLOWED.test(lines[line - 1] ?? '')) return
  faults.set(`${name.slice(ROOT.length)}:${line + 1}`, fault)
}

/** Every place that would be a decision on a text if the operand is one. */
function* decisions(node) {
  if (node.kind === SyntaxKind.CallExpression) {
    const { expression, arguments: args } = node
    const method = expression.kind === SyntaxKind.PropertyAccessExpression ? expression.name.text : ''
    if (TELLS.has(method)) yield { node: expression.name, operand: expression.expression }
    if (TELLS_OF.has(method) && args.length > 0) yield { node: expression.name, operand: args[0] }
  } else if (node.kind === SyntaxKind.BinaryExpression && COMPARISONS.has(node.operatorToken.kind)) {
    const { left, right } = node
    if (!isNothing(left) && !isNothing(right)) {
      yield { node, operand: left }
      yield { node, operand: right }
    }
  } else if (node.kind === SyntaxKind.SwitchStatement) yield { node: node.expression, operand: node.expression }
  else if (node.kind === SyntaxKind.ElementAccessExpression) yield { node, operand: node.argumentExpression }
  for (const child of childrenOf(node)) yield* decisions(child)
}

/** Every property whose name says that it is prose, and whose type is any text. */
function* textsNamedAsProse(node) {
  const { kind, name, type } = node
  if (kind === SyntaxKind.PropertySignature || kind === SyntaxKind.PropertyDeclaration)
    if (PROSE_NAMES.has(name.text) && type && isText(type)) yield { node: name, type }
  for (const child of childrenOf(node)) yield* textsNamedAsProse(child)
}

/** Whether a type is `string`, a list or set of it, or a union with it. */
function isText(type) {
  if (type.kind === SyntaxKind.UnionType) return type.types.some(isText)
  if (type.kind === SyntaxKind.TypeReference) return type.typeArguments?.some(isText) ?? false
  if (type.kind === SyntaxKind.TypeOperator) return isText(type.type)
  if (type.kind === SyntaxKind.ArrayType) return isText(type.elementType)
  return type.kind === SyntaxKind.StringKeyword
}

function childrenOf(node) {
  const children = []
  node.forEachChild((child) => {
    children.push(child)
  })
  return children
}

/** Whether an expression stands for no text: undefined, null or ''. */
function isNothing({ kind, text }) {
  return kind === SyntaxKind.NullKeyword || (kind === SyntaxKind.Identifier && text === 'undefined') || text === ''
}

/** Whether an expression is text for people, or is made of such text. */
function isProse(checker, node, type = checker.getTypeAtLocation(node)) {
  const members = type?.isUnionType() ? type.getTypes() : [type]
  if (members.some((one) => one?.isIntersectionType() && nameOf(checker, one) === 'Prose')) return true
  // What is made of prose has the type of any text.
  if (!members.some((one) => one?.flags & TypeFlags.String)) return false
  switch (node.kind) {
    case SyntaxKind.ParenthesizedExpression:
    case SyntaxKind.AsExpression:
      return isProse(checker, node.expression)
    case SyntaxKind.TemplateExpression:
      return node.templateSpans.some(({ expression }) => isProse(checker, expression))
    case SyntaxKind.ConditionalExpression:
      return isProse(checker, node.whenTrue) || isProse(checker, node.whenFalse)
    case SyntaxKind.BinaryExpression:
      return JOINS.has(node.operatorToken.kind) && (isProse(checker, node.left) || isProse(checker, node.right))
    case SyntaxKind.ElementAccessExpression:
      return isProse(checker, node.expression)
    case SyntaxKind.CallExpression:
      return isProseCall(checker, node)
    case SyntaxKind.PropertyAccessExpression:
      return node.name.text === 'message' && checker.getSymbolAtLocation(node)?.getParent()?.name === 'Error'
    case SyntaxKind.Identifier:
      return isProseConstant(checker, node)
    default:
      return false
  }
}

/** Whether a call returns its text: `text.trim()`, or `String(error)`. */
function isProseCall(checker, { expression, arguments: args }) {
  if (expression.kind === SyntaxKind.PropertyAccessExpression)
    return (
      (KEEPS.has(expression.name.text) || TELLS.has(expression.name.text)) && isProse(checker, expression.expression)
    )
  return expression.text === 'String' && args.length > 0 && isError(checker, args[0])
}

/** Whether a name stands for a constant that is prose, or for the message of an error. */
function isProseConstant(checker, node) {
  const declared = checker.getSymbolAtLocation(node)?.valueDeclaration?.resolve()
  if (declared?.kind === SyntaxKind.BindingElement)
    return (declared.propertyName ?? declared.name).text === 'message' && isError(checker, declared.parent)
  if (declared?.kind !== SyntaxKind.VariableDeclaration || declared.initializer === undefined) return false
  return isProse(checker, declared.initializer)
}

/** Whether a value is an error, or what `catch` gives. */
function isError(checker, node) {
  const type = checker.getTypeAtLocation(node)
  const name = type && nameOf(checker, type)
  return name === 'unknown' ? node.text === 'error' : /Error\b/.test(name ?? '')
}

function nameOf(checker, type) {
  const known = names.get(type) ?? checker.typeToString(type)
  names.set(type, known)
  return known
}

const api = new API({ cwd: ROOT })
try {
  const snapshot = api.updateSnapshot({ openProjects: PROJECTS })
  for (const one of snapshot.getProjects()) check(one)
} finally {
  api.close()
}
const shown = [...faults.keys()].sort()
for (const place of shown) process.stderr.write(`${place}: ${faults.get(place)}\n`)
if (shown.length > 0) process.stderr.write('Decide on a code or key beside the text: src/base/prose.ts\n')
process.exitCode = shown.length > 0 ? 1 : 0
