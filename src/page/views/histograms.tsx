import type { InspectError } from '../../base/errors.ts'
import { escapeText, formatCount } from '../../render/units.ts'
import { counted, fieldName } from '../../render/views/wording.ts'
import { QueryForm, queryOptions, wordsOf } from '../cell-query.tsx'
import { type Bar, newTally, type Tally } from '../histogram.ts'
import type { DocumentOf } from '../inspected.ts'
import { isNumeric } from '../raster.ts'
import { type Column, Table } from '../table.tsx'
import { Text } from '../text.tsx'
import { timesOf } from '../times.ts'
import { Fault, Shown, useLoaded } from '../use-loaded.tsx'
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

function Histograms({ inspected, link }: ViewProps) {
  const schema = useLoaded(() => inspected.document('schema', timesOf(link)), [inspected, link.t])
  return (
    <Shown
      of={schema}
      what="the schema"
      show={(schema) => (
        <>
          <QueryForm schema={schema} link={link} switches="lk" />
          <Columns schema={schema} inspected={inspected} link={link} />
        </>
      )}
    />
  )
}

interface Read {
  tallies: ReadonlyMap<string, Tally>
  cells: number
  faults: readonly InspectError[]
}

function Columns({ schema, inspected, link }: ViewProps & { schema: DocumentOf<'schema'> }) {
  const options = optionsOf(link)
  const { value, isDone, error, stop } = useReading<Read>(
    async (turns) => {
      const tallies = new Map<string, Tally>()
      let cells = 0
      const faults: InspectError[] = []
      const rows = inspected.rows('read', options, (fault) => faults.push(fault))
      for await (const row of rows) {
        if (cells++ === 0) for (const name of Object.keys(row)) tallies.set(name, tallyOf(schema, name, link))
        for (const [name, tally] of tallies) tally.add(row[name])
        if (turns.isDue()) await turns.take({ tallies, cells, faults })
      }
      return { tallies, cells, faults }
    },
    [inspected, JSON.stringify(options)],
  )
  return (
    <>
      <p role="status">
        {!isDone && `Reading cells … ${formatCount(value?.cells ?? 0)} `}
        {isDone && value && ofWhat(value.cells, Number(options.limit))}
      </p>
      {!isDone && (
        <button type="button" onClick={stop}>
          Stop
        </button>
      )}
      {error && <Fault error={error} />}
      {value?.faults.map((fault, i) => (
        <Fault key={i} error={fault} />
      ))}
      {isDone && value && (
        <div class="histograms">
          {[...value.tallies].map(([name, tally]) => (
            <Histogram key={name} name={name} tally={tally} />
          ))}
        </div>
      )}
    </>
  )
}

function ofWhat(cells: number, limit: number): string {
  return cells === limit
    ? `Of the first ${formatCount(cells)} cells; there may be more.`
    : `Of ${counted(cells, 'cell')}.`
}

function tallyOf({ dimensions, attributes }: DocumentOf<'schema'>, name: string, link: ViewProps['link']): Tally {
  const dimension = dimensions.find((one) => one.name === name)
  const attribute = attributes.find((one) => one.name === name)
  const field = dimension ?? attribute
  const isLabelled = attribute?.enumeration && link.x?.includes('l')
  // Indexes of an enumeration are names, not numbers.
  const isNumber = field && isNumeric(field) && field.type !== 'BOOL' && !isLabelled && !attribute?.enumeration
  return newTally(field?.type ?? 'UINT8', isNumber === true)
}

function Histogram({ name, tally }: { name: string; tally: Tally }) {
  const { bars, cells, nulls, others, told } = tally.summary()
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const columns: readonly Column<Bar>[] = [
    { title: 'value', show: ({ label }) => <Text>{label}</Text> },
    { title: 'cells', isNumber: true, show: ({ count }) => formatCount(count), by: ({ count }) => count },
    {
      title: 'share',
      show: ({ count }) => <span class="bar" style={{ width: `${(10 * count) / most}rem` }} />,
    },
  ]
  const words = [
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
