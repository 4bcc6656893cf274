import { faultText, type InspectError, usage } from '../base/errors.ts'
import { lastNotAfter } from '../base/last-not-after.ts'
import type { Prose } from '../base/prose.ts'
import { footerAlias } from './fragment-metadata.ts'
import type { Children, Elements, Part } from './part.ts'

/**
 * Splits a path such as `footer.fields[2].file_size` or `schema.attributes["a b"].type`. Dots separate names; brackets hold a
 * name or a number.
 */
export function parsePath(text: string): string[] {
  const steps: string[] = []
  const pattern = /\.?(?:\[(?:"((?:[^"\\]|\\.)*)"|([^\]]*))\]|([^.[\]]+))/y
  let at = 0
  while (at < text.length) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (!match) throw wrongPath('names with dots or [brackets] between them', JSON.stringify(text.slice(at)))
    const [whole, quoted, bracketed, plain] = match
    steps.push(quoted !== undefined ? unquoted(quoted) : (bracketed ?? plain))
    at += whole.length
  }
  return steps
}

/** The text between quotes. It is JSON, as {@link pathText} writes it, or has single characters escaped by a backslash. */
function unquoted(text: string): string {
  try {
    return JSON.parse(`"${text}"`)
  } catch {
    return text.replace(/\\(.)/g, '$1')
  }
}

/** Writes a list of names as a path. */
export function pathText(steps: readonly string[]): string {
  let text = ''
  for (const step of steps) {
    if (/^\d+$/.test(step)) text += `[${step}]`
    else if (/^[^.[\]"\p{Cc}]+$/u.test(step)) text += text === '' ? step : `.${step}`
    else text += `[${JSON.stringify(step)}]`
  }
  return text
}

function wrongPath(expected: Prose, found: Prose): InspectError {
  return usage({ expected, found, commandLine: `--path: ${faultText({ expected, found })}` })
}

/** Finds the part at a path below `root`. The path may leave out transparent parts. */
export async function findPath(root: Part, text: string): Promise<Part> {
  const steps = parsePath(text)
  const [head, ...rest] = steps
  const wanted = head === 'footer' ? [head, ...footerAlias(rest)] : steps
  const reached: Reached = { depth: 0, names: [] }
  const found = await findBelow(root, wanted, 0, reached)
  if (found) return found
  const at = pathText(wanted.slice(0, reached.depth))
  const names = reached.names.slice(0, MAX_LISTED)
  const more = reached.names.length > MAX_LISTED ? ', …' : ''
  throw wrongPath(
    `${at === '' ? '' : `below ${at} `}one of ${names.join(', ')}${more}`,
    JSON.stringify(wanted[reached.depth] ?? text),
  )
}

/** Most names that an error lists. */
const MAX_LISTED = 12
/** In lists longer than this, elements are found only by their number. */
const MANY = 1000

/** The deepest part that was found, for the error message. */
interface Reached {
  depth: number
  /** Names of its children. */
  names: string[]
}

/** Follows the steps from `depth` on, from a part down. */
async function findBelow(
  part: Part,
  steps: readonly string[],
  depth: number,
  reached: Reached,
): Promise<Part | undefined> {
  if (depth === steps.length) return part
  if (part.elements) return namedElement(part, part.elements, steps, depth, reached)
  const children = await part.children?.()
  if (!children) return undefined
  if (depth > reached.depth) {
    reached.depth = depth
    reached.names = []
  }
  const index = /^\d+$/.test(steps[depth]) ? Number(steps[depth]) : -1
  if (index >= 0 && index < children.count) {
    const child = await children.at(index)
    if (child.name === steps[depth]) return findBelow(child, steps, depth + 1, reached)
  }
  if (index >= 0 && children.count > MANY) return undefined
  // Paths may leave out a transparent part. What has the written name itself goes before what is below such a part.
  const transparent: Part[] = []
  for (let i = 0; i < children.count; i++) {
    const child = await children.at(i)
    for (const key of [[child.name], ...(child.keys ?? [])]) {
      if (!key.every((step, k) => step === steps[depth + k])) continue
      const found = await findBelow(child, steps, depth + key.length, reached)
      if (found) return found
    }
    if (child.transparent) transparent.push(child)
    else if (depth === reached.depth && reached.names.length < MANY)
      reached.names.push(pathText(child.keys?.[0] ?? [child.name]))
  }
  for (const child of transparent) {
    const found = await findBelow(child, steps, depth, reached)
    if (found) return found
  }
  return undefined
}

/** The parts that hold a byte, from the whole file down to the smallest. */
export async function chainTo(root: Part, offset: number): Promise<Part[]> {
  const chain: Part[] = []
  let part: Part | undefined = root
  while (part) {
    chain.push(part)
    const { elements }: Part = part
    if (elements) {
      chain.push(elementPart(part, lastNotAfter(elements.count, elements.start, offset)))
      break
    }
    const children: Children | undefined = await part.children?.()
    const index: number = children?.find(offset) ?? -1
    part = children && index >= 0 ? await children.at(index) : undefined
  }
  return chain
}

/** The element of a list of values that the last step names: by its number, or by its name. */
function namedElement(
  part: Part,
  elements: Elements,
  steps: readonly string[],
  depth: number,
  reached: Reached,
): Part | undefined {
  if (depth !== steps.length - 1) return undefined
  const step = steps[depth]
  const index = /^\d+$/.test(step) ? Number(step) : (elements.names?.indexOf(step) ?? -1)
  if (index < 0 || index >= elements.count) {
    reached.depth = depth
    reached.names = elements.names?.map((name) => pathText([name])) ?? [`0 to ${elements.count - 1}`]
    return undefined
  }
  return elementPart(part, index)
}

/** Makes the part of one element of a list of values. */
export function elementPart(part: Part, index: number): Part {
  const { elements, space, unit } = part
  if (!elements) throw new TypeError(`${part.name} has no elements`)
  const offset = elements.start(index)
  const note = elements.note?.(index)
  const { cells } = elements
  const cell = (cells?.first ?? 0) + index
  return {
    name: String(index),
    label: elements.names?.[index],
    type: part.type.replace(/\[\]$/, ''),
    space,
    offset,
    length: elements.start(index + 1) - offset,
    value: elements.value(index),
    unit,
    ...note,
    cells: cells && { tile: cells.tile, from: cell, to: cell },
  }
}
