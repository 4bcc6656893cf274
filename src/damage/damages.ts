import type { FindingCode } from '../check/codes.ts'
import { ARRAY_DAMAGE } from './array-damage.ts'
import { CELL_DAMAGE } from './cell-damage.ts'
import type { Damage } from './damage.ts'
import { FRAGMENT_DAMAGE } from './fragment-damage.ts'
import { GENOMICSDB_DAMAGE } from './genomicsdb-damage.ts'
import { GROUP_DAMAGE } from './group-damage.ts'
import { LAYER_DAMAGE } from './layer-damage.ts'
import { SCHEMA_DAMAGE } from './schema-damage.ts'

/** One damage for each finding code, in the file of the part that it damages. Whoever adds a code adds its damage there, not here. */
export const DAMAGES: Readonly<Record<FindingCode, Damage>> = {
  ...ARRAY_DAMAGE,
  ...SCHEMA_DAMAGE,
  ...FRAGMENT_DAMAGE,
  ...CELL_DAMAGE,
  ...GROUP_DAMAGE,
  ...LAYER_DAMAGE,
  ...GENOMICSDB_DAMAGE,
}
