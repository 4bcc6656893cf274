import { arrayInMemory } from '../../src/advice/in-memory.ts'
import type { ColumnData } from '../../src/cells/column.ts'
import type { ArraySchema } from '../../src/format/array-schema.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import { pipeline, schemaOf } from '../../src/write/schema-document.ts'

type Numbers = Int32Array | Float64Array
type Texts = readonly string[]

/** `[name, low, high, tile extent]` of an INT32 dimension, or the name of a STRING_ASCII one. */
export type MadeDimension = readonly [name: string, low: number, high: number, extent: number] | string

export interface Made
  extends Partial<
    Pick<ArraySchema, 'capacity' | 'cell_order' | 'allows_duplicates' | 'coords_filters' | 'offsets_filters'>
  > {
  dense?: boolean
  dimensions: readonly MadeDimension[]
  /** Filters of each attribute. Its type is FLOAT64, or STRING_ASCII for texts. */
  attributes: Readonly<Record<string, readonly FilterConfig[]>>
  /** Dense: the ends of what is written along each dimension; by default the whole domain. */
  box?: readonly (readonly [low: number, high: number])[]
  /** Dense: the same for each fragment, instead of `box`. */
  boxes?: readonly NonNullable<Made['box']>[]
  /** Columns by name. Dense: attributes only, of the box. */
  fragments: readonly Readonly<Record<string, Numbers | Texts>>[]
}

export const ZSTD: FilterConfig = { name: 'ZSTD', level: 3 }

const FLOAT = { type: 'FLOAT64', cell_val_num: 1, fill_value: new Uint8Array(8) } as const
const TEXT = { type: 'STRING_ASCII', cell_val_num: 'var', fill_value: new Uint8Array(1) } as const

const made = new WeakMap<Made, Promise<OpenedArray>>()

/** An array in memory, made once for each description. Tests only read it. */
export function madeArray(description: Made): Promise<OpenedArray> {
  const array = made.get(description) ?? newArray(description)
  made.set(description, array)
  return array
}

function newArray({
  dense = false,
  dimensions,
  attributes,
  fragments,
  box,
  boxes,
  ...more
}: Made): Promise<OpenedArray> {
  const schema = schemaOf(
    {
      version: 22,
      array_type: dense ? 'dense' : 'sparse',
      attributes: Object.entries(attributes).map(([name, filters]) => ({
        name,
        ...(Array.isArray(fragments[0]?.[name]) ? TEXT : FLOAT),
        filters: pipeline(...filters),
        nullable: false,
        fill_value_validity: false,
        order: 'unordered',
        enumeration: '',
      })),
      ...more,
    },
    dimensions.map((one) => {
      const named = { cell_val_num: 1 as const, filters: { max_chunk_size: 65_536, filters: [] } }
      if (typeof one === 'string') {
        const text = { type: 'STRING_ASCII' as const, cell_val_num: 'var' as const, domain: new Uint8Array(0) }
        return { ...named, ...text, name: one, tile_extent: undefined }
      }
      const [name, low, high, extent] = one
      return { ...named, name, type: 'INT32' as const, domain: int32(low, high), tile_extent: int32(extent) }
    }),
    [],
  )
  const domainOf = (written: Made['box']) =>
    dimensions.flatMap((one, d) => {
      if (typeof one === 'string') return []
      const [low, high] = written?.[d] ?? [one[1], one[2]]
      return [{ min: int32(low), max: int32(high) }]
    })
  return arrayInMemory(
    schema,
    fragments.map((columns, i) => ({
      domain: dense ? domainOf(boxes?.[i] ?? box) : undefined,
      cell_num: Object.values(columns)[0].length,
      columns: new Map(Object.entries(columns).map(([name, values]) => [name, columnOf(values)])),
    })),
    nodeCodecs,
  )
}

function int32(...values: number[]): Uint8Array {
  return new Uint8Array(Int32Array.from(values).buffer)
}

function columnOf(values: Numbers | Texts): ColumnData {
  if ('buffer' in values) return { data: new Uint8Array(values.buffer), starts: undefined, validity: undefined }
  const starts = new Float64Array(values.length + 1)
  for (const [i, text] of values.entries()) starts[i + 1] = starts[i] + text.length
  return { data: new TextEncoder().encode(values.join('')), starts, validity: undefined }
}

/** So many numbers, each made from its index. */
export function ints(count: number, of: (i: number) => number): Int32Array {
  return filled(new Int32Array(count), of)
}

export function floats(count: number, of: (i: number) => number): Float64Array {
  return filled(new Float64Array(count), of)
}

/** By a loop: `from` takes three times as long, and some tests need a million numbers. */
function filled<T extends Numbers>(numbers: T, of: (i: number) => number): T {
  for (let i = 0; i < numbers.length; i++) numbers[i] = of(i)
  return numbers
}

/** Numbers from 0 to 1 without a pattern, the same in each run. */
export function noise(i: number): number {
  return ((Math.imul(i + 1, 0x9e3779b9) ^ Math.imul(i + 7, 0x85ebca6b)) >>> 0) / 2 ** 32
}
