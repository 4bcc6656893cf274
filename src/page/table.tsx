import type { ComponentChild } from 'preact'
import { useState } from 'preact/hooks'
import { formatCount } from '../render/units.ts'
import { Scrolling } from './scrolling.tsx'
import { Text } from './text.tsx'

/** A column of a table. */
export interface Column<Row> {
  title: string
  /** Whether the title is a name of the target, which may be any text. */
  isName?: boolean
  /** Numbers stand at the right. */
  isNumber?: boolean
  show(row: Row): ComponentChild
  /** What rows are sorted by, if a click on the title sorts. */
  by?(row: Row): number | bigint | string | null | undefined
}

/** The index of a column, and whether its largest comes first. */
interface Order {
  column: number
  down: boolean
}

/** Rows that are shown at first, and that each click adds: browsers find text in them, and stay quick. */
const ROWS = 500

/** A table that a screen reader reads, and that the browser's own search finds. For lists of millions: {@link VirtualList}. */
export function Table<Row>(props: {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Identifies a row. */
  keyOf(row: Row, index: number): string | number
  /** What the rows are sorted by at first; without it they stand as they were given. */
  first?: Order
  /** Whether a row is the chosen one. */
  isChosen?(row: Row): boolean
}) {
  const { caption, columns, rows, keyOf, first, isChosen } = props
  const [limit, setLimit] = useState(ROWS)
  const [order, setOrder] = useState<Order | undefined>(first)
  const by = order && columns[order.column].by
  const sorted = by ? [...rows].sort((a, b) => compared(by(a), by(b), order.down)) : rows
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
                  aria-sort={order?.column === i ? (order.down ? 'descending' : 'ascending') : undefined}
                >
                  {by ? (
                    <button type="button" class="plain" onClick={() => sort(i)}>
                      {title}
                    </button>
                  ) : isName ? (
                    <Text>{title}</Text>
                  ) : (
                    title
                  )}
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
      {rows.length > limit && (
        <p>
          {formatCount(limit)} of {formatCount(rows.length)} rows.{' '}
          <button type="button" onClick={() => setLimit(limit + ROWS)}>
            Show {formatCount(Math.min(ROWS, rows.length - limit))} more
          </button>
        </p>
      )}
    </div>
  )
}

type Sortable = number | bigint | string | null | undefined

/** What is not known comes last, whichever the order. */
function compared(a: Sortable, b: Sortable, isDown: boolean): number {
  if (a === b) return 0
  if (a === null || a === undefined) return 1
  if (b === null || b === undefined) return -1
  return a < b === isDown ? 1 : -1
}

/** Names with values, as a list of terms. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChild])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
