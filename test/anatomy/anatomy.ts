import { readdirSync } from 'node:fs'
import { openAnatomy } from '../../src/anatomy/files.ts'
import type { Part } from '../../src/anatomy/part.ts'
import { InspectError } from '../../src/base/errors.ts'
import { localFiles } from '../../src/node/file.ts'
import type { ReadContext } from '../../src/objects/read-context.ts'
import { openTarget } from '../../src/objects/target.ts'
import type { Storage } from '../../src/storage/source.ts'

/** Every file below a folder, sorted. */
export function filePaths(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort()
}

/** What the parts of a file show. */
export interface Dissected {
  role: string
  size: number
  /** Descriptions of holes and overlaps. */
  coverage: string | undefined
  /** Messages of all faults, and of invalid parts. */
  faults: string[]
  /** Gaps in the file: number of bytes and meaning. */
  gaps: string[]
  valid: number
}

/** Opens every part of a file. */
export async function dissect(path: string, cx: ReadContext, storage: Storage = localFiles): Promise<Dissected> {
  const target = await openTarget(storage, path, cx)
  if (target.type !== 'file') throw new Error(`${path} is a ${target.type}`)
  return dissected(await openAnatomy(target, { reading: cx, style: { raw: false } }), target.fragment)
}

/** {@link dissect} for parts that were opened. @param fragment is closed, too */
export async function dissected(
  { root, close }: Awaited<ReturnType<typeof openAnatomy>>,
  fragment?: { close(): Promise<void> },
): Promise<Dissected> {
  const role = root.type
  const size = root.space.length
  const found: Dissected = { role, size, coverage: undefined, faults: [], gaps: [], valid: 0 }
  try {
    const fault = await coverageFault(root, (part) => note(found, part))
    found.coverage = root.offset === 0 && root.length === size ? fault : `told as ${root.offset}+${root.length}`
  } finally {
    await close()
    await fragment?.close()
  }
  return found
}

function note(found: Dissected, part: Part): void {
  if (part.fault) found.faults.push(`${part.name}: ${part.fault.message}`)
  else if (part.verdict === 'invalid') found.faults.push(`${part.name}: invalid`)
  if (part.verdict === 'valid') found.valid++
  if (part.type === 'gap') found.gaps.push(`${part.length} bytes: ${part.meaning}`)
  const { elements } = part
  if (!elements) return
  for (let i = 0; i < elements.count; i++) {
    elements.value(i)
    const note = elements.note?.(i)
    if (note?.verdict === 'invalid') found.faults.push(`${part.name} ${i}: ${note.meaning}`)
  }
}

/** Whether files of real releases have such a gap. */
const KNOWN_GAPS = [/the fragment's metadata does not name this file$/]

export function isKnownGap(gap: string): boolean {
  return KNOWN_GAPS.some((known) => known.test(gap))
}

/**
 * Checks that the children or elements of every part lie side by side and cover the part.
 * @param visit called with every part, parents first
 * @returns a description of the first hole or overlap; undefined if every byte belongs to exactly one part
 */
async function coverageFault(part: Part, visit?: (part: Part) => void): Promise<string | undefined> {
  visit?.(part)
  const end = part.offset + part.length
  const { elements } = part
  if (elements) {
    let at = part.offset
    for (let i = 0; i <= elements.count; i++) {
      const start = elements.start(i)
      if (i === 0 ? start !== at : start < at) return `${part.name}: element ${i} starts at ${start}, expected ${at}`
      at = start
    }
    if (at !== end) return `${part.name}: elements end at ${at}, expected ${end}`
  }
  const children = await part.children?.()
  if (!children) return undefined
  let at = part.offset
  let own = false
  for (let i = 0; i < children.count; i++) {
    const child = await children.at(i)
    const inner = await coverageFault(child, visit)
    if (inner) return `${part.name} / ${inner}`
    if (child.space !== part.space) {
      if (child.offset !== 0 || child.length !== child.space.length) {
        return `${part.name}: ${child.name} spans ${child.offset}+${child.length} of ${child.space.length} bytes`
      }
      continue
    }
    own = true
    if (child.offset !== at) return `${part.name}: ${child.name} starts at ${child.offset}, expected ${at}`
    if (child.length > 0 && children.find(child.offset) < 0) return `${part.name}: ${child.name} is not found`
    at += child.length
  }
  return own && at !== end ? `${part.name}: children end at ${at}, expected ${end}` : undefined
}

/** A storage that cannot list folders, as over plain HTTP. The array is not copied: a flip is tried on its tile or file alone. */
export const unlisted: Storage = {
  kind: (path) => localFiles.kind(path),
  open: (path) => localFiles.open(path),
  list: async (path) => {
    throw new InspectError('NO_LISTING', 'no listing', { file: path })
  },
}
