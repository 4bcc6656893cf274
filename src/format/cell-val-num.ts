import type { Coding } from './io.ts'

/** Values in a cell; `"var"` if cells are var-sized. */
export type CellValNum = number | 'var'

const VAR_NUM = 0xffffffff

export const cellValNumCoding: Coding<CellValNum> = {
  label: 'cell_val_num',
  decode(stored) {
    if (stored === VAR_NUM) return 'var'
    return stored === 0 ? undefined : stored
  },
  encode: (value) => (value === 'var' ? VAR_NUM : value),
  accepted: () => `1 or more, ${VAR_NUM} for var`,
}
