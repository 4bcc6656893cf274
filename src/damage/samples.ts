import type { Codecs } from '../filters/codecs/codecs.ts'
import { arraySchema } from '../format/array-schema.ts'
import { consolidatedFragmentMetadata } from '../format/consolidated-fragment-metadata.ts'
import { deleteCondition } from '../format/delete-condition.ts'
import { groupDetails } from '../format/group-details.ts'
import { encode } from '../format/io.ts'
import { processedConditions } from '../format/processed-conditions.ts'
import { readContext } from '../store/generic-tile.ts'
import { arrayFiles } from '../write/array-writer.ts'
import { planSample, type SampleInputs, type SampleOptions } from '../write/sample.ts'
import { bytes, u32 } from './bytes.ts'
import { UUID } from './damage.ts'
import { EditableArray } from './editable-array.ts'

/** How to make an array for a damage: options of `write-sample`, and the changes that follow. */
interface SampleRecipe {
  options: SampleOptions
  /** NDJSON, if generated cells will not do. */
  cells?: string
  /** Folder of the array below the root, ending in `/`. */
  below?: string
  prepare?(array: EditableArray, cx: PrepareContext): Promise<void> | void
}

interface PrepareContext {
  codecs: Codecs
}

const SPARSE: SampleOptions = {
  dim: ['x:INT32:0..99:10', 'y:INT32:-50..49:25'],
  attr: ['a:INT64', 's:STRING_ASCII', 'f:FLOAT32', 'p:UINT16:3', 't:STRING_UTF8:nullable', 'n:INT32:nullable'],
  fieldFilters: ['a=bit-width-reduction,zstd,sha256', 's=gzip,sha256', 'f=bitshuffle,lz4', 'p=', 't=zstd', 'n=rle'],
  coordsFilters: 'zstd,sha256',
  offsetsFilters: 'double-delta,zstd',
  validityFilters: 'rle',
  capacity: '8',
  cells: '45',
  fragments: '1',
}
const SMALL: SampleOptions = {
  dim: ['x:INT32:0..19:5', 'y:INT32:0..19:5'],
  attr: ['a:INT32', 's:STRING_ASCII'],
  capacity: '6',
  cells: '20',
  fragments: '1',
}
const THREE: SampleOptions = { ...SMALL, cells: '30', fragments: '3' }

/** Timestamps of deletes, before or after those of every sample. Their content does not matter. */
const CONDITIONS = [15, 25].map((time) => `__commits/__${time}_${time}_${UUID}_22.del`)

async function addConditions(array: EditableArray): Promise<void> {
  for (const [i, path] of CONDITIONS.entries()) {
    const condition = { node: 'value', op: 'NE', field: 'a', value: u32(i), offsets: undefined } as const
    array.add(path, await array.genericTile(condition, deleteCondition))
  }
}

/** Gives fragments other timestamps in their names, in the order in which they were written. */
function rename(array: EditableArray, ranges: readonly (readonly [number, number])[]): void {
  const marks = array.matching(/\.wrt$/)
  for (const [i, mark] of marks.entries()) {
    const [first, last] = ranges[i]
    const name = mark.slice(mark.lastIndexOf('/') + 1, -4)
    const now = `__${first}_${last}_${name.replace(/^__\d+_\d+_/, '')}`
    array.move(mark, `${array.root}/__commits/${now}.wrt`)
    array.move(`${array.root}/__fragments/${name}`, `${array.root}/__fragments/${now}`)
  }
}

/** Names of commits relative to the array's folder, without the last `left`. */
function consolidateCommits(array: EditableArray, left: number): string[] {
  const marks = array.matching(/\.wrt$/)
  const lines = marks.slice(0, marks.length - left).map((path) => `${path.slice(array.root.length + 1)}\n`)
  for (const mark of marks.slice(0, marks.length - left)) array.remove(mark)
  array.add(`__commits/__10_20_${UUID}_22.con`, new TextEncoder().encode(lines.join('')))
  return lines
}

async function consolidateMetadata(array: EditableArray): Promise<void> {
  const entries: { fragment_name: string; offset: number }[] = []
  const footers: Uint8Array[] = []
  let at = 0
  for (const path of array.matching(/__fragment_metadata\.tdb$/)) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    const { footer } = await (await array.fragment(folder)).info()
    if (!footer) throw new TypeError('no footer')
    const stored = array.get(path).subarray(footer.offset, footer.offset + footer.size)
    entries.push({ fragment_name: folder.slice(folder.lastIndexOf('/') + 1), offset: at })
    footers.push(stored)
    at += stored.length
  }
  // Offsets count from the start of the payload, which begins with the entries.
  const base = encode({ entries, footers: new Uint8Array(0) }, consolidatedFragmentMetadata).length
  for (const entry of entries) entry.offset += base
  const meta = { entries, footers: bytes(...footers) }
  array.add(`__fragment_meta/__10_30_${UUID}_22.meta`, await array.genericTile(meta, consolidatedFragmentMetadata))
}

async function addGroup(array: EditableArray): Promise<void> {
  array.add('__tiledb_group.tdb')
  array.add('sub/__tiledb_group.tdb')
  const member = { version: 2, relative: true, deleted: false }
  const members = [
    { ...member, type: 'array' as const, uri: 'arr1', name: 'first' },
    { ...member, type: 'group' as const, uri: 'sub', name: 'nested' },
  ]
  array.add(`__group/__10_10_${UUID}_2`, await array.genericTile({ version: 2, members }, groupDetails))
}

async function addLabel(array: EditableArray, { codecs }: PrepareContext): Promise<void> {
  await array.rewrite(array.find(/^\/__schema\/__\d/), arraySchema, (schema) => {
    schema.dimension_labels.push({
      dimension_index: 0,
      name: 'height',
      relative: true,
      uri: '__labels/l1',
      attribute: 'label',
      order: 'increasing',
      type: 'FLOAT64',
      cell_val_num: 1,
      external: false,
    })
  })
  const label = { options: { dense: true, dim: ['d:INT32:0..11:5'], attr: ['label:FLOAT64'], cells: '0' } }
  for (const [path, content] of await filesOf(label, '', codecs)) array.add(`__labels/l1${path}`, content)
}

const SAMPLES = {
  sparse: { options: SPARSE },
  sparse10: { options: { ...SPARSE, formatVersion: '10' } },
  empty: { options: { ...SPARSE, cells: '0' } },
  emptyDense: { options: { dense: true, cells: '0', dim: ['d:INT32:0..11:5'], attr: ['a:INT32'] } },
  dense: { options: { dense: true, cells: '24', fragments: '1' } },
  consolidatedCommits: { options: THREE, prepare: (array) => void consolidateCommits(array, 1) },
  ignoredCommits: {
    options: THREE,
    prepare(array) {
      const [first] = consolidateCommits(array, 1)
      array.add(`__commits/__10_10_${UUID}_22.ign`, new TextEncoder().encode(first))
    },
  },
  vacuum: {
    options: THREE,
    prepare(array) {
      rename(array, [
        [10, 10],
        [20, 20],
        [10, 30],
      ])
      const old = array.matching(/\.wrt$/).filter((path) => !path.includes('/__10_30_'))
      const lines = old.map(
        (path) => `${path.slice(array.root.length).replace('/__commits/', '/__fragments/').slice(0, -4)}\n`,
      )
      array.add(
        `__commits/${array
          .find(/\/__10_30_.*\.wrt$/)
          .replace(/^.*\//, '')
          .slice(0, -4)}.vac`,
        new TextEncoder().encode(lines.join('')),
      )
    },
  },
  consolidatedMetadata: {
    options: THREE,
    async prepare(array) {
      rename(array, [
        [10, 10],
        [20, 20],
        [30, 30],
      ])
      await consolidateMetadata(array)
    },
  },
  deletes: { options: SMALL, prepare: addConditions },
  deleteMetadata: {
    options: SMALL,
    cells: Array.from({ length: 12 }, (_, i) => {
      const deleted = i === 0 ? 15 : null
      return `{"x":${i},"y":0,"a":${i},"s":"s${i}","__timestamps":${10 + i},"__delete_timestamps":${deleted},"__delete_condition_index":${deleted && 0}}\n`
    }).join(''),
    async prepare(array) {
      await addConditions(array)
      await array.editSection(
        (footer) => footer.processed_conditions_offset,
        processedConditions,
        () => ({ conditions: [...CONDITIONS] }),
      )
    },
  },
  currentDomain: {
    options: { ...SMALL, cells: '0' },
    prepare: (array) =>
      array.rewrite(array.find(/\/__schema\/__\d/), arraySchema, (schema) => {
        const range = () => ({ min: u32(0), max: u32(9) })
        schema.current_domain = { version: 0, type: 'NDRECTANGLE', range: [range(), range()] }
      }),
  },
  enumerations: {
    options: {
      ...SMALL,
      enum: ['trees:STRING_ASCII=alder,birch,elm'],
      attr: ['tree:UINT8:enum=trees'],
      filters: '',
    },
  },
  labels: {
    options: { dense: true, dim: ['d:INT32:0..11:5'], attr: ['a:INT32'], cells: '12', fragments: '1' },
    prepare: addLabel,
  },
  rtreeLevels: {
    options: {
      dim: ['x:UINT8:0..200:10', 'y:INT16:-300..300:50'],
      attr: ['a:INT8'],
      capacity: '2',
      cells: '300',
      fragments: '1',
    },
  },
  bools: { options: { ...SMALL, attr: ['bool:BOOL'] } },
  varNumbers: { options: { ...SMALL, attr: ['v:INT32:var'] } },
  metadata: { options: { ...SMALL, metadata: ['title="trees"', 'range=[1,2.5]'] } },
  group: { options: SMALL, below: 'arr1/', prepare: addGroup },
} satisfies Record<string, SampleRecipe>

export type SampleName = keyof typeof SAMPLES

/** A sample in memory, not yet damaged, with paths below `root`. The same name gives the same bytes. */
export async function sampleArray(name: SampleName, root: string, codecs: Codecs): Promise<EditableArray> {
  const recipe: SampleRecipe = SAMPLES[name]
  const array = new EditableArray(root, await filesOf(recipe, root, codecs), () => readContext(codecs, undefined))
  await recipe.prepare?.(array, { codecs })
  return array
}

async function filesOf(recipe: SampleRecipe, root: string, codecs: Codecs): Promise<Map<string, Uint8Array>> {
  const { options, cells, below = '' } = recipe
  const inputs: SampleInputs = { style: { raw: true } }
  if (cells !== undefined) inputs.data = { pieces: [cells], file: 'cells' }
  const { cells: _, fragments: __, ...given } = options
  const { array } = planSample(cells === undefined ? options : given, inputs)
  const noVector = (): never => {
    throw new TypeError('samples of damage are not encrypted')
  }
  const files = new Map<string, Uint8Array>()
  for await (const file of arrayFiles(array, { codecs, key: undefined, randomBytes: noVector }, () => {}))
    files.set(`${root}/${below}${file.path}`, file.bytes)
  return files
}
