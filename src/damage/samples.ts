import type { Codecs } from '../filters/codecs/codecs.ts'
import { consolidatedFragmentMetadata } from '../format/consolidated-fragment-metadata.ts'
import { deleteCondition } from '../format/delete-condition.ts'
import { groupDetails } from '../format/group-details.ts'
import { encode } from '../format/io.ts'
import { readContext } from '../objects/read-context.ts'
import type { SampleOptions } from '../write/sample.ts'
import { bytes, textBytes, u32Bytes } from './bytes.ts'
import { committed, METADATA, UUID } from './damage.ts'
import { EditableArray } from './editable-array.ts'
import { GENOMICSDB } from './genomicsdb-sample.ts'
import { IMAGE } from './image-sample.ts'
import { filesOf, type SampleRecipe } from './sample-files.ts'
import { SOMA } from './soma-sample.ts'
import { VCF } from './vcf-sample.ts'
import { VECTOR_INDEX_RECIPE } from './vector-sample.ts'

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

const DUPLICATES: SampleOptions = { ...SMALL, duplicates: true }
const cellsAt = (at: readonly number[]): string => at.map((x) => `{"x":${x},"y":${x},"a":${x},"s":"s${x}"}\n`).join('')
const FIRST = cellsAt([0, 1, 2, 7])
const SECOND = cellsAt([3, 8, 9])

/** Paths of the delete conditions of samples. What they delete does not matter. */
const CONDITIONS = [15, 25].map((time) => `__commits/__${time}_${time}_${UUID}_22.del`)

async function addConditions(array: EditableArray): Promise<void> {
  for (const [i, path] of CONDITIONS.entries()) {
    const condition = { node: 'value', op: 'NE', field: 'a', value: u32Bytes(i), offsets: undefined } as const
    array.add(path, await array.genericTile(condition, deleteCondition))
  }
}

/** Gives fragments new timestamps, in the order in which they were written. @param ranges `<first>_<last>` */
function setTimes(array: EditableArray, ranges: readonly string[]): void {
  for (const [i, mark] of array.matching(/\.wrt$/).entries()) {
    const name = committed(mark)
    const newName = name.replace(/^__\d+_\d+_/, `__${ranges[i]}_`)
    array.move(mark, `${array.root}/__commits/${newName}.wrt`)
    array.move(`${array.root}/__fragments/${name}`, `${array.root}/__fragments/${newName}`)
  }
}

/** Makes the only fragment one that replaced two others, and adds these. */
async function addSources(array: EditableArray): Promise<void> {
  setTimes(array, ['10_20'])
  const lines: string[] = []
  for (const [cells, time] of [
    [FIRST, 10],
    [SECOND, 20],
  ] as const) {
    const name = `__${time}_${time}_${UUID}_22`
    for (const [path, content] of await filesOf({ options: DUPLICATES, cells }, '', array.newContext().codecs)) {
      const [, file] = /\/__fragments\/[^/]*(\/.*)/.exec(path) ?? []
      if (file) array.add(`__fragments/${name}${file}`, content)
    }
    array.add(`__commits/${name}.wrt`)
    lines.push(`/__fragments/${name}\n`)
  }
  array.add(`__commits/${committed(array.find(/__10_20_.*\.wrt$/))}.vac`, textBytes(lines.join('')))
}

/** Consolidates all commits but the last. @returns the lines of the `.con` file */
function consolidateCommits(array: EditableArray): string[] {
  const marks = array.matching(/\.wrt$/).slice(0, -1)
  const lines = marks.map((path) => `${path.slice(array.root.length + 1)}\n`)
  for (const mark of marks) array.remove(mark)
  array.add(`__commits/__10_20_${UUID}_22.con`, textBytes(lines.join('')))
  return lines
}

/** Writes the consolidated metadata of all fragments. */
async function consolidateMetadata(array: EditableArray): Promise<void> {
  const entries: { fragment_name: string; offset: number }[] = []
  const footers: Uint8Array[] = []
  let at = 0
  for (const path of array.matching(METADATA)) {
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

async function addLabel(array: EditableArray): Promise<void> {
  await array.editSchema(({ dimension_labels }) => {
    dimension_labels.push({
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
  for (const [path, content] of await filesOf(label, '', array.newContext().codecs))
    array.add(`__labels/l1${path}`, content)
}

const SAMPLES = {
  sparse: { options: SPARSE },
  sparse10: { options: { ...SPARSE, formatVersion: '10' } },
  empty: { options: { ...SPARSE, cells: '0' } },
  emptyDense: { options: { dense: true, cells: '0', dim: ['d:INT32:0..11:5'], attr: ['a:INT32'] } },
  dense: { options: { dense: true, cells: '24', fragments: '1' } },
  consolidatedCommits: { options: THREE, prepare: (array) => void consolidateCommits(array) },
  ignoredCommits: {
    options: THREE,
    prepare(array) {
      const [first] = consolidateCommits(array)
      array.add(`__commits/__10_10_${UUID}_22.ign`, textBytes(first))
    },
  },
  vacuum: {
    options: THREE,
    prepare(array) {
      setTimes(array, ['10_10', '20_20', '10_30'])
      const [first, whole, second] = array.matching(/\.wrt$/)
      const lines = [first, second].map((mark) => `/__fragments/${committed(mark)}\n`)
      array.add(`__commits/${committed(whole)}.vac`, textBytes(lines.join('')))
    },
  },
  duplicates: { options: DUPLICATES, cells: FIRST + SECOND, prepare: addSources },
  consolidatedMetadata: {
    options: THREE,
    async prepare(array) {
      setTimes(array, ['10_10', '20_20', '30_30'])
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
      await array.editSection('processed_conditions', undefined, { conditions: [...CONDITIONS] })
    },
  },
  currentDomain: {
    options: { ...SMALL, cells: '0' },
    prepare(array) {
      const range = () => ({ min: u32Bytes(0), max: u32Bytes(9) })
      return array.editSchema({ current_domain: { version: 0, type: 'NDRECTANGLE', range: [range(), range()] } })
    },
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
  scaled: { options: { ...SMALL, attr: ['v:FLOAT64'], filters: 'scale-float:scale=0.5:byte_width=2' } },
  bools: { options: { ...SMALL, attr: ['bool:BOOL'] } },
  varNumbers: { options: { ...SMALL, attr: ['v:INT32:var'] } },
  metadata: { options: { ...SMALL, metadata: ['title="trees"', 'range=[1,2.5]'] } },
  group: { options: SMALL, below: 'arr1/', prepare: addGroup },
  soma: SOMA,
  vcf: VCF,
  vectorIndex: VECTOR_INDEX_RECIPE,
  image: IMAGE,
  genomicsdb: GENOMICSDB,
} satisfies Record<string, SampleRecipe>

export type SampleName = keyof typeof SAMPLES

/** Makes a sample in memory, without damage, with paths below `root`. The same name always gives the same bytes. */
export async function sampleArray(name: SampleName, root: string, codecs: Codecs): Promise<EditableArray> {
  const recipe: SampleRecipe = SAMPLES[name]
  const array = new EditableArray(root, await filesOf(recipe, root, codecs), () => readContext(codecs, undefined))
  await recipe.prepare?.(array)
  return array
}
