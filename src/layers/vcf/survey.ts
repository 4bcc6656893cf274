import { type ColumnData, cellBytes } from '../../cells/column.ts'
import { numbersOf } from '../../cells/elements.ts'
import type { OpenedArray } from '../../read/query.ts'
import { batchesOf, hashOf, Texts } from '../cell-texts.ts'
import { type Layout, NAMED_SINCE } from './dataset.ts'
import type { NameRoom } from './name-room.ts'

/*
 * One pass over the cells of `data`, in order of their coordinates. Memory holds a few numbers for each sample and contig, and the long
 * records around the current cell.
 */

/** A record, by its place. Positions count from 0, as they are stored. */
export interface RecordPlace {
  contig: string
  sample: string
  start: number
  end: number
}

/** Records of which a few are kept. */
export class Met {
  count = 0
  readonly first: RecordPlace[] = []

  add(place: () => RecordPlace): void {
    if (this.count++ < MOST_KEPT) this.first.push(place())
  }
}

const MOST_KEPT = 8

/** The last position of the records of a contig, and how many there are. */
interface ContigCount {
  records: number
  last: number
}

/** A long record, and where its next anchor must be. */
interface Open {
  start: number
  end: number
  next: number
}

/** Bytes that an {@link Open} takes. */
const OPEN_BYTES = 64

/** From so many on, those that wait in vain are looked for, whenever there are twice as many. */
const MANY_OPEN = 1024

function isPowerOfTwo(number: number): boolean {
  return (number & (number - 1)) === 0
}

/** Most records at one place that are compared with each other. */
const MOST_ALIKE = 64

/** What the cells of `data` are, since version 4. */
export class Survey {
  cells = 0
  /** Cells that repeat a long record, for queries in its middle. */
  anchors = 0
  readonly samples: Texts
  readonly contigs: Texts
  /** Number of records by number of the sample, and of the contig. */
  readonly ofSamples: number[] = []
  readonly ofContigs: ContigCount[] = []
  /** Number of records that are there again, by number of the sample. */
  readonly again = new Map<number, number>()
  /** Records that lack an anchor. The place is that of the record. */
  readonly unanchored = new Met()
  /** Anchors of records that are not there. */
  readonly orphans = new Met()
  /** Records that end before they begin. */
  readonly turned = new Met()
  private readonly gap: number
  private readonly room: NameRoom
  private readonly open = new Map<number, Open[]>()
  /** Coordinates of the last cell, and what the cells with these coordinates have. */
  private contig = -1
  private start = -1
  private sample = -1
  private readonly alike: number[] = []

  /** @param gap distance of anchors @param room for the names, and for the records that wait for their anchors */
  constructor(gap: number, room: NameRoom) {
    this.gap = gap
    this.room = room
    const onNew = (length: number): void => room.add(length)
    this.samples = new Texts(onNew)
    this.contigs = new Texts(onNew)
  }

  get records(): number {
    return this.cells - this.anchors
  }

  /** Reads all cells. @param lengths called with the records beyond the end of a contig */
  async read(opened: OpenedArray): Promise<this> {
    const hasAlleles = opened.schema.attributes.some(({ name }) => name === 'alleles')
    for await (const { length, at, columns } of batchesOf(opened, FIELDS, 'row-major')) {
      const [contigs, starts, samples, reals, ends, alleles] = columns
      if (!contigs || !starts || !samples || !reals || !ends) continue
      const [start, real, end] = [starts, reals, ends].map(({ data }) => numbersOf('UINT32', data))
      if (!start || !real || !end) continue
      for (let cell = 0; cell < length; cell++) {
        const row = at(cell)
        const contig = this.contigs.numberOf(contigs, row)
        const sample = this.samples.numberOf(samples, row)
        const from = start[row] ?? 0
        this.cells++
        if (contig !== this.contig) this.closeAll()
        const isSame = contig === this.contig && from === this.start && sample === this.sample
        this.contig = contig
        this.start = from
        this.sample = sample
        if (!isSame) this.alike.length = 0
        const to = end[row] ?? 0
        if (from !== real[row]) this.anchor(real[row] ?? 0, to)
        else this.record(to, hasAlleles ? hashOfCell(alleles, row) : undefined)
      }
    }
    this.closeAll()
    return this
  }

  private place(start: number, end: number): RecordPlace {
    return { contig: this.contigs.text(this.contig), sample: this.samples.text(this.sample), start, end }
  }

  private record(end: number, alleles: number | undefined): void {
    const { contig, sample, start, gap } = this
    this.ofSamples[sample] = (this.ofSamples[sample] ?? 0) + 1
    const count = this.ofContigs[contig] ?? { records: 0, last: 0 }
    count.records++
    count.last = start
    this.ofContigs[contig] = count
    if (end < start) this.turned.add(() => this.place(start, end))
    if (alleles !== undefined) this.compare(end, alleles)
    if (end > start + gap) {
      const open = this.open.get(sample) ?? []
      if (open.length === 0) this.open.set(sample, open)
      // Where there are no anchors at all, nothing else ends the records.
      if (open.length >= MANY_OPEN && isPowerOfTwo(open.length)) this.closeBefore(open, start)
      this.room.take(OPEN_BYTES)
      open.push({ start, end, next: start + gap })
    }
  }

  /** Counts a record if another one with the same coordinates has the same end and alleles. */
  private compare(end: number, alleles: number): void {
    const { alike, sample } = this
    for (let i = 0; i < alike.length; i += 2)
      if (alike[i] === end && alike[i + 1] === alleles) {
        this.again.set(sample, (this.again.get(sample) ?? 0) + 1)
        return
      }
    if (alike.length < 2 * MOST_ALIKE) alike.push(end, alleles)
  }

  private anchor(real: number, end: number): void {
    this.anchors++
    const { sample, start } = this
    // A cell that ends before it begins is no record and no anchor.
    if (real > start || end < real) {
      this.turned.add(() => this.place(real, end))
      return
    }
    const open = this.open.get(sample) ?? []
    this.closeBefore(open, start)
    const found = open.findIndex((one) => one.next === start && one.start === real && one.end === end)
    const one = open[found]
    if (!one) {
      // At its very end, some write one, and some do not.
      if (start !== end || (start - real) % this.gap !== 0) this.orphans.add(() => this.place(real, end))
      return
    }
    one.next += this.gap
    if (one.next >= end) this.close(open, found)
  }

  private close(open: Open[], at: number): void {
    open.splice(at, 1)
    this.room.take(-OPEN_BYTES)
  }

  /** Ends the long records of a sample that should have had an anchor before a position. */
  private closeBefore(open: Open[], position: number): void {
    for (let i = open.length - 1; i >= 0; i--) {
      const { start, end, next } = open[i] ?? { start: 0, end: 0, next: position }
      if (next >= position) continue
      this.close(open, i)
      this.unanchored.add(() => this.place(start, end))
    }
  }

  /** Ends all long records of a contig. */
  private closeAll(): void {
    const current = this.sample
    for (const [sample, open] of this.open) {
      this.sample = sample
      this.closeBefore(open, Number.POSITIVE_INFINITY)
    }
    this.sample = current
    this.open.clear()
  }
}

const FIELDS = ['contig', 'start_pos', 'sample', 'real_start_pos', 'end_pos', 'alleles']

function hashOfCell(column: ColumnData | undefined, cell: number): number {
  const bytes = column && cellBytes(column, cell, 0)
  return bytes ? hashOf(bytes, 0, bytes.length) : 0
}

/** What the cells of `data` are, in versions 2 and 3: counts, by the number of a sample. */
export interface NumberedSurvey {
  cells: number
  anchors: number
  /** Number of records by number of the sample. */
  ofSamples: ReadonlyMap<number, number>
}

export async function surveyNumbered(opened: OpenedArray, { position, real }: Layout): Promise<NumberedSurvey> {
  const ofSamples = new Map<number, number>()
  let [cells, anchors] = [0, 0]
  for await (const { length, at, columns } of batchesOf(opened, ['sample', position, real], 'unordered')) {
    const [sample, found, own] = columns.map(({ data }) => numbersOf('UINT32', data))
    for (let cell = 0; cell < length; cell++) {
      const row = at(cell)
      const number = sample?.[row] ?? 0
      cells++
      if (found?.[row] !== own?.[row]) anchors++
      else ofSamples.set(number, (ofSamples.get(number) ?? 0) + 1)
    }
  }
  return { cells, anchors, ofSamples }
}

/** Whether a survey can be made: the fields of a layout are there, and positions are UINT32. */
export function isSurveyable({ schema }: OpenedArray, version: number, { dimensions, real }: Layout): boolean {
  const fields = [...schema.domain.dimensions, ...schema.attributes]
  const isNumber = (name: string): boolean =>
    fields.some((field) => field.name === name && field.type === 'UINT32' && field.cell_val_num === 1)
  const isName = (name: string): boolean => fields.some((field) => field.name === name && field.cell_val_num === 'var')
  const isText = (name: string): boolean => version >= NAMED_SINCE && (name === 'contig' || name === 'sample')
  const numbers = version >= NAMED_SINCE ? [real, 'end_pos'] : [real]
  return (
    dimensions.every((name, d) => schema.domain.dimensions[d]?.name === name) &&
    dimensions.every((name) => (isText(name) ? isName(name) : isNumber(name))) &&
    numbers.every(isNumber)
  )
}
