import type { ColumnData } from '../../cells/column.ts'
import { openAt } from '../../read/opening.ts'
import { batchesOf, cellText } from '../cell-texts.ts'
import { openNow } from '../columns.ts'
import type { DatasetPart } from '../part.ts'
import { listAt, NAMED_SINCE, numbersByName, type VcfParts, versionOf } from './dataset.ts'
import { NameRoom } from './name-room.ts'

/** What the headers of a dataset list. */
export interface HeaderNames {
  samples: readonly string[]
  /** Contigs with their lengths; null for one without a length. */
  contigs: ReadonlyMap<string, number | null>
}

/** The samples and contigs of a dataset. Reads the cells of the headers since version 4, and metadata before. */
export async function listedBy(parts: VcfParts): Promise<HeaderNames | undefined> {
  const { data, headers } = parts
  if (((await versionOf(parts)) ?? NAMED_SINCE) < NAMED_SINCE) return data && listedByMetadata(data)
  return headers && readHeaders(headers)
}

/** The samples and contigs of a dataset of version 2 or 3. */
export async function listedByMetadata(data: DatasetPart): Promise<HeaderNames> {
  return { samples: (await listAt(data, 'all_samples')) ?? [], contigs: await numbersByName(data, 'contig_lengths') }
}

/** The samples of an array that has a cell for each: its dimension. */
export async function samplesOf(part: DatasetPart): Promise<string[]> {
  const samples: string[] = []
  const room = NameRoom.in(part)
  if (!(await isOfSamples(part)) || !part.array) return samples
  for await (const { length, at, columns } of batchesOf(await openAt(part.array), ['sample'], 'row-major')) {
    const [names] = columns
    if (names) for (let cell = 0; cell < length; cell++) samples.push(nameIn(names, at(cell), room))
  }
  return samples
}

/** Whether the only dimension of an array is the name of a sample. */
export async function isOfSamples(part: DatasetPart): Promise<boolean> {
  const [dimension, ...others] = (await part.schema())?.domain.dimensions ?? []
  return dimension?.name === 'sample' && dimension.cell_val_num === 'var' && others.length === 0
}

/** The name in a cell. @throws InspectError TOO_LARGE if memory has no room for it beside the others */
function nameIn(names: ColumnData, cell: number, room: NameRoom): string {
  const name = cellText(names, cell)
  room.add(name.length)
  return name
}

async function readHeaders(part: DatasetPart): Promise<HeaderNames> {
  const samples: string[] = []
  const contigs = new Map<string, number | null>()
  const room = NameRoom.in(part)
  if (!(await isOfSamples(part)) || !part.array) return { samples, contigs }
  let before = ''
  const opened = await openNow(part.array)
  for await (const { length, at, columns } of batchesOf(opened, ['sample', 'header'], 'row-major')) {
    const [names, headers] = columns
    if (!names || !headers) continue
    for (let cell = 0; cell < length; cell++) {
      samples.push(nameIn(names, at(cell), room))
      const lines = linesOfContigs(cellText(headers, at(cell)))
      // Nearly all headers list the same contigs.
      if (lines === before) continue
      before = lines
      addContigs(lines, contigs, room)
    }
  }
  return { samples, contigs }
}

const CONTIG = '##contig=<'

/** The lines of a header from the first contig to the last. */
function linesOfContigs(header: string): string {
  const first = header.indexOf(CONTIG)
  const last = header.lastIndexOf(CONTIG)
  const end = header.indexOf('\n', last)
  return first < 0 ? '' : header.slice(first, end < 0 ? undefined : end)
}

function addContigs(lines: string, contigs: Map<string, number | null>, room: NameRoom): void {
  for (const line of lines.split('\n')) {
    if (!line.startsWith(CONTIG)) continue
    const name = /[<,]ID=([^,>]+)/.exec(line)?.[1]
    const length = /[<,]length=(\d+)/.exec(line)?.[1]
    if (name === undefined) continue
    if (!contigs.has(name)) room.add(name.length)
    // Where headers differ, the longest is the one that all records fit into.
    const longest = Math.max(Number(length ?? 0), contigs.get(name) ?? 0)
    contigs.set(name, longest === 0 ? null : longest)
  }
}
