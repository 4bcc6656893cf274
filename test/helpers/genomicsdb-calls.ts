import { columnValue } from '../../src/cells/rows.ts'
import { type CallField, callFields } from '../../src/genomicsdb/call-fields.ts'
import { callBatches, callColumns, FragmentColumns, placeFields } from '../../src/genomicsdb/calls.ts'
import { openGenomicsdbFragment } from '../../src/genomicsdb/fragment.ts'
import type { WantedCalls } from '../../src/genomicsdb/merge.ts'
import { listsOf } from '../../src/genomicsdb/values.ts'
import { type Interval, Workspace } from '../../src/genomicsdb/workspace.ts'
import { localFiles } from '../../src/node/file.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { readContext } from '../../src/objects/read-context.ts'
import { Folder } from '../../src/storage/source.ts'

/** A call as `expect.json` has it. */
export interface LibraryCall {
  sample: string
  contig: string
  pos: number
  row: number
  column: number
  end_column: number
  end: number
  REF: string
  ALT: string[]
  fields: Record<string, unknown>
}

export type Row = Record<string, unknown>

/** Opens a workspace of a folder. */
export function openWorkspace(path: string): Workspace {
  return new Workspace(new Folder(localFiles, path), readContext(nodeCodecs))
}

/** The calls of an interval as objects, without what is absent; and the fields they have. */
export async function callsOf(
  workspace: Workspace,
  interval: Interval,
  wanted: WantedCalls = {},
  memory = interval.cx.memory,
): Promise<{ calls: Row[]; fields: CallField[] }> {
  const maps = { callset: await workspace.callset(), vidmap: await workspace.vidmap() }
  const array = await interval.array()
  const fragments = await Promise.all((await interval.fragments()).map((one) => openGenomicsdbFragment(array, one)))
  const fields = callFields(array.fields.slice(0, -1), maps.vidmap.fields)
  const columns = callColumns({ fields })
  const values = columns.map((column) => {
    const field = fields.find(({ stored }) => stored.name === column.name)
    return (field && listsOf(field)) ?? columnValue(column, { raw: false })
  })
  const calls: Row[] = []
  const [first] = fragments
  const places = first && placeFields(first)
  if (!places) return { calls, fields }
  const merged = fragments.map((fragment) => new FragmentColumns(fragment))
  const onUnknown = (what: string, number: number): never => {
    throw new Error(`unknown ${what} ${number}`)
  }
  const batches = callBatches(merged, places, { fields }, { maps, wanted, memory, onUnknown })
  for await (const { cell_num, columns: data } of batches)
    for (let cell = 0; cell < cell_num; cell++) {
      const row: Row = {}
      for (const [c, { name }] of columns.entries()) {
        const column = data[c]
        const value = column && values[c]?.(column, cell)
        if (value !== null) row[name] = typeof value === 'bigint' ? Number(value) : value
      }
      calls.push(row)
    }
  return { calls, fields }
}

/** What the library's Python rows show of a value that is shown here. Undefined for nested fields, which they cut. */
function asLibrary({ form, stored }: CallField, value: unknown, filters: readonly string[]): unknown {
  if (form === 'nested') return undefined
  if (form === 'flag') return value ? '\u0001' : '\0'
  if (!Array.isArray(value)) return value
  const missing = stored.type.startsWith('FLOAT') ? 'nan' : -(2 ** 31)
  const list = value.map((one) => {
    if (form === 'filters') return one === 'PASS' ? -1 : filters.indexOf(one)
    return one ?? missing
  })
  return list.length === 1 ? list[0] : list
}

/** A call that was read, in the words of `expect.json`. */
export function libraryCall(
  { sample, contig, pos, end, REF, ALT, ...rest }: Row,
  fields: readonly CallField[],
  filters: readonly string[],
): Row {
  const named = new Map(fields.map((field) => [field.stored.name, field]))
  const shown = Object.entries(rest).flatMap(([name, value]) => {
    const field = named.get(name)
    const one = field && asLibrary(field, value, filters)
    return one === undefined ? [] : [[name, one] as const]
  })
  return { sample, contig, pos, end, REF, ALT: ALT ?? null, fields: Object.fromEntries(shown) }
}

/** The same with keys in order, and numbers as FLOAT32 has them. */
export function comparable(value: unknown): unknown {
  if (typeof value === 'number') return Math.fround(value)
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, comparable(one)]),
  )
}
