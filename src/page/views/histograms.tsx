import { exitCodeOf } from '../../base/errors.ts'
import { escapeText, formatCount } from '../../render/units.ts'
import { heading } from '../../render/views/headings.ts'
import { counted, fieldName } from '../../render/views/wording.ts'
import { fillWords, optionWords, Queried, queryOptions } from '../cell-query.tsx'
import { Button, cutName } from '../controls.tsx'
import { Damaged } from '../damaged.tsx'
import type { Bar } from '../histogram.ts'
import type { Documents } from '../inspected.ts'
import { type Column, numberColumn, Table } from '../table.tsx'
import type { Counted } from '../tasks.ts'
import { Text } from '../text.tsx'
import { useReading } from '../use-reading.ts'
import type { ViewParts, ViewProps } from '../view.ts'

/**
 * The distribution of the values of each field, for the first cells that `read` gives. The link has the same parameters as the view
 * Cells.
 */
export const histograms: ViewParts = {
  call: ({ link }) => ({ words: ['read', ...optionWords(optionsOf(link))] }),
  Show: Histograms,
}

/** Number of cells to read: the default and the upper limit. All numbers are in memory until the bins are known. */
const CELLS = { usual: 100_000, most: 1_000_000 }

/** The options of the command. Where a cell is stored is no value to count. */
function optionsOf(link: ViewProps['link']) {
  const { provenance, ...options } = queryOptions(link)
  const limit = Number(link.n ?? CELLS.usual)
  return { ...options, limit: String(Math.min(CELLS.most, Number.isSafeInteger(limit) ? limit : CELLS.usual)) }
}

function Histograms(props: ViewProps) {
  // l: labels, k: go on after damage.
  return <Queried {...props} switches="lk" show={(schema) => <Fields schema={schema} {...props} />} />
}

function Fields({ schema, inspected, link }: ViewProps & { schema: Documents['schema'] }) {
  const options = optionsOf(link)
  const { value, isDone, error, stop } = useReading<Counted>(
    (progress) => progress.follow(inspected.begin('histograms', options, schema)),
    [inspected, JSON.stringify(options)],
  )
  return (
    <>
      <p role="status">
        {!isDone && `Reading cells … ${formatCount(value?.cells ?? 0)} `}
        {isDone && value && !error && scopeText(value, Number(options.limit)) + fillWords(schema, options)}
        {error &&
          exitCodeOf(error) === 1 &&
          `Stopped at damage, after ${counted(value?.cells ?? 0, 'cell')}: “go on after damage” counts the others.`}
      </p>
      {!isDone && <Button onClick={stop}>Stop</Button>}
      <Damaged {...{ inspected, link, error }} faults={value?.faults} isUnderWay={!isDone} canGoOn />
      {isDone && value && (
        <div class="histograms">
          {value.summaries.map((summary) => (
            <Histogram key={summary.name} {...summary} unreadable={value.cells - summary.cells} />
          ))}
        </div>
      )}
    </>
  )
}

/** A sentence that says which cells were counted. */
function scopeText({ cells, faults }: Counted, limit: number): string {
  return cells === limit
    ? `Of the first ${formatCount(cells)} cells; there may be more.`
    : `Of ${counted(cells, 'cell')}${faults.length > 0 ? ' that can be read' : ''}.`
}

/** @param unreadable number of cells that could be read of another field, but not of this one */
function Histogram(props: Counted['summaries'][number] & { unreadable: number }) {
  const { name, bars, cells, nulls, nonFinite, note, unreadable } = props
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const columns: readonly Column<Bar>[] = [
    { title: 'value', show: ({ label }) => <Text>{label}</Text> },
    numberColumn(heading('cell_num'), ({ count }) => count),
    {
      title: 'compared with the largest',
      show: ({ count }) => count > 0 && <span class="bar" style={{ width: `${(10 * count) / most}rem` }} />,
    },
  ]
  const words = [
    unreadable > 0 && `${formatCount(unreadable)} more could not be read`,
    nulls > 0 && `${formatCount(nulls)} null`,
    nonFinite > 0 && `${formatCount(nonFinite)} NaN or infinite`,
    note,
  ]
  return (
    <div>
      <Table caption={escapeText(cutName(fieldName(name)))} columns={columns} rows={bars} keyOf={(_, i) => i} />
      <p class="note">{[`${formatCount(cells)} cells`, ...words].filter(Boolean).join('; ')}</p>
    </div>
  )
}
