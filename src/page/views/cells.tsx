import { useEffect, useRef } from 'preact/hooks'
import { asInspectError, type InspectError } from '../../base/errors.ts'
import type { CellValue } from '../../documents/common.ts'
import { formatCount } from '../../render/units.ts'
import { QueryForm, queryOptions, wordsOf } from '../cell-query.tsx'
import type { DocumentOf } from '../inspected.ts'
import { change, goTo } from '../link.ts'
import { cellOption, type ShortCell, shortCell } from '../short-cell.ts'
import { type Column, Table } from '../table.tsx'
import { Text } from '../text.tsx'
import { timesOf } from '../times.ts'
import { Fault, Shown, useLoaded } from '../use-loaded.tsx'
import { useReading } from '../use-reading.ts'
import type { View, ViewProps } from '../view.ts'

/** What a reader sees: `read`. The link has the query ({@link queryOptions}); `s` is the first row. */
export const cells: View = {
  id: 'cells',
  title: 'Cells',
  targets: ['array'],
  call: ({ link }) => ({ words: ['read', ...wordsOf({ ...queryOptions(link), limit: lastRow(link) })] }),
  Show: Cells,
}

/** Rows of a page. No others are kept. */
const PAGE = 200

function firstRow({ s }: ViewProps['link']): number {
  const row = Number(s ?? 0)
  return Number.isSafeInteger(row) && row > 0 ? row : 0
}

/** How many cells the command reads to get as far as the page. */
function lastRow(link: ViewProps['link']): string {
  const end = firstRow(link) + PAGE
  return link.n === undefined || Number(link.n) > end ? String(end) : link.n
}

function Cells({ inspected, link }: ViewProps) {
  const schema = useLoaded(() => inspected.document('schema', timesOf(link)), [inspected, link.t])
  return (
    <Shown
      of={schema}
      what="the schema"
      show={(schema) => (
        <>
          <QueryForm schema={schema} link={link} />
          <Rows schema={schema} inspected={inspected} link={link} />
        </>
      )}
    />
  )
}

/** A cell of the array, short: its fields by name, and how `history` names it. */
interface Row {
  fields: Readonly<Record<string, ShortCell>>
  cell: string | undefined
}

interface Page {
  rows: readonly Row[]
  /** Rows read, with those before the page. */
  read: number
  isEnd: boolean
  faults: readonly InspectError[]
}

/** A read that goes on with the next page. */
interface Cursor {
  key: string
  position: number
  faults: InspectError[]
  rows: AsyncGenerator<Readonly<Record<string, CellValue>>>
}

function Rows({ schema, inspected, link }: ViewProps & { schema: DocumentOf<'schema'> }) {
  const kept = useRef<Cursor | undefined>(undefined)
  const from = firstRow(link)
  const names = schema.dimensions.map(({ name }) => name)
  // Always a limit: without one, `read` first looks how much there is.
  const options = { limit: String(Number.MAX_SAFE_INTEGER), ...queryOptions(link) }
  const key = JSON.stringify(options)
  const reading = useReading<Page>(
    async (turns) => {
      const old = kept.current
      kept.current = undefined
      const cursor = old?.key === key && old.position === from ? old : start()
      if (cursor !== old) old?.rows.return(undefined)
      const rows: Row[] = []
      const page = (isEnd: boolean): Page => ({ rows: [...rows], read: cursor.position, isEnd, faults: cursor.faults })
      while (rows.length < PAGE) {
        const { done, value } = await cursor.rows.next()
        if (done) return page(true)
        if (cursor.position++ >= from) rows.push(shortRow(names, value))
        if (turns.isDue()) await turns.take(page(false))
      }
      kept.current = cursor
      return page(false)
    },
    [inspected, key, from],
  )
  useEffect(() => () => void kept.current?.rows.return(undefined), [])

  function start(): Cursor {
    const faults: InspectError[] = []
    return { key, position: 0, faults, rows: inspected.rows('read', options, (fault) => faults.push(fault)) }
  }

  const { value, isDone, error } = reading
  const to = (row: number) => change(link, { s: row > 0 ? String(row) : undefined })
  const last = value ? value.rows.length : 0
  return (
    <>
      <p role="status">
        {!isDone && `Reading cells … ${value ? formatCount(value.read) : ''}`}
        {isDone &&
          last > 0 &&
          `Cells ${formatCount(from + 1)} to ${formatCount(from + last)}${value?.isEnd ? ', the last' : ''}.`}
        {isDone && last === 0 && !error && (from > 0 ? 'There are no more cells.' : 'No cell.')}
      </p>
      <p>
        <button type="button" disabled={from === 0} onClick={() => to(0)}>
          First
        </button>{' '}
        <button type="button" disabled={from === 0} onClick={() => to(from - PAGE)}>
          Back
        </button>{' '}
        <button type="button" disabled={!isDone || value?.isEnd !== false} onClick={() => to(from + PAGE)}>
          Next {PAGE}
        </button>
      </p>
      {error && <Fault error={asInspectError(error)} />}
      {value?.faults.map((fault, i) => (
        <Fault key={i} error={fault} />
      ))}
      {value && last > 0 && (
        <Table
          caption="Cells"
          columns={columnsOf(schema, value.rows[0], link)}
          rows={value.rows}
          keyOf={(_, i) => from + i}
        />
      )}
    </>
  )
}

function shortRow(names: readonly string[], row: Readonly<Record<string, CellValue>>): Row {
  const fields: Record<string, ShortCell> = Object.create(null)
  for (const [name, value] of Object.entries(row)) fields[name] = shortCell(value)
  return { fields, cell: cellOption(names, row) }
}

function columnsOf(
  { dimensions, attributes }: DocumentOf<'schema'>,
  { fields }: Row,
  link: ViewProps['link'],
): readonly Column<Row>[] {
  const types = new Map([...dimensions, ...attributes].map((one) => [one.name, one]))
  return [
    ...Object.keys(fields).map((name): Column<Row> => {
      const one = types.get(name)
      return {
        title: name,
        isName: true,
        isNumber: one?.cell_val_num === 1 && /^U?INT|^FLOAT/.test(one.type),
        show: ({ fields }) => <Cell cell={fields[name]} />,
      }
    }),
    {
      title: 'history',
      show: ({ cell }) =>
        cell && (
          <a class="short" href={goTo(link, 'history', { c: cell })}>
            versions
          </a>
        ),
    },
  ]
}

/** A value, cut where it is long. */
export function Cell({ cell }: { cell: ShortCell | undefined }) {
  if (!cell) return null
  return (
    <>
      {cell.isNull ? <span class="dim">{cell.text}</span> : <Text>{cell.text}</Text>}
      {cell.more && <span class="dim"> {cell.more}</span>}
    </>
  )
}
