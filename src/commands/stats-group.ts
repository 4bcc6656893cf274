import { exact } from '../calls/values.ts'
import type { DocumentHead } from '../documents/common.ts'
import type { MemberStats, MemberStatsFragment } from '../documents/dataset.ts'
import type {
  ArrayStats,
  GroupStats,
  GroupStatsArray,
  GroupStatsField,
  GroupStatsFinding,
  GroupStatsFragment,
  StatsFilter,
} from '../documents/stats.ts'
import { filtersText } from '../render/views/wording.ts'
import { ratio } from './size-tally.ts'

/** Number of parts of each kind that are named. */
const MAX_PARTS = 10

type Sums = Omit<GroupStats, keyof DocumentHead | 'as_of' | 'target'>

/** Sums over the arrays of a dataset. Only the largest parts are kept. */
export class GroupTally {
  private readonly arrays = new Largest<Omit<GroupStatsArray, 'share'>>()
  private readonly fields = new Largest<Omit<GroupStatsField, 'share'>>()
  private readonly fragments = new Largest<GroupStatsFragment>()
  private readonly filters = new Map<string, StatsFilter>()
  private readonly findings = new Map<string, GroupStatsFinding & { members: string[] }>()
  private readonly sums = {
    array_num: 0,
    fragment_num: 0,
    tile_num: 0,
    size: 0,
    unread_size: 0,
    unread_kept_size: 0,
    vacuum_size: 0,
    other_size: 0,
  }
  private readonly data = { data_size: 0, unfiltered_size: 0, memory_size: 0 }
  private cells = 0n

  /** Adds the files of a group itself. */
  addGroup(size: number): void {
    this.sums.other_size += size
    this.sums.size += size
  }

  private addFragment(member: string, name: string, size: number): void {
    this.fragments.add({ member, name, size })
  }

  addArray(member: string, stats: MemberStats): void {
    const { sums, data } = this
    const { fragment_num, cells_in_domain, unread_size, unread_counted, other_size } = stats
    for (const { name, size } of stats.fragments) this.addFragment(member, name, size)
    sums.array_num++
    sums.fragment_num += fragment_num
    sums.tile_num += stats.tile_num
    sums.unread_size += unread_size
    sums.unread_kept_size += stats.unread_kept_size
    sums.vacuum_size += stats.vacuum_size
    sums.other_size += other_size
    sums.size += stats.size + other_size + (unread_counted ? 0 : unread_size)
    data.data_size += stats.data_size
    data.unfiltered_size += stats.unfiltered_size
    data.memory_size += stats.memory_size
    this.cells += BigInt(cells_in_domain)
    const { data_size: size, unfiltered_size } = stats
    this.arrays.add({ member, size, unfiltered_size, ratio: stats.ratio, fragment_num, cells_in_domain })
    for (const field of stats.fields) this.fields.add({ member, ...field })
    for (const one of stats.filters) this.addFilters(one)
    for (const one of stats.findings) this.addFinding(member, one)
  }

  private addFilters(more: StatsFilter): void {
    const key = filtersText(more.filters)
    const known = this.filters.get(key) ?? { ...more, file_num: 0, size: 0, unfiltered_size: 0 }
    const [size, unfiltered_size] = [known.size + more.size, known.unfiltered_size + more.unfiltered_size]
    const one = ratio(unfiltered_size, size)
    this.filters.set(key, { ...known, file_num: known.file_num + more.file_num, size, unfiltered_size, ratio: one })
  }

  private addFinding(
    member: string,
    { code, severity, bytes }: Pick<GroupStatsFinding, 'code' | 'severity' | 'bytes'>,
  ): void {
    const known = this.findings.get(code) ?? { code, severity, finding_num: 0, members: [], bytes: 0 }
    known.finding_num++
    known.bytes += bytes
    if (known.members.length < MAX_PARTS && !known.members.includes(member)) known.members.push(member)
    this.findings.set(code, known)
  }

  result(): Sums {
    const { array_num, fragment_num, tile_num, ...sizes } = this.sums
    const { data_size, unfiltered_size, memory_size } = this.data
    const withShare = <T extends { size: number }>(part: T): T & { share: number | null } => ({
      ...part,
      share: ratio(part.size, data_size),
    })
    return {
      array_num,
      fragment_num,
      cells_in_domain: exact(this.cells),
      tile_num,
      ...sizes,
      data_size,
      unfiltered_size,
      ratio: ratio(unfiltered_size, data_size),
      memory_size,
      arrays: this.arrays.list.map(withShare),
      fields: this.fields.list.map(withShare),
      fragments: this.fragments.list,
      filters: [...this.filters.values()].sort((a, b) => b.size - a.size),
      findings: [...this.findings.values()].sort((a, b) => b.finding_num - a.finding_num),
    }
  }
}

/** What the sums of many arrays need of one. @param fragments its fragments */
export function memberStats(stats: ArrayStats, fragments: Iterable<MemberStatsFragment>): MemberStats {
  const { fragment_num, cells_in_domain, tile_num, size, unread_size, unread_counted, other_size } = stats
  const {
    unread_kept_size,
    vacuum_size,
    data_size,
    unfiltered_size,
    ratio,
    fragment_metadata,
    fields,
    filters,
    findings,
  } = stats
  const largest = new Largest<MemberStatsFragment>()
  for (const one of fragments) largest.add(one)
  return {
    ...{ fragment_num, cells_in_domain, tile_num, size, unread_size, unread_counted, other_size },
    ...{ unread_kept_size, vacuum_size, data_size, unfiltered_size, ratio, memory_size: fragment_metadata.memory_size },
    fields: fields.slice(0, MAX_PARTS).map(({ files, share, ...field }) => field),
    fragments: largest.list,
    filters,
    findings: findings.map(({ code, severity, bytes }) => ({ code, severity, bytes })),
  }
}

/** The largest elements of many. */
class Largest<T extends { size: number }> {
  readonly list: T[] = []

  add(one: T): void {
    const { list } = this
    if (list.length === MAX_PARTS && one.size <= list[MAX_PARTS - 1].size) return
    const at = list.findIndex(({ size }) => size < one.size)
    list.splice(at < 0 ? list.length : at, 0, one)
    if (list.length > MAX_PARTS) list.pop()
  }
}
