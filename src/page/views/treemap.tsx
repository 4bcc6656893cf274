import { useMemo, useRef, useState } from 'preact/hooks'
import { sum } from '../../base/sum.ts'
import type { OneStats } from '../../documents/stats.ts'
import { heading } from '../../render/views/headings.ts'
import {
  counted,
  fieldName,
  filtersText,
  fullSizeText,
  NOTHING,
  percentText,
  ratioText,
} from '../../render/views/wording.ts'
import { cutName, Radios } from '../controls.tsx'
import { COLOURS, Drawing, mousePlace, type Sheet } from '../drawing.tsx'
import { FragmentName, shortName } from '../fragment-name.tsx'
import type { Inspected } from '../inspected.ts'
import { changeLink, type Link } from '../link.ts'
import { type Rect, squarify } from '../squarify.ts'
import { type Column, numberColumn, Table } from '../table.tsx'
import { timeOptions, timeWords } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { ViewParts, ViewProps } from '../view.ts'

/** The bytes on disk as areas. `w` of the link says by what they are summed. */
export const treemap: ViewParts = {
  call: ({ link }) => ({ words: [wayOf(link) === 'fragment' ? 'ls' : 'stats', ...timeWords(link)] }),
  Show: Treemap,
}

const WAYS = ['field', 'role', 'filters', 'fragment'] as const
type Way = (typeof WAYS)[number]

/** Upper limit on the areas. The smallest parts share one area. */
const MOST = 300
const HEIGHT = 360

/** A part of the bytes: an area of the drawing and a row of the table. */
interface Part {
  /** Parts of the same kind have the same colour. */
  kind: string
  /** What tells the part from others of its kind. */
  more: string
  size: number
  unfiltered_size: number | null
}

function wayOf({ w }: Link): Way {
  return WAYS.find((way) => way === w) ?? 'field'
}

/** The kind of schemas, commits and key-value metadata, which the overview's size leaves out. */
const OUTSIDE = 'outside of fragments'

interface Sums {
  parts: readonly Part[]
  /** The fragments that no part counts. */
  leftOut: { fragment_num: number; size: number } | undefined
}

function partsBy(way: Way, { fields, roles, filters }: OneStats): Part[] {
  if (way === 'role') return roles.map((one) => ({ ...one, kind: one.role, more: '' }))
  if (way === 'filters')
    return filters.map((one) => ({ ...one, kind: filtersText(one.filters), more: counted(one.file_num, 'file') }))
  return fields.flatMap(({ name, files }) => files.map((one) => ({ ...one, kind: fieldName(name), more: one.role })))
}

async function sumsOf(inspected: Inspected, link: Link): Promise<Sums> {
  const way = wayOf(link)
  const found = await inspected.document('stats', timeOptions(link))
  const outside: Part[] =
    found.target === 'array' ? [{ kind: OUTSIDE, more: '', size: found.other_size, unfiltered_size: null }] : []
  if (way === 'fragment') {
    const listed = await inspected.document('ls', timeOptions(link))
    if (listed.kind === 'array') {
      const parts = listed.fragments.map((one) => ({ ...one, kind: one.name, more: one.state ?? '' }))
      return { parts: [...parts, ...outside], leftOut: undefined }
    }
  }
  const { fragment_metadata } = found
  const parts = partsBy(way, found)
  parts.push({ kind: 'fragment metadata', more: '', size: fragment_metadata.size, unfiltered_size: null })
  // The fields of fragments that cannot be read are not known.
  const unread = found.size - sum(parts, ({ size }) => size)
  if (unread > 0) parts.push({ kind: 'other files of fragments', more: '', size: unread, unfiltered_size: null })
  return {
    parts: [...parts, ...outside],
    leftOut:
      found.target === 'array' && found.unread_size > 0 && !found.unread_counted
        ? { fragment_num: found.unread_fragment_num, size: found.unread_size }
        : undefined,
  }
}

function Treemap({ inspected, link }: ViewProps) {
  const way = wayOf(link)
  const parts = useLoaded(() => sumsOf(inspected, link), [inspected, link.t, way])
  const ways = inspected.target.type === 'array' ? WAYS : WAYS.slice(0, 3)
  return (
    <>
      <Radios
        legend="Bytes by"
        name="way"
        values={ways.map((one) => [one, one])}
        chosen={way}
        choose={(w) => changeLink(link, { w })}
      />
      <Shown of={parts} what="sizes" show={(found) => <Areas {...found} />} />
    </>
  )
}

function Areas({ parts, leftOut }: Sums) {
  const [over, setOver] = useState<Part | undefined>(undefined)
  const { shown, colours, total } = useMemo(() => areasOf(parts), [parts])
  const other = parts.find(({ kind }) => kind === OUTSIDE)?.size ?? 0
  const rects = useRef<readonly Rect[]>([])
  const draw = (sheet: Sheet): void => {
    rects.current = squarify(
      shown.map(({ size }) => size),
      sheet.width,
      sheet.height,
    )
    for (const [i, rect] of rects.current.entries()) drawArea(sheet, rect, shown[i], colours.get(shown[i].kind) ?? 0)
  }
  const under = (event: MouseEvent): Part | undefined => {
    const [x, y] = mousePlace(event)
    const at = rects.current.findIndex(
      (one) => x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height,
    )
    return shown[at]
  }
  const table = useMemo(
    () => <Table caption="Bytes" columns={columnsOf(total)} rows={parts} keyOf={(_, i) => i} first={LARGEST_FIRST} />,
    [parts, total],
  )
  return (
    <>
      <Drawing
        label={`${fullSizeText(total)} as areas. The table below has the same.`}
        height={HEIGHT}
        draw={draw}
        onMouseMove={(event) => setOver(under(event))}
        onMouseLeave={() => setOver(undefined)}
      />
      <p class="under">
        {over ? (
          <>
            <FragmentName name={over.kind} /> {over.more}: {fullSizeText(over.size)}, {shareText(over.size, total)}
          </>
        ) : (
          `Together ${fullSizeText(total)}.${other > 0 ? ` Of it, ${fullSizeText(other)} are outside of fragments.` : ''}${leftOut ? leftOutText(leftOut, total) : ''}`
        )}
      </p>
      {table}
    </>
  )
}

function areasOf(parts: readonly Part[]): {
  shown: readonly Part[]
  colours: ReadonlyMap<string, number>
  total: number
} {
  const falling = parts.filter(({ size }) => size > 0).sort((a, b) => b.size - a.size)
  const total = sum(falling, ({ size }) => size)
  const small = falling.slice(MOST)
  const rest = sum(small, ({ size }) => size)
  const shown = falling.slice(0, MOST)
  if (small.length > 0)
    shown.push({ kind: `${small.length} smaller ones`, more: '', size: rest, unfiltered_size: null })
  shown.sort((a, b) => b.size - a.size)
  const kinds = [...new Set(shown.map(({ kind }) => kind))]
  return { shown, total, colours: new Map(kinds.map((kind, i) => [kind, i % COLOURS.length])) }
}

function drawArea({ canvas, colour }: Sheet, { x, y, width, height }: Rect, { kind, more }: Part, index: number): void {
  canvas.globalAlpha = 0.3
  canvas.fillStyle = colour(COLOURS[index])
  canvas.fillRect(x, y, width, height)
  canvas.globalAlpha = 1
  canvas.strokeStyle = colour(COLOURS[index])
  canvas.strokeRect(x + 0.5, y + 0.5, Math.max(0, width - 1), Math.max(0, height - 1))
  if (width < 40 || height < 18) return
  canvas.save()
  canvas.beginPath()
  canvas.rect(x, y, width - 3, height)
  canvas.clip()
  canvas.fillStyle = colour('ink')
  canvas.textBaseline = 'top'
  canvas.fillText(fitted(canvas, shortName(kind), width - 8), x + 4, y + 4)
  if (height > 34) canvas.fillText(fitted(canvas, more, width - 8), x + 4, y + 19)
  canvas.restore()
}

/** The text, cut to the width. */
function fitted(canvas: CanvasRenderingContext2D, text: string, width: number): string {
  let shown = cutName(text)
  if (shown === text && canvas.measureText(text).width <= width) return text
  while (shown !== '' && canvas.measureText(`${shown}…`).width > width) shown = shown.slice(0, -1)
  return `${shown}…`
}

function leftOutText({ fragment_num, size }: NonNullable<Sums['leftOut']>, total: number): string {
  return ` Left out: ${counted(fragment_num, 'fragment')} that TileDB does not read, ${fullSizeText(size)}; with ${fragment_num === 1 ? 'it' : 'them'} ${fullSizeText(total + size)}.`
}

function shareText(size: number, total: number): string {
  return percentText(total === 0 ? null : size / total)
}

/** Sorts by the column `size`. */
const LARGEST_FIRST = { column: 2, down: true }

function columnsOf(total: number): readonly Column<Part>[] {
  return [
    { title: 'of', show: ({ kind }) => <FragmentName name={kind} />, by: ({ kind }) => kind },
    { title: 'what', show: ({ more }) => more || NOTHING, by: ({ more }) => more },
    numberColumn('size', ({ size }) => size, fullSizeText),
    { title: 'share', isNumber: true, show: ({ size }) => shareText(size, total), by: ({ size }) => size },
    numberColumn(heading('unfiltered_size'), ({ unfiltered_size }) => unfiltered_size, fullSizeText),
    {
      title: 'ratio',
      isNumber: true,
      show: (one) => ratioText(one.unfiltered_size, one.size),
      by: ({ unfiltered_size, size }) => (unfiltered_size === null || size === 0 ? null : unfiltered_size / size),
    },
  ]
}
