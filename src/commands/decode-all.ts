import { addPlace, asInspectError } from '../base/errors.ts'
import { type CellOptions, cellsOutcome, cellsTail, FaultList, parseLimit, readerRows } from '../calls/cells-outcome.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { FieldReport } from '../calls/field-report.ts'
import type { Outcome } from '../calls/outcome.ts'
import { FRAGMENT_COLUMN, type FragmentReader, type SelectedCells } from '../calls/selected-cells.ts'
import type { CellsLine, CellsTail } from '../documents/cells.ts'
import type { InspectArray } from '../objects/array.ts'
import type { Fragment } from '../objects/fragment.ts'

/**
 * Shows the cells of every visible fragment, one fragment after another. They are not merged as TileDB merges them.
 * @param open opens the cells of a fragment. All of them share the list of faults and the report
 */
export async function allFragmentsOutcome(
  cx: CommandContext,
  path: string,
  array: InspectArray,
  options: CellOptions,
  open: (fragment: Fragment, faults: FaultList, report: FieldReport) => Promise<SelectedCells>,
): Promise<Outcome> {
  const entries = (await array.fragments()).filter((entry) => entry.isRead)
  const limit = parseLimit(options.limit)
  const faults = new FaultList(cx)
  const report = new FieldReport()
  /** Reports an error that ends one fragment. The other fragments are still decoded. */
  const addFault = (caught: unknown, { folder }: Fragment): void => {
    const error = asInspectError(addPlace(caught, { file: folder.path }))
    if (error.code === 'USAGE') throw error
    faults.addNew(error)
  }
  async function* readers(): AsyncGenerator<FragmentReader> {
    for (const [index, { path }] of entries.entries()) {
      const fragment = array.fragment(path)
      try {
        const reader = await open(fragment, faults, report)
        try {
          yield { fragment, index, reader }
        } finally {
          await reader.close()
        }
      } catch (error) {
        addFault(error, fragment)
      } finally {
        await fragment.close()
      }
    }
  }
  const tail = (): CellsTail => cellsTail(cx, { report, faults: faults.listed })
  // One generator: each more takes a twentieth of the time of a row.
  async function* rows(): AsyncGenerator<CellsLine, CellsTail> {
    let left = limit
    try {
      for await (const { fragment, reader } of left > 0 ? readers() : []) {
        try {
          for await (const row of readerRows(reader, cx.style)) {
            yield { [FRAGMENT_COLUMN]: fragment.name, ...row }
            if (--left <= 0) break
          }
        } catch (error) {
          addFault(error, fragment)
        }
        if (left <= 0) break
      }
    } finally {
      report.tell(cx)
    }
    return tail()
  }
  const head = documentHead('cells', cx.shownPath(path))
  return {
    ...cellsOutcome(cx, head, rows, { columns: undefined }, options),
    async columns() {
      const names = new Set([FRAGMENT_COLUMN])
      for await (const { reader } of readers()) for (const { name } of reader.columns) names.add(name)
      return [...names]
    },
    async records(out, format) {
      const { writeArrayRecords } = await import('../calls/cell-records.ts')
      const names = entries.map(({ name }) => name)
      await writeArrayRecords(names, readers, limit, out, { format, raw: cx.style.raw }).finally(() =>
        report.tell(cx, true),
      )
      return tail()
    },
  }
}
