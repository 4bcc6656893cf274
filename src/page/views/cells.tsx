import { useEffect, useRef } from 'preact/hooks'
import { exitCodeOf } from '../../base/errors.ts'
import { wholeDays } from '../../calls/ranges.ts'
import type { CellValue } from '../../documents/common.ts'
import { PROVENANCE } from '../../read/query.ts'
import { formatCount } from '../../render/units.ts'
import { fillWords, optionWords, Queried, type QueryOptions, queryOptions } from '../cell-query.tsx'
import { Button, focusAround } from '../controls.tsx'
import { Damaged } from '../damaged.tsx'
import { FragmentName } from '../fragment-name.tsx'
import type { Documents, Inspected } from '../inspected.ts'
import type { Job } from '../job.ts'
import { changeLink, type Link, viewLink } from '../link.ts'
import { listInLink } from '../range-list.ts'
import { type ShortCell, shortCell } from '../short-cell.ts'
import { type Column, Table } from '../table.tsx'
import type { ShownCell, ShownCells } from '../tasks.ts'
import { Text } from '../text.tsx'
import { useReading } from '../use-reading.ts'
import type { ViewParts, ViewProps } from '../view.ts'

/**
 * The cells that a reader gets (`read`), or those of a single fragment (`decode`). The link has the query ({@link queryOptions}), and
 * `s` is the index of the first row.
 */
export const cells: ViewParts = {
  call: ({ inspected, link }) => ({
    words: [commandFor(inspected), ...optionWords({ ...optionsFor(inspected, link), limit: pageEnd(link) })],
  }),
  Show: Cells,
}

function commandFor({ target }: Inspected): 'read' | 'decode' {
  return target.type === 'fragment' ? 'decode' : 'read'
}

/** The options of the command. A fragment has one order of its cells, and the same cells at any time. */
function optionsFor({ target }: Inspected, link: Link): QueryOptions {
  const { asOf, where, order, provenance, ...shared } = queryOptions(link)
  return target.type === 'fragment' ? shared : queryOptions(link)
}

/** Number of rows of a page. Only one page is kept. */
const PAGE = 200

function firstRow({ s }: ViewProps['link']): number {
  const row = Number(s ?? 0)
  return Number.isSafeInteger(row) && row > 0 ? row : 0
}

/** The limit with which the command reads up to the end of the page. */
function pageEnd(link: ViewProps['link']): string {
  const end = firstRow(link) + PAGE
  return link.n === undefined || Number(link.n) > end ? String(end) : link.n
}

function Cells(props: ViewProps) {
  return <Queried {...props} show={(schema) => <CellRows schema={schema} {...props} />} />
}

interface Page extends ShownCells {
  /** Whether no rows follow. */
  isEnd: boolean
}

/** A paused read. */
interface Cursor {
  /** Its options as text. */
  key: string
  /** Index of the next row. */
  position: number
  job: Job<ShownCells>
}

function CellRows({ schema, inspected, link }: ViewProps & { schema: Documents['schema'] }) {
  const kept = useRef<Cursor | undefined>(undefined)
  const from = firstRow(link)
  const names = schema.dimensions.map(({ name }) => name)
  // Without a limit, `read` would first find out how much there is.
  const options: QueryOptions = { limit: String(Number.MAX_SAFE_INTEGER), ...optionsFor(inspected, link) }
  const key = JSON.stringify(options)
  const reading = useReading<Page>(
    async (progress) => {
      const old = kept.current
      kept.current = undefined
      const isNext = old?.key === key && old.position === from
      if (!isNext) old?.job.stop()
      const job = isNext
        ? old.job
        : inspected.begin('cells', commandFor(inspected), options, names, { from, size: PAGE })
      progress.onStop(job.stop)
      while (true) {
        const { done, value } = await job.next()
        if (done) return { ...value, isEnd: true }
        if (value.isFull) {
          kept.current = { key, position: value.read, job }
          return { ...value, isEnd: false }
        }
        await progress.show({ ...value, isEnd: false })
      }
    },
    [inspected, key, from],
  )
  useEffect(() => () => kept.current?.job.stop(), [])

  const { value, isDone, error } = reading
  const to = (row: number) => changeLink(link, { s: row > 0 ? String(row) : undefined })
  const shownNum = value ? value.rows.length : 0
  const readable = value && value.faults.length > 0 ? ' that can be read in full' : ''
  return (
    <>
      <p role="status">
        {!isDone && `Reading cells … ${value ? formatCount(value.read) : ''}`}
        {isDone &&
          shownNum > 0 &&
          `Cells ${formatCount(from + 1)} to ${formatCount(from + shownNum)}${value?.isEnd ? `, the last${readable}` : ''}.` +
            (inspected.target.type === 'array' ? fillWords(schema, options) : '')}
        {error && exitCodeOf(error) === 1 && ' Stopped at damage.'}
        {isDone && shownNum === 0 && !error && (from > 0 ? 'There are no more cells.' : `No cell${readable}.`)}
      </p>
      <Days days={wholeDays(schema.dimensions, options.range ?? [])} link={link} />
      <p>
        <Button disabled={from === 0} onClick={() => to(0)}>
          First
        </Button>{' '}
        <Button disabled={from === 0} onClick={() => to(from - PAGE)}>
          Back
        </Button>{' '}
        <Button disabled={isDone && value?.isEnd !== false} onClick={() => isDone && to(from + PAGE)}>
          Next {PAGE}
        </Button>
      </p>
      <Damaged {...{ inspected, link, error }} faults={value?.faults} isUnderWay={!value?.isEnd} canGoOn />
      {value && shownNum > 0 && (
        <Table
          caption="Cells"
          columns={columnsOf(schema, value.rows[0], inspected, link)}
          rows={value.rows}
          keyOf={(_, i) => from + i}
        />
      )}
    </>
  )
}

/** Says that a date without a time is one instant. @param days the ranges of the days, which may have been meant */
function Days({ days, link }: { days: readonly string[]; link: Link }) {
  const withDay = (day: string): string => {
    const name = day.slice(0, day.indexOf('..')).replace(/[^=]*$/, '')
    const ranges = listInLink(link.r).map((range) => (range.startsWith(name) ? day : range))
    return viewLink(link, 'cells', { ...link, r: JSON.stringify(ranges), s: undefined })
  }
  return (
    <div tabIndex={-1}>
      {days.map((day) => (
        <p key={day} class="note">
          A date without a time is one instant:{' '}
          <a href={withDay(day)} onClick={focusAround}>
            <Text>{day}</Text>
          </a>{' '}
          is the day.
        </p>
      ))}
    </div>
  )
}

function columnsOf(
  schema: Documents['schema'],
  { fields }: ShownCell,
  inspected: Inspected,
  link: Link,
): readonly Column<ShownCell>[] {
  const isLabelled = queryOptions(link).labels
  const types = new Map([...schema.dimensions, ...schema.attributes].map((one) => [one.name, one]))
  return [
    ...Object.keys(fields).map((name): Column<ShownCell> => {
      const one = types.get(name)
      const known = labelsOf(schema, name)
      const labels = isLabelled ? undefined : known
      return {
        title: name,
        isName: true,
        isNumber: one
          ? !known && one.cell_val_num === 1 && /^U?INT|^FLOAT/.test(one.type)
          : /^__(tile|cell)$/.test(name),
        show: ({ fields }) =>
          name === PROVENANCE[0].name ? (
            <FragmentName name={fields[name]?.text ?? ''} />
          ) : (
            <Labelled cell={fields[name]} labels={labels} />
          ),
      }
    }),
    ...(inspected.target.type === 'array' ? [versionsColumn(link)] : []),
  ]
}

function versionsColumn(link: Link): Column<ShownCell> {
  return {
    title: 'history',
    show: ({ cell }) =>
      cell && (
        <a class="short" href={viewLink(link, 'history', { c: cell, f: link.f })}>
          versions
        </a>
      ),
  }
}

type Labels = readonly CellValue[] | undefined

/** The values of the enumeration of an attribute; undefined if it has none. */
export function labelsOf({ attributes, enumerations }: Documents['schema'], name: string): Labels {
  const of = attributes.find((one) => one.name === name)?.enumeration
  return enumerations.find((one) => one.name === of)?.values
}

/** The value that the index of a cell means, with the index on hover. Other cells are shown as they are. */
export function Labelled({ cell, labels }: { cell: ShortCell | undefined; labels: Labels }) {
  const label = cell?.text ? labels?.[Number(cell.text)] : undefined
  if (label === undefined) return <Cell cell={cell} />
  return (
    <span title={`index ${cell?.text}`}>
      <Cell cell={shortCell(label)} />
    </span>
  )
}

/** The value of a cell. */
export function Cell({ cell }: { cell: ShortCell | undefined }) {
  if (!cell) return null
  return (
    <>
      {cell.isNull ? <span class="dim">{cell.text}</span> : <Text>{cell.text}</Text>}
      {cell.more && <span class="dim"> {cell.more}</span>}
    </>
  )
}
