import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { fragmentFolders, openGenomicsdbArray } from '../../src/genomicsdb/array.ts'
import { type GenomicsdbFragment, openGenomicsdbFragment } from '../../src/genomicsdb/fragment.ts'
import { localFiles } from '../../src/node/file.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { readContext } from '../../src/objects/read-context.ts'
import { Folder } from '../../src/storage/source.ts'
import { FIXTURES } from './fixtures.ts'

const PACKED = `${FIXTURES}/genomicsdb`
const SUFFIX = '.tar.gz'

/** Names of the packed workspaces. */
export const WORKSPACES: readonly string[] = readdirSync(PACKED)
  .filter((name) => name.endsWith(SUFFIX))
  .map((name) => name.slice(0, -SUFFIX.length))

const BLOCK = 512

const untilZero = (text: string): string => text.split('\0', 1)[0]

/** The files of a packed workspace: its own below `ws`, and `expect.json`. */
export function* packedFiles(name: string): Generator<[path: string, content: Uint8Array]> {
  const tar = gunzipSync(readFileSync(`${PACKED}/${name}${SUFFIX}`))
  const textAt = (from: number, length: number): string => untilZero(tar.toString('utf8', from, from + length))
  let longName: string | undefined
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(textAt(at + 124, 12) || '0', 8)
    const type = textAt(at + 156, 1)
    const path: string = longName ?? textAt(at, 100)
    const content = tar.subarray(at + BLOCK, at + BLOCK + size)
    longName = type === 'L' ? untilZero(content.toString('utf8')) : undefined
    if (type === '0') yield [path.slice(path.indexOf('/') + 1), content]
    at += BLOCK * (1 + Math.ceil(size / BLOCK))
  }
}

/** Unpacks a workspace into a folder. @returns the path of the workspace; `expect.json` lies beside it */
export function unpackWorkspace(name: string, folder: string): string {
  for (const [path, content] of packedFiles(name)) {
    if (path.startsWith('input/')) continue
    const file = join(folder, name, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return join(folder, name, 'ws')
}

/** Paths of the arrays of a workspace. */
export function arraysOf(workspace: string): string[] {
  return readdirSync(workspace)
    .map((name) => `${workspace}/${name}`)
    .filter((path) => !path.includes('.') || path.includes('$'))
    .sort()
}

/** The marked fragments of an array, opened. */
export async function openFragments(array: string): Promise<GenomicsdbFragment[]> {
  const opened = await openGenomicsdbArray(new Folder(localFiles, array), readContext(nodeCodecs))
  const found: GenomicsdbFragment[] = []
  for (const one of await fragmentFolders(opened))
    if (one.isMarked) found.push(await openGenomicsdbFragment(opened, one))
  return found
}
