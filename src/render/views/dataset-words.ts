import type { GroupLine, GroupTotals } from '../../documents/group.ts'
import type { Exactness } from '../../documents/overview.ts'
import { counted, countText, NOTHING, shortSizeText } from './wording.ts'

/** What is said of an object in the folder of a group whose list does not name it. */
export const NOT_LISTED = 'its group does not name it'

/** What a member is, in a word: as its layer calls it, or as TileDB does. */
export function memberKind({ type, found, state, array_type, layer_type }: GroupLine): string {
  if (type === 'invalid' && state === 'missing') return 'missing'
  return layer_type ?? array_type ?? found ?? type
}

const ABOUT: Readonly<Record<Exactness, string>> = {
  exact: '',
  'at most': 'at most ',
  'at least': 'at least ',
  estimated: 'about ',
}

/** `8 arrays, 3 groups: 12 fragments, 1,234,567 cells, 45.1 MiB in 210 files` */
export function totalsText(totals: GroupTotals): string {
  const { array_num, group_num, fragment_num, cell_num, certainty, size, file_num, unread_num, elsewhere_num } = totals
  const parts = [
    counted(fragment_num, 'fragment'),
    `${ABOUT[certainty]}${counted(cell_num, 'cell')}`,
    `${shortSizeText(size)} in ${counted(file_num, 'file')}`,
    unread_num > 0 && `${counted(unread_num, 'member')} not read`,
    elsewhere_num > 0 && `${counted(elsewhere_num, 'member')} from outside`,
  ]
  const groups = group_num > 0 ? `, ${counted(group_num, 'group')}` : ''
  return `${counted(array_num, 'array')}${groups}: ${parts.filter((part) => part !== false).join(', ')}`
}

const SIGNS: Readonly<Record<Exactness, string>> = { exact: '', 'at most': '≤ ', 'at least': '≥ ', estimated: '~ ' }

/** `≤ 12,400`: the cells of a member, in a table. */
export function cellsText({ cell_num, certainty }: Pick<GroupLine, 'cell_num' | 'certainty'>): string {
  if (cell_num === undefined) return ''
  if (cell_num === null) return NOTHING
  return SIGNS[certainty ?? 'exact'] + countText(cell_num)
}
