import { InspectError, orError } from '../base/errors.ts'
import { timeText } from '../format/timestamped-name.ts'
import type { Target } from '../store/target.ts'
import type { CommandContext } from './command.ts'

/** Times from here on are those of writes; less is a number that someone chose. */
const LEAST = 1_000_000_000_000n
/** Years, such as 2024, have a note of their own. */
const YEARS = 2_100n

/** Notes that a time before all fragments may be in seconds. */
export async function noteSeconds(cx: CommandContext, target: Target): Promise<void> {
  const { now } = cx.reading
  if (target.type !== 'array' || now < YEARS) return
  const fragments = await orError(() => target.array.fragments())
  if (fragments instanceof InspectError || fragments.length === 0) return
  if (fragments.some(({ timestamp_range }) => (timestamp_range?.[0] ?? 0n) < LEAST)) return
  const date = new Date(Number(now)).toISOString().slice(0, 10)
  cx.note(
    `times are milliseconds; ${now} is ${date}, and the first fragment is of ${timeText(fragments[0].timestamp_range?.[0] ?? 0n)}`,
  )
}
