import { existsSync, statSync } from 'node:fs'
import { get, items } from '../helpers/json.ts'
import { compareDomain } from './compare-ls.ts'
import { dataFiles } from './data-files.ts'
import type { Differences } from './differences.ts'
import { type ExpectedFragment, schemaOf } from './expected.ts'
import type { GoldenArray } from './golden-array.ts'

const SIZE_KEYS = { data: 'file_size', var: 'file_var_size', validity: 'file_validity_size' } as const

/** `footer` of every fragment: against FragmentInfo, and its file sizes against the files. */
export async function compareFooter(array: GoldenArray, found: Differences): Promise<void> {
  for (const want of array.expected.fragments) await compareOne(array, want, found)
}

async function compareOne(array: GoldenArray, want: ExpectedFragment, found: Differences): Promise<void> {
  const path = array.fragmentPath(want)
  const got = await array.json(['footer'], path, 'footer')
  const version = want.format_version
  found.equal(get(got, 'format_version'), version, 'format_version')
  found.equal(get(got, 'dense'), want.dense, 'dense')
  found.equal(get(got, 'array_schema_name'), want.schema_name, 'array_schema_name')
  compareDomain(get(got, 'nonempty_domain'), array, want, found)
  const schema = schemaOf(array.expected, want)
  if (!want.dense) {
    const capacity = Number(schema.capacity)
    if (version >= 3) found.equal(get(got, 'sparse_tile_num'), Math.ceil(want.cell_num / capacity), 'sparse_tile_num')
    found.equal(get(got, 'last_tile_cell_num'), ((want.cell_num - 1) % capacity) + 1, 'last_tile_cell_num')
  }
  if (version >= 14) found.equal(get(got, 'includes_timestamps'), want.files.includes('t.tdb'), 'includes_timestamps')
  if (version >= 15) {
    found.equal(get(got, 'includes_delete_metadata'), want.files.includes('dt.tdb'), 'includes_delete_metadata')
  }
  compareFileSizes(array, want, items(get(got, 'fields')), found)
  const names = items(get(got, 'fields')).map((field) => get(field, 'name'))
  found.need(names.includes('__coords'), () => 'the coordinates slot is missing')
  if (version < 3) return
  const fileSize = statSync(`${path}/__fragment_metadata.tdb`).size
  const end = Number(get(got, 'footer_offset')) + Number(get(got, 'footer_size'))
  const lengthStored = version >= 10 || (version >= 5 && schema.dims.some((dimension) => dimension.var))
  found.equal(end, fileSize - (lengthStored ? 8 : 0), 'end of the footer')
}

function compareFileSizes(
  array: GoldenArray,
  want: ExpectedFragment,
  fields: ReturnType<typeof items>,
  found: Differences,
): void {
  for (const { role, field, path } of dataFiles(schemaOf(array.expected, want), want, array.fragmentPath(want))) {
    const slot = fields.find((one) => get(one, 'name') === field && get(one, 'phantom') !== true)
    const key = SIZE_KEYS[role]
    const size = existsSync(path) ? statSync(path).size : 0
    const printed = get(slot, key)
    if (array.loose && Number(printed) < size) continue
    found.equal(printed, size, `${key} of ${field} in ${want.name}, against the file`)
  }
}
