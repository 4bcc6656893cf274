import { type ComponentChild, Fragment, type VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { TimestampRange } from '../documents/common.ts'
import { formatCount } from '../render/units.ts'
import { heading } from '../render/views/headings.ts'
import { countText, NOTHING, timeRangeText } from '../render/views/wording.ts'
import { Button, Scrolling } from './controls.tsx'
import { csvText, download } from './download.ts'
import { FragmentName } from './fragment-name.tsx'
import { Text } from './text.tsx'

/** A column of a table. */
export interface Column<Row> {
  title: string
  /** Whether the title is a name in the target, which may be any text. */
  isName?: boolean
  /** Whether the column holds numbers, which are aligned at the right. */
  isNumber?: boolean
  show(row: Row): ComponentChild
  /** The words of a cell, if it is shown by a component with state. */
  words?(row: Row): string
  /** Reads what {@link words} needs of a row that was not shown yet. The files of a table wait for it. */
  learn?(row: Row): Promise<unknown>
  /** The value by which a click on the title sorts the rows. Without it, the title is no button. */
  by?(row: Row): Sortable
}

/** A column of texts of the target, sorted by the text. */
export function textColumn<Row>(title: string, get: (row: Row) => string | null | undefined): Column<Row> {
  return { title, show: (row) => <Text>{get(row) ?? NOTHING}</Text>, by: get }
}

/** A column of numbers, sorted by the number. @param textOf how a number is shown */
export function numberColumn<Row>(
  title: string,
  get: (row: Row) => number | bigint | null | undefined,
  textOf: (value: number | bigint | null | undefined) => string = countText,
): Column<Row> {
  return { title, isNumber: true, show: (row) => textOf(get(row)), by: get }
}

/** A column of the names of fragments. @param isTimed whether another column has their times */
export function fragmentColumn<Row extends { name: string }>(isTimed: boolean): Column<Row> {
  return { title: 'fragment', show: ({ name }) => <FragmentName {...{ name, isTimed }} />, by: ({ name }) => name }
}

/** A column of the times of writing, sorted by the last one. */
export function writtenColumn<Row extends { timestamp_range: TimestampRange | null }>(): Column<Row> {
  return {
    title: heading('timestamp_range'),
    show: ({ timestamp_range }) => <span class="times">{timeRangeText(timestamp_range, false)}</span>,
    by: ({ timestamp_range }) => timestamp_range?.[1],
  }
}

interface Order {
  /** Index of the column that sorts. */
  column: number
  /** From the largest value to the smallest. */
  down: boolean
}

/** Number of rows that are shown at first, and that each click adds. More rows would make the browser slow. */
const ROWS = 500

/** Rows from which on a table has a field to filter them. */
const MANY = 12

/** The words of a cell of a table. Components of cells have no state, so that they can be called; see {@link Column.words}. */
export function wordsOfCell(node: ComponentChild): string {
  if (node === null || node === undefined || typeof node === 'boolean') return ''
  if (typeof node !== 'object') return String(node)
  if (Array.isArray(node)) return node.map(wordsOfCell).join('')
  if (!('props' in node)) return ''
  const { type, props } = node as VNode<{ children?: ComponentChild }>
  if ((type as unknown) === Text) return String(props.children ?? '')
  if (typeof type !== 'function' || (type as unknown) === Fragment) return wordsOfCell(props.children)
  return wordsOfCell((type as (props: object) => ComponentChild)(props))
}

/** A table that screen readers read, and that the browser's search finds. {@link VirtualList} shows lists of millions. */
export function Table<Row>(props: {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row, index: number): string | number
  /** The order at first. Without it, the rows keep their order until a click sorts them. */
  first?: Order
  isChosen?(row: Row): boolean
}) {
  const { caption, columns, rows, keyOf, first, isChosen } = props
  const [limit, setLimit] = useState(ROWS)
  const [order, setOrder] = useState<Order | undefined>(first)
  const [wanted, setWanted] = useState('')
  const by = order && columns[order.column].by
  const rowWords = (row: Row): string[] => columns.map(({ show, words }) => words?.(row) ?? wordsOfCell(show(row)))
  const lower = wanted.toLowerCase()
  const found = lower ? rows.filter((row) => rowWords(row).some((word) => word.toLowerCase().includes(lower))) : rows
  const sorted = by ? [...found].sort((a, b) => compared(by(a), by(b), order.down)) : found
  const titles = columns.map(({ title }) => title)
  const wordsOfRows = async (): Promise<string[][]> => {
    await Promise.all(sorted.flatMap((row) => columns.map(({ learn }) => learn?.(row))))
    return sorted.map(rowWords)
  }
  const saveCsv = async (): Promise<void> => {
    const lines = await wordsOfRows()
    download(`${caption}.csv`, new Blob([csvText([titles, ...lines])], { type: 'text/csv' }))
  }
  const saveJson = async (): Promise<void> => {
    const lines = await wordsOfRows()
    const objects = lines.map((words) => Object.fromEntries(words.map((word, c) => [titles[c], word])))
    download(`${caption}.json`, new Blob([JSON.stringify(objects)], { type: 'application/json' }))
  }
  const direction = order?.down ? 'descending' : 'ascending'
  const sort = (column: number) =>
    setOrder((old) => ({ column, down: old?.column === column ? !old.down : columns[column].isNumber === true }))
  return (
    <div class="table-box">
      <Scrolling label={caption}>
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              {columns.map(({ title, isName, isNumber, by }, i) => (
                <th
                  key={title}
                  scope="col"
                  class={isNumber ? 'number' : undefined}
                  aria-sort={order?.column === i ? direction : undefined}
                >
                  {by && (
                    <Button class="plain" onClick={() => sort(i)}>
                      {title}
                    </Button>
                  )}
                  {!by && (isName ? <Text isHeading>{title}</Text> : title)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, limit).map((row, i) => (
              <tr key={keyOf(row, i)} class={isChosen?.(row) ? 'chosen' : undefined}>
                {columns.map(({ title, isNumber, show }) => (
                  <td key={title} class={isNumber ? 'number' : undefined}>
                    {show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      {sorted.length > limit && (
        <p>
          {formatCount(limit)} of {formatCount(sorted.length)} rows.{' '}
          <Button onClick={() => setLimit(limit + ROWS)}>
            Show {formatCount(Math.min(ROWS, sorted.length - limit))} more
          </Button>
        </p>
      )}
      {rows.length >= MANY && (
        <p class="of-table">
          <label>
            rows with <input type="search" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
          </label>{' '}
          {wanted !== '' && `${formatCount(sorted.length)} of ${formatCount(rows.length)} `}
          <Button onClick={saveCsv}>CSV</Button> <Button onClick={saveJson}>JSON</Button>
        </p>
      )}
    </div>
  )
}

type Sortable = number | bigint | string | null | undefined

/** Compares two values for sorting. Unknown values come last in either order. */
function compared(a: Sortable, b: Sortable, isDown: boolean): number {
  if (a === b) return 0
  if (a === null || a === undefined) return 1
  if (b === null || b === undefined) return -1
  return a < b === isDown ? 1 : -1
}

/** A name with its value. */
export type Fact = readonly [name: string, value: ComponentChild]

/** A fact whose value is a text of the target. */
export function textFact(name: string, text: string): Fact {
  return [name, <Text key="">{text}</Text>]
}

/** Facts, or the results of `condition && fact`. */
export type FactList = readonly (Fact | false | null | undefined)[]

export function Facts({ facts }: { facts: FactList }) {
  return (
    <dl class="facts">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
