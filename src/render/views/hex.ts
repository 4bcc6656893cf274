import type { Children, Part, Space } from '../../anatomy/part.ts'
import { isNamed, reportPartFault, type Selection, selected } from '../../anatomy/selection.ts'
import { byteCharacter, byteDigits, offsetWidth } from '../../base/byte-text.ts'
import { inconsistent } from '../../base/errors.ts'
import { lastNotAfter } from '../../base/last-not-after.ts'
import type { Output } from '../../base/result.ts'
import { TextBuffer } from '../../rows/text-buffer.ts'
import { type Paint, painter, type Tint, tinter } from '../color.ts'
import { writeHeading } from '../table.ts'
import { cutMiddle, wrapIndented } from '../text-width.ts'
import { escapeText, formatCount, shortValue } from '../units.ts'
import { writeTitle } from './parts.ts'
import { counted, fieldName, measuredText, partName } from './wording.ts'

/** The parts that are shown. */
export interface HexSelection extends Selection {
  /** Whether only names and values are shown, without bytes. */
  tree?: boolean | undefined
}

/** Number of bytes of a row. */
const ROW = 16
/** Least width at which the field tree is beside the bytes, in terminal columns. */
const WIDE = 130
/** Width that a pipe is assumed to have. */
const PIPE_COLUMNS = 160
/**
 * Number of rows that are shown at the start and at the end of a run of bytes or values. A run is cut if it has at least two
 * rows more than these.
 */
const HEAD_ROWS = 3
const TAIL_ROWS = 1
/** Number of elements that are shown at the start of a list. The last element is shown as well. */
const HEAD_ELEMENTS = 6
/** Least width of a note, however deep it is, in terminal columns. */
const MIN_ROOM = 16
/** Most lines of a note on a terminal. A longer note loses its middle. */
const NOTE_LINES = 4
/** Indent of the second and later lines of a note. */
const CONTINUED = '    '
/** Number of bytes to read at once. */
const PIECE = 65_536

/** Shows part after part: bytes on the left and the field tree beside them, or below each row if the terminal is narrow. */
export async function hexView(parts: readonly Part[], options: HexSelection, out: Output): Promise<void> {
  const view = new HexView(out, options, await painter(out), await tinter(out))
  for (const part of parts) await view.show(part, 0)
  await view.end()
}

/** A text about a part, beside the row in which the part starts. */
interface Note {
  depth: number
  text: string
  color: number | undefined
  verdict: Part['verdict']
}

class HexView {
  private readonly buffer: TextBuffer
  private readonly out: Output
  private readonly options: HexSelection
  private readonly paint: Paint
  private readonly tint: Tint
  private readonly wide: boolean
  private readonly columns: number
  private space: Space | undefined
  private digits = 8
  private base = -1
  private bytes: (number | undefined)[] = []
  private colors: (number | undefined)[] = []
  private notes: Note[] = []
  private color = 0
  /** The bytes that were read last. Several small values are taken from one piece. */
  private piece: { space: Space | undefined; offset: number; bytes: Uint8Array } = {
    space: undefined,
    offset: 0,
    bytes: new Uint8Array(0),
  }

  constructor(out: Output, options: HexSelection, paint: Paint, tint: Tint) {
    this.buffer = new TextBuffer(out)
    this.out = out
    this.options = options
    this.paint = paint
    this.tint = tint
    this.columns = out.columns ?? PIPE_COLUMNS
    this.wide = this.columns >= WIDE
  }

  async show(part: Part, depth: number): Promise<void> {
    await this.enter(part.space, part)
    reportPartFault(part, this.options)
    const { options } = this
    const deeper = options.depth === undefined || depth < options.depth
    if (part.elements && deeper) {
      this.note(part, depth, undefined)
      await this.elements(part, depth + 1)
      return
    }
    const children = part.children && deeper ? await part.children() : undefined
    if (!children || children.count === 0) {
      const color = this.nextColor(part)
      this.note(part, depth, color)
      await this.run(part, color)
      return
    }
    const inline = await inlineFields(children)
    if (inline) {
      await this.inline(part, inline, depth)
      return
    }
    this.note(part, depth, undefined)
    await this.children(part, children, depth + 1)
  }

  /** Shows a few small fields on one line. */
  private async inline(part: Part, fields: readonly Part[], depth: number): Promise<void> {
    const color = this.nextColor(part) ?? 0
    const room = Math.floor(this.room(depth) / fields.length)
    const texts = fields.map(
      (field) => `${field.name} ${measuredText(field.value, field.unit, field.name, valueText(field.value, room))}`,
    )
    this.at(this.clipped(part.offset, Number.POSITIVE_INFINITY)[0])
    this.notes.push({
      depth,
      text: `${partName({ name: part.name })} ${fields[0].type}: ${texts.join(', ')}`,
      color,
      verdict: fields[0].verdict,
    })
    for (const [i, field] of fields.entries()) {
      const [from, to] = this.clipped(field.offset, field.offset + field.length)
      await this.put(field.space, from, to, color + (i % 2))
    }
  }

  async end(): Promise<void> {
    this.flushRow()
    await this.buffer.flush()
  }

  private nextColor(part: Part): number | undefined {
    if (part.type === 'gap' || part.length === 0) return undefined
    this.color = (this.color + 2) % 10
    return this.color
  }

  /** Changes to another space, and says so. */
  private async enter(space: Space, part: Part): Promise<void> {
    if (this.space === space) return
    this.flushRow()
    const first = this.space === undefined
    this.space = space
    this.digits = offsetWidth(space.length)
    if (space.name !== undefined)
      this.line(
        this.paint(
          'heading',
          cutMiddle(escapeText(`${space.name}: ${counted(space.length, 'byte')}, its own offsets`), this.columns),
        ),
      )
    else if (!first) this.line(this.paint('dim', `the file again, from ${part.offset}`))
    if (this.buffer.full) await this.buffer.flush()
  }

  private async children(part: Part, children: Children, depth: number): Promise<void> {
    const squeezed = !this.out.full && part.type === 'list' && children.count > HEAD_ELEMENTS + 2
    if (!squeezed) {
      for await (const { child } of selected(part, children, this.options)) await this.show(child, depth)
      return
    }
    let shown = 0
    for await (const { child, index } of selected(part, children, this.options)) {
      await this.show(child, depth)
      if (++shown < HEAD_ELEMENTS || index >= children.count - 2) continue
      await this.skipList(part, children, index + 1, depth)
      return
    }
  }

  /** Skips the elements from `index` to the last but one, and shows the last if the range includes it. */
  private async skipList(part: Part, children: Children, index: number, depth: number): Promise<void> {
    const { range } = this.options
    const last = await children.at(children.count - 1)
    const next = await children.at(index)
    const inFile = part.space.name === undefined && range !== undefined
    const end = inFile ? Math.min(last.offset, range.to + 1) : last.offset
    const until =
      inFile && last.offset > range.to ? children.find(Math.min(range.to, last.offset)) + 1 : children.count - 1
    if (until > index) {
      this.skip(next.offset, end, moreText(part, index, until), depth)
    }
    if (until === children.count - 1) await this.show(last, depth)
  }

  /** Shows the bytes of a part that has no children. */
  private async run(part: Part, color: number | undefined): Promise<void> {
    if (this.options.tree) return
    const [from, to] = this.clipped(part.offset, part.offset + part.length)
    if (to <= from) return
    const cut = this.out.full ? undefined : squeezedRows(from, to)
    if (!cut) {
      await this.put(part.space, from, to, color)
      return
    }
    await this.put(part.space, from, cut.from, color)
    this.skip(cut.from, cut.to, `more of ${part.name}`, undefined)
    await this.put(part.space, cut.to, to, color)
  }

  private clipped(from: number, to: number): [number, number] {
    const { range } = this.options
    if (!range || this.space?.name !== undefined) return [from, to]
    return [Math.max(from, range.from), Math.min(to, range.to + 1)]
  }

  private async put(space: Space, from: number, to: number, color: number | undefined): Promise<void> {
    if (this.options.tree) return
    const last = Math.min(to, space.length)
    for (let at = from; at < last; ) {
      const { piece } = this
      if (piece.space !== space || at < piece.offset || at >= piece.offset + piece.bytes.length) {
        this.piece = { space, offset: at, bytes: await space.read(at, Math.min(PIECE, space.length - at)) }
        continue
      }
      const end = Math.min(last, piece.offset + piece.bytes.length)
      for (; at < end; at++) this.byte(at, piece.bytes[at - piece.offset], color)
      if (this.buffer.full) await this.buffer.flush()
    }
  }

  /** Shows values row by row, each row with the values that start in it. */
  private async elements(part: Part, depth: number): Promise<void> {
    const { elements } = part
    if (!elements || elements.count === 0) return
    const [from, to] = this.clipped(part.offset, part.offset + part.length)
    const cut = this.out.full || isNamed(part) ? undefined : squeezedRows(from, to)
    this.color = (this.color + 2) % 10
    const color = this.color
    // Empty elements at the very start come first.
    let index = from === part.offset ? 0 : Math.max(0, lastNotAfter(elements.count, elements.start, from))
    while (index < elements.count && elements.start(index) < to) {
      const start = elements.start(index)
      if (cut && start >= cut.from && start < cut.to) {
        const next = Math.max(index + 1, lastNotAfter(elements.count, elements.start, cut.to - 1) + 1)
        const end = next < elements.count ? elements.start(next) : to
        this.skip(start, end, moreText(part, index, next), depth)
        index = next
        continue
      }
      const rowEnd = (Math.floor(Math.max(start, from) / ROW) + 1) * ROW
      let end = index + 1
      while (!isNamed(part) && end < elements.count && elements.start(end) < Math.min(rowEnd, to)) end++
      this.at(Math.max(start, from))
      this.notes.push(this.elementNote(part, index, end, depth, color))
      for (let i = index; i < end; i++) {
        const [first, next] = this.clipped(elements.start(i), elements.start(i + 1))
        const long = this.out.full ? undefined : squeezedRows(first, next)
        const tone = color + (i % 2)
        await this.put(part.space, first, long ? long.from : next, tone)
        if (!long) continue
        this.skip(long.from, long.to, `more of [${i}]`, depth)
        await this.put(part.space, long.to, next, tone)
      }
      index = end
    }
  }

  private elementNote(part: Part, from: number, to: number, depth: number, color: number): Note {
    const { elements } = part
    if (!elements) throw new TypeError(`${part.name} has no elements`)
    const room = this.room(depth)
    if (isNamed(part)) {
      const note = elements.note?.(from)
      if (note?.verdict === 'invalid')
        this.options.onFault(
          inconsistent(note.meaning ?? 'found invalid', {
            field: `${part.name}.${elements.names?.[from] ?? from}`,
          }),
        )
      const name = elements.names?.[from]
      const value = elements.value(from)
      const shown = measuredText(value, part.unit, part.name, valueText(value, room))
      const text = `[${from}]${name === undefined ? '' : ` ${fieldName(name)}`}: ${shown}`
      return {
        depth,
        text: `${text}${note?.meaning === undefined ? '' : `, ${note.meaning}`}`,
        color,
        verdict: note?.verdict,
      }
    }
    const values: string[] = []
    let left = NOTE_LINES * room
    let next = from
    for (; next < to && left > 0; next++) {
      const text = valueText(elements.value(next), room)
      values.push(text)
      left -= text.length + 2
    }
    if (next < to) values.push(`… ${formatCount(to - next)} more`)
    const first = elements.cells?.first ?? 0
    const isOne = to - from === 1
    const cells = isOne ? 'cell ' : 'cells '
    const what = elements.cells ? cells : ''
    const numbers = isOne ? `${first + from}` : `${first + from}..${first + to - 1}`
    return { depth, text: `${what}[${numbers}]: ${values.join(', ')}`, color, verdict: undefined }
  }

  /** Returns the width for the text of a note. */
  private room(depth: number): number {
    return Math.max(MIN_ROOM, this.notesWidth() - 2 * depth)
  }

  /** Returns the width for notes with their indent. */
  private notesWidth(): number {
    if (this.options.tree) return this.columns
    return this.columns - (this.wide ? this.leftWidth() + 2 : this.digits + 3)
  }

  /** Returns the indent of a field. It leaves at least {@link MIN_ROOM} columns for the text. */
  private indent(depth: number): string {
    return ' '.repeat(Math.max(0, Math.min(2 * depth, this.notesWidth() - MIN_ROOM)))
  }

  private leftWidth(): number {
    // The offset, two groups of eight bytes, and the text between bars.
    return this.digits + 1 + 2 + ROW * 3 + 1 + ROW + 2
  }

  private note(part: Part, depth: number, color: number | undefined): void {
    const offset = this.clipped(part.offset, Number.POSITIVE_INFINITY)[0]
    this.at(offset)
    this.notes.push({ depth, text: this.partText(part, this.room(depth)), color, verdict: part.verdict })
  }

  private partText(part: Part, room: number): string {
    const name = partName(part)
    const type = part.type.slice(part.type.indexOf(':') + 1)
    const meaning = part.meaning === undefined ? '' : `, ${part.meaning}`
    if (part.type === 'gap') return `${name}: ${counted(part.length, 'byte')}${meaning}`
    if (part.elements)
      return withDescription(`${name} ${type}: ${counted(part.elements.count, 'value')}${meaning}`, part, room)
    if (part.value === undefined) return `${name}, ${type}, ${counted(part.length, 'byte')}${meaning}`
    if (part.type === 'line') return `${name}: ${valueText(part.value, room)}`
    const stored = isCode(part) && String(part.value) !== String(part.stored) ? ` (${part.stored})` : ''
    const head = `${name} ${type}: `
    const value =
      part.stored !== undefined ? String(part.value) : valueText(part.value, this.valueRoom(part, head, room))
    return withDescription(
      `${head}${measuredText(part.value, part.unit, part.name, value)}${stored}${meaning}`,
      part,
      room,
    )
  }

  /** Returns the room for a value. On a terminal, text may take two lines, but bytes are cut, as they are shown beside the note. */
  private valueRoom({ value }: Part, head: string, room: number): number {
    if (this.out.columns === undefined) return room
    return value instanceof Uint8Array ? room - head.length - '… (32 bytes)'.length : 2 * room
  }

  /** Makes the row of `offset` the current one. */
  private at(offset: number): void {
    const base = Math.floor(offset / ROW) * ROW
    if (base === this.base) return
    // Notes about parts in the previous row stay beside that row.
    this.flushRow()
    this.base = base
  }

  private byte(offset: number, value: number, color: number | undefined): void {
    if (offset >= this.base + ROW || offset < this.base || this.base < 0) this.at(offset)
    this.bytes[offset - this.base] = value
    this.colors[offset - this.base] = color
  }

  private skip(from: number, to: number, text: string, depth: number | undefined): void {
    if (to <= from) return
    this.flushRow()
    const more = `${counted(to - from, 'byte')} ${text} (--full shows them)`
    const start = this.options.tree ? `${'  '.repeat(depth ?? 0)}…` : '*'.padEnd(this.digits + 2)
    this.line(this.paint('dim', `${start} ${escapeText(more)}`))
  }

  private flushRow(): void {
    if (this.base < 0) return
    const texts = this.notes.flatMap((note) => this.noteLines(note))
    const row = this.bytes.length > 0 ? this.rowText() : undefined
    if (this.options.tree) for (const text of texts) this.line(text)
    else if (this.wide) {
      const blank = ' '.repeat(this.leftWidth())
      const count = Math.max(texts.length, row === undefined ? 0 : 1)
      for (let i = 0; i < count; i++) this.line(`${(i === 0 ? row : undefined) ?? blank}  ${texts[i] ?? ''}`)
    } else {
      if (row !== undefined) this.line(row)
      for (const text of texts) this.line(`${' '.repeat(this.digits + 3)}${text}`)
    }
    this.bytes = []
    this.colors = []
    this.notes = []
    this.base = -1
  }

  /** Returns the lines of a note. On a terminal, a long note is wrapped. */
  private noteLines({ depth, text, color, verdict }: Note): string[] {
    const ending = verdict === undefined ? '' : `(${verdict})`
    const room = this.room(depth)
    const escaped = escapeText(text)
    const known = this.out.columns !== undefined
    const note = known ? cutMiddle(escaped, NOTE_LINES * room - ending.length) : escaped
    const lines = wrapIndented(ending === '' ? note : `${note} ${ending}`, known ? room : undefined, CONTINUED)
    return lines.map((line, i) => {
      // The verdict is one word at the end of the last line.
      const shown = i === lines.length - 1 ? line.slice(0, line.length - ending.length) : line
      const painted = color === undefined ? shown : this.tint(color, shown)
      const judged = shown === line ? '' : this.paint(verdict === 'valid' ? 'good' : 'bad', ending)
      return `${this.indent(depth)}${painted}${judged}`
    })
  }

  /** `000001a0  16 00 00 00 29 00 00 00  00 00 00 00 5f 5f 31 37  |....).......__17|` */
  private rowText(): string {
    const mark = this.space?.name === undefined ? ' ' : '+'
    let text = `${this.paint('dim', `${mark}${this.base.toString(16).padStart(this.digits, '0')}`)}  `
    text += this.colored((byte, i) => `${byte === undefined ? '  ' : byteDigits(byte)} ${i === 7 ? ' ' : ''}`)
    text += this.paint('dim', '|')
    text += this.colored((byte) => (byte === undefined ? ' ' : byteCharacter(byte)))
    return `${text}${this.paint('dim', '|')}`
  }

  /** Returns the texts of the bytes of a row. Neighbours with the same colour are coloured together. */
  private colored(cell: (byte: number | undefined, index: number) => string): string {
    let text = ''
    let run = ''
    let color = this.colors[0]
    for (let i = 0; i < ROW; i++) {
      if (this.colors[i] !== color) {
        text += this.colorRun(run, color)
        run = ''
        color = this.colors[i]
      }
      run += cell(this.bytes[i], i)
    }
    return text + this.colorRun(run, color)
  }

  private colorRun(text: string, color: number | undefined): string {
    if (text.trim() === '') return text
    return color === undefined ? this.paint('dim', text) : this.tint(color, text)
  }

  private line(text: string): void {
    this.buffer.add(`${text.trimEnd()}\n`)
  }
}

/** Most fields that share a line. */
const INLINE = 3

/** Returns the fields of a structure if they are a few small numbers of one type. */
async function inlineFields(children: Children): Promise<Part[] | undefined> {
  if (children.count < 2 || children.count > INLINE) return undefined
  const fields: Part[] = []
  for (let i = 0; i < children.count; i++) {
    const field = await children.at(i)
    const small =
      field.length > 0 && field.length <= 8 && field.value !== undefined && !(field.value instanceof Uint8Array)
    const plain = field.children === undefined && field.elements === undefined && field.stored === undefined
    const quiet = field.verdict !== 'invalid' && field.fault === undefined && field.meaning === undefined
    const alike = fields.length === 0 || (field.type === fields[0].type && field.verdict === fields[0].verdict)
    if (!small || !plain || !quiet || !alike) return undefined
    fields.push(field)
  }
  return fields
}

/** Returns the rows in the middle of a long run, which may be left out. */
function squeezedRows(from: number, to: number): { from: number; to: number } | undefined {
  const first = (Math.floor(from / ROW) + HEAD_ROWS) * ROW
  const last = (Math.ceil(to / ROW) - TAIL_ROWS) * ROW
  return last - first > ROW ? { from: first, to: last } : undefined
}

/** Returns a text about the elements `[from, to)` of a list, which are left out. */
function moreText({ name }: Part, from: number, to: number): string {
  return `more: ${formatCount(to - from)} of ${name}, [${to - from === 1 ? from : `${from}..${to - 1}`}]`
}

/** Whether the value is the name of a stored code. */
function isCode({ stored, type }: Part): boolean {
  return stored !== undefined && type.includes(':')
}

/** Adds the description of the field, if there is room for it and no meaning of the value. */
function withDescription(text: string, part: Part, room: number): string {
  // The description of a code is the list of codes.
  if (part.meaning !== undefined || part.description === undefined || isCode(part)) return text
  const whole = `${text}, ${part.description}`
  return whole.length <= room ? whole : text
}

function valueText(value: Parameters<typeof shortValue>[0], room: number): string {
  return typeof value === 'number' && Number.isInteger(value)
    ? String(value)
    : shortValue(value, Math.max(8, room - 12))
}

/** Writes the heading of a hex view. */
export async function hexTitle(path: string, facts: string, out: Output): Promise<void> {
  if (out.columns === undefined) await writeHeading(`${path}: ${facts}`, out)
  else await writeTitle(path, facts, out)
}
