import { type ColumnData, cellBytes } from '../../cells/column.ts'
import { numbersOf } from '../../cells/elements.ts'
import type { OpenedArray } from '../../read/query.ts'
import { batchesOf, hashOf, Texts } from '../cell-texts.ts'
import { type DataFields, NAMED_SINCE } from './dataset.ts'
import type { NameRoom } from './name-room.ts'

/*
 * One pass over the cells of the array `data`, in order of their coordinates. Memory holds a few numbers for each sample and contig,
 * and the long records around the current cell.
 *
 * A cell is a record or an anchor. An anchor repeats a long record, so that a query in its middle finds it: there is one after each
 * `gap` positions. Samples and contigs have numbers: see {@link Texts}.
 */

/** A record, by its place. Positions count from 0, as they are stored. */
export interface RecordPlace {
  contig: string
  sample: string
  start: number
  end: number
}

/** Counts records, and keeps the first few. */
export class CountedRecords {
  count = 0
  readonly first: RecordPlace[] = []

  add(place: () => RecordPlace): void {
    if (this.count++ < MAX_KEPT) this.first.push(place())
  }
}

const MAX_KEPT = 8

/** The records of a contig. */
interface ContigCount {
  records: number
  /** Where the last one starts. */
  last: number
}

/** A long record that still waits for anchors. */
interface OpenRecord {
  start: number
  end: number
  /** Where its next anchor must be. */
  next: number
}

/** Bytes of memory that an {@link OpenRecord} takes. */
const OPEN_BYTES = 64

/** Once a sample has so many open records, those whose anchor did not come are closed, and again whenever the number has doubled. */
const MANY_OPEN = 1024

function isPowerOfTwo(number: number): boolean {
  return (number & (number - 1)) === 0
}

/** Most records with the same coordinates that are compared with each other. */
const MAX_ALIKE = 64

/** What the cells of `data` are, in version 4 and later. */
export class Survey {
  cells = 0
  /** Cells that repeat a long record, for queries in its middle. */
  anchors = 0
  readonly samples: Texts
  readonly contigs: Texts
  /** How many records each sample has, by its number. */
  readonly ofSamples: number[] = []
  /** What records each contig has, by its number. */
  readonly ofContigs: ContigCount[] = []
  /** How many records of each sample repeat another one, by the number of the sample. */
  readonly repeated = new Map<number, number>()
  /** Records that lack an anchor. */
  readonly unanchored = new CountedRecords()
  /** Anchors whose record is missing, by the place that the record would have. */
  readonly orphans = new CountedRecords()
  /** Records that end before they begin. */
  readonly backward = new CountedRecords()
  private readonly gap: number
  private readonly room: NameRoom
  /** Open records, by the number of the sample. */
  private readonly open = new Map<number, OpenRecord[]>()
  /** Coordinates of the current cell. */
  private contig = -1
  private start = -1
  private sample = -1
  /** The records with these coordinates so far: the end and the hash of the alleles of each, in turn. */
  private readonly alike: number[] = []

  /**
   * @param gap distance of anchors, in positions
   * @param room memory for the names, and for the open records
   */
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

  /** Reads all cells. */
  async read(opened: OpenedArray): Promise<this> {
    const hasAlleles = opened.schema.attributes.some(({ name }) => name === 'alleles')
    for await (const { length, at, columns } of batchesOf(opened, FIELDS, 'row-major')) {
      const [contigs, starts, samples, reals, ends, alleles] = columns
      if (!contigs || !starts || !samples || !reals || !ends) continue
      const [startOf, realStartOf, endOf] = [starts, reals, ends].map(({ data }) => numbersOf('UINT32', data))
      if (!startOf || !realStartOf || !endOf) continue
      for (let cell = 0; cell < length; cell++) {
        const row = at(cell)
        const contig = this.contigs.numberOf(contigs, row)
        const sample = this.samples.numberOf(samples, row)
        const start = startOf[row] ?? 0
        this.cells++
        if (contig !== this.contig) this.closeAll()
        const isSame = contig === this.contig && start === this.start && sample === this.sample
        this.contig = contig
        this.start = start
        this.sample = sample
        if (!isSame) this.alike.length = 0
        const realStart = realStartOf[row] ?? 0
        const end = endOf[row] ?? 0
        if (start !== realStart) this.addAnchor(realStart, end)
        else this.addRecord(end, hasAlleles ? hashOfCell(alleles, row) : undefined)
      }
    }
    this.closeAll()
    return this
  }

  /** The place of a record of the current sample and contig. */
  private place(start: number, end: number): RecordPlace {
    return { contig: this.contigs.text(this.contig), sample: this.samples.text(this.sample), start, end }
  }

  /** @param alleles their hash; undefined if the array has none */
  private addRecord(end: number, alleles: number | undefined): void {
    const { contig, sample, start, gap } = this
    this.ofSamples[sample] = (this.ofSamples[sample] ?? 0) + 1
    const count = this.ofContigs[contig] ?? { records: 0, last: 0 }
    count.records++
    count.last = start
    this.ofContigs[contig] = count
    if (end < start) this.backward.add(() => this.place(start, end))
    if (alleles !== undefined) this.countIfRepeated(end, alleles)
    if (end > start + gap) {
      const open = this.open.get(sample) ?? []
      if (open.length === 0) this.open.set(sample, open)
      // If a sample has no anchors at all, nothing else closes its records.
      if (open.length >= MANY_OPEN && isPowerOfTwo(open.length)) this.closeBefore(open, start)
      this.room.take(OPEN_BYTES)
      open.push({ start, end, next: start + gap })
    }
  }

  /** Counts a record as repeated if one before it with the same coordinates has the same end and alleles. */
  private countIfRepeated(end: number, alleles: number): void {
    const { alike, sample } = this
    for (let i = 0; i < alike.length; i += 2)
      if (alike[i] === end && alike[i + 1] === alleles) {
        this.repeated.set(sample, (this.repeated.get(sample) ?? 0) + 1)
        return
      }
    if (alike.length < 2 * MAX_ALIKE) alike.push(end, alleles)
  }

  private addAnchor(realStart: number, end: number): void {
    this.anchors++
    const { sample, start } = this
    // A cell that ends before it begins is no record and no anchor.
    if (realStart > start || end < realStart) {
      this.backward.add(() => this.place(realStart, end))
      return
    }
    const open = this.open.get(sample) ?? []
    this.closeBefore(open, start)
    const found = open.findIndex((one) => one.next === start && one.start === realStart && one.end === end)
    const record = open[found]
    if (!record) {
      // If an anchor falls on the last position of its record, some writers write it, and some do not.
      if (start !== end || (start - realStart) % this.gap !== 0) this.orphans.add(() => this.place(realStart, end))
      return
    }
    record.next += this.gap
    if (record.next >= end) this.close(open, found)
  }

  private close(open: OpenRecord[], at: number): void {
    open.splice(at, 1)
    this.room.take(-OPEN_BYTES)
  }

  /** Closes the open records of a sample that lack an anchor before a position. */
  private closeBefore(open: OpenRecord[], position: number): void {
    for (let i = open.length - 1; i >= 0; i--) {
      const { start, end, next } = open[i] ?? { start: 0, end: 0, next: position }
      if (next >= position) continue
      this.close(open, i)
      this.unanchored.add(() => this.place(start, end))
    }
  }

  /** Closes the open records of all samples: the cells of their contig are over. */
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

/** What the cells of `data` are, in versions 2 and 3, where the array itself stores numbers of samples. */
export interface NumberedSurvey {
  cells: number
  anchors: number
  /** As in {@link Survey}. */
  ofSamples: ReadonlyMap<number, number>
}

export async function surveyNumbered(opened: OpenedArray, { position, real }: DataFields): Promise<NumberedSurvey> {
  const ofSamples = new Map<number, number>()
  let [cells, anchors] = [0, 0]
  for await (const { length, at, columns } of batchesOf(opened, ['sample', position, real], 'unordered')) {
    const [samples, positions, reals] = columns.map(({ data }) => numbersOf('UINT32', data))
    for (let cell = 0; cell < length; cell++) {
      const row = at(cell)
      const sample = samples?.[row] ?? 0
      cells++
      if (positions?.[row] !== reals?.[row]) anchors++
      else ofSamples.set(sample, (ofSamples.get(sample) ?? 0) + 1)
    }
  }
  return { cells, anchors, ofSamples }
}

/** Whether a survey can be made: the fields of a layout are there, and positions are UINT32. */
export function isSurveyable({ schema }: OpenedArray, version: number, { dimensions, real }: DataFields): boolean {
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
