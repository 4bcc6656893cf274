import { exitCodeOf } from '../../base/errors.ts'
import { escapeText, formatCount } from '../../render/units.ts'
import { counted, fieldName } from '../../render/views/wording.ts'
import { fillWords, Queried, queryOptions, wordsOf } from '../cell-query.tsx'
import { Damaged } from '../damaged.tsx'
import type { Bar } from '../histogram.ts'
import type { DocumentOf } from '../inspected.ts'
import { type Column, Table } from '../table.tsx'
import type { Counted } from '../tasks.ts'
import { Text } from '../text.tsx'
import { useReading } from '../use-reading.ts'
import type { View, ViewProps } from '../view.ts'

/** How the values of columns are spread, of the cells that `read` gives first. The link is that of Cells. */
export const histograms: View = {
  id: 'histograms',
  title: 'Histograms',
  targets: ['array'],
  call: ({ link }) => ({ words: ['read', ...wordsOf(optionsOf(link))] }),
  Show: Histograms,
}

/** Cells that are read, if the link says nothing, and at most: their numbers are kept until the bins are known. */
const CELLS = { usual: 100_000, most: 1_000_000 }

function optionsOf(link: ViewProps['link']) {
  const { provenance, ...options } = queryOptions(link)
  const asked = Number(link.n ?? CELLS.usual)
  return { ...options, limit: String(Math.min(CELLS.most, Number.isSafeInteger(asked) ? asked : CELLS.usual)) }
}

function Histograms(props: ViewProps) {
  return <Queried {...props} switches="lk" show={(schema) => <Columns schema={schema} {...props} />} />
}

function Columns({ schema, inspected, link }: ViewProps & { schema: DocumentOf<'schema'> }) {
  const options = optionsOf(link)
  const { value, isDone, error, stop } = useReading<Counted>(
    (turns) => turns.follow(inspected.begin('histograms', options, schema)),
    [inspected, JSON.stringify(options)],
  )
  return (
    <>
      <p role="status">
        {!isDone && `Reading cells … ${formatCount(value?.cells ?? 0)} `}
        {isDone && value && !error && ofWhat(value, Number(options.limit)) + fillWords(schema, options)}
        {error &&
          exitCodeOf(error) === 1 &&
          `Stopped at damage, after ${counted(value?.cells ?? 0, 'cell')}: “go on after damage” counts the others.`}
      </p>
      {!isDone && (
        <button type="button" onClick={stop}>
          Stop
        </button>
      )}
      <Damaged {...{ inspected, link, error }} faults={value?.faults} isUnderWay={!isDone} canGoOn />
      {isDone && value && (
        <div class="histograms">
          {value.summaries.map((summary) => (
            <Histogram key={summary.name} {...summary} unread={value.cells - summary.cells} />
          ))}
        </div>
      )}
    </>
  )
}

function ofWhat({ cells, faults }: Counted, limit: number): string {
  return cells === limit
    ? `Of the first ${formatCount(cells)} cells; there may be more.`
    : `Of ${counted(cells, 'cell')}${faults.length > 0 ? ' that can be read' : ''}.`
}

/** @param unread cells that another field has, and this one lacks: they are damaged */
function Histogram(props: Counted['summaries'][number] & { unread: number }) {
  const { name, bars, cells, nulls, others, told, unread } = props
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const columns: readonly Column<Bar>[] = [
    { title: 'value', show: ({ label }) => <Text>{label}</Text> },
    { title: 'cells', isNumber: true, show: ({ count }) => formatCount(count), by: ({ count }) => count },
    {
      title: 'share',
      show: ({ count }) => count > 0 && <span class="bar" style={{ width: `${(10 * count) / most}rem` }} />,
    },
  ]
  const words = [
    unread > 0 && `${formatCount(unread)} more could not be read`,
    nulls > 0 && `${formatCount(nulls)} null`,
    others > 0 && `${formatCount(others)} NaN or infinite`,
    told,
  ]
  return (
    <div>
      <Table caption={escapeText(fieldName(name).slice(0, 60))} columns={columns} rows={bars} keyOf={(_, i) => i} />
      <p class="note">{[`${formatCount(cells)} cells`, ...words].filter(Boolean).join('; ')}</p>
    </div>
  )
}
