import type { GenomicsdbArrayLine } from '../../documents/genomicsdb-array.ts'
import type { GenomicsdbOverviewDocument } from '../../documents/genomicsdb-overview.ts'
import type { GenomicsdbInterval } from '../../documents/genomicsdb-workspace.ts'
import { genomicsdbFacts } from '../../render/views/genomicsdb-facts.ts'
import { heading } from '../../render/views/headings.ts'
import { counted, fullSizeText, momentText, NOTHING } from '../../render/views/wording.ts'
import { FindingList } from '../finding-list.tsx'
import { innerLink, type Link } from '../link.ts'
import { Next } from '../next-calls.tsx'
import { NotExamined } from '../not-examined.tsx'
import { type Column, Facts, numberColumn, Table, textColumn, textFact } from '../table.tsx'
import { Text } from '../text.tsx'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { ViewParts, ViewProps } from '../view.ts'

/** A workspace of GenomicsDB with its intervals, or the array of an interval with its fragments. */
export const workspace: ViewParts = {
  call: () => ({ words: ['overview'] }),
  Show: Workspace,
}

function Workspace({ inspected, link }: ViewProps) {
  const overview = useLoaded(() => inspected.document('genomicsdb-overview'), [inspected])
  const listed = useLoaded(() => inspected.document('genomicsdb-ls'), [inspected])
  return (
    <>
      <Shown of={overview} what="maps and book-keeping" show={(found) => <Found found={found} />} />
      <Shown
        of={listed}
        what="fragments"
        show={(found) =>
          'intervals' in found ? (
            <Table
              caption="Intervals"
              columns={intervalColumns(found.intervals, link)}
              rows={found.intervals}
              keyOf={({ name }) => name}
            />
          ) : (
            <Table caption="Fragments" columns={FRAGMENTS} rows={found.fragments} keyOf={({ name }) => name} />
          )
        }
      />
    </>
  )
}

function Found({ found }: { found: GenomicsdbOverviewDocument }) {
  const { error, warning } = found.finding_num
  const words = [error > 0 && counted(error, 'error'), warning > 0 && counted(warning, 'warning')].filter(Boolean)
  const limits = `data not read. tiledb-inspect check reads every tile.`
  return (
    <>
      {words.length === 0 ? (
        <p>Nothing is wrong, as far as maps and book-keeping tell; {limits}</p>
      ) : (
        <p>
          <span class={found.ok ? undefined : 'bad'}>{words.join(', ')}</span>, as far as maps and book-keeping tell;{' '}
          {limits}
        </p>
      )}
      {found.findings.length > 0 && (
        <section aria-labelledby="worst">
          <h3 id="worst">Findings</h3>
          <FindingList findings={found.findings} />
        </section>
      )}
      <NotExamined errors={found.not_examined} />
      <Facts facts={genomicsdbFacts(found).map((fact) => fact && textFact(title(fact[0]), fact[1]))} />
      <Next {...found} />
    </>
  )
}

/** `import` as `Import`. */
function title(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function intervalColumns(intervals: readonly GenomicsdbInterval[], link: Link): Column<GenomicsdbInterval>[] {
  return [
    {
      title: 'interval',
      show: ({ name }) => (
        <a href={innerLink(link, name)}>
          <Text>{name}</Text>
        </a>
      ),
      by: ({ name }) => name,
    },
    ...(intervals.some(({ contig }) => contig === null)
      ? [textColumn<GenomicsdbInterval>('contigs', ({ contigs }) => contigs.join(', '))]
      : []),
    numberColumn(heading('fragment_num'), ({ fragment_num }) => fragment_num),
    ...(intervals.some(({ unread_num }) => unread_num > 0)
      ? [numberColumn<GenomicsdbInterval>('not read', ({ unread_num }) => unread_num)]
      : []),
    numberColumn('batches', ({ batch_num }) => batch_num),
    numberColumn(heading('cell_num'), ({ cell_num }) => cell_num),
    numberColumn(heading('tile_num'), ({ tile_num }) => tile_num),
    numberColumn('size', ({ size }) => size, fullSizeText),
    ...(intervals.some(({ error }) => error)
      ? [textColumn<GenomicsdbInterval>('state', ({ error }) => (error ? 'unreadable' : ''))]
      : []),
  ]
}

const span = (range: readonly [number, number] | null): string =>
  range === null ? NOTHING : `${range[0]}..${range[1]}`

const FRAGMENTS: readonly Column<GenomicsdbArrayLine>[] = [
  textColumn('fragment', ({ name }) => name),
  textColumn('state', ({ state, error }) => (error ? `${state}, unreadable` : state)),
  {
    title: 'written',
    show: ({ timestamp }) => <span class="times">{timestamp === null ? NOTHING : momentText(timestamp)}</span>,
    by: ({ timestamp }) => timestamp,
  },
  numberColumn(heading('cell_num'), ({ cell_num }) => cell_num),
  numberColumn(heading('tile_num'), ({ tile_num }) => tile_num),
  textColumn('rows', ({ row_range }) => span(row_range)),
  textColumn('columns', ({ column_range }) => span(column_range)),
  numberColumn('size', ({ size }) => size, fullSizeText),
]
