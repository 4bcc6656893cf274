import { exitCodeOf, type InspectError } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import { counted } from '../render/views/wording.ts'
import { Button, focusAround } from './controls.tsx'
import { asFindings } from './damage.ts'
import { changeLink, viewLink } from './link.ts'
import { MAX_FAULTS, type ReadFault } from './tasks.ts'
import { linkTime } from './times.ts'
import { Fault } from './use-loaded.tsx'
import type { ViewProps } from './view.ts'
import { Lost, useDamage } from './views/findings.tsx'

/** Upper limit on the faults that are shown one by one. */
const MAX_SHOWN = 20

interface DamagedProps extends ViewProps {
  /** The error that ended a read. */
  error?: InspectError | undefined
  /** The faults that did not end it. */
  faults?: readonly ReadFault[] | undefined
  /** Whether the read may still find more. */
  isUnderWay?: boolean
  /** Whether the view can go on after damage, if its link says so. */
  canGoOn?: boolean
}

/** What a read could not get, in words: cells of which fields and fragments, and where they are stored. */
export function Damaged({ inspected, link, error, faults = [], isUnderWay, canGoOn }: DamagedProps) {
  const isDamage = error !== undefined && exitCodeOf(error) === 1
  const damage = useDamage(
    inspected,
    () => asFindings(inspected, isDamage ? [...faults, error] : faults),
    [error, faults.length],
    linkTime(link),
  )
  // The read may not have met all damage, so cells that it found whole are not counted.
  const losses = damage.losses.map(({ whole, ...loss }) => loss)
  const cells = sum(losses, ({ cells = 0 }) => cells)
  const isMore =
    faults.length === MAX_FAULTS || damage.unexamined > 0 || losses.some(({ because }) => because !== undefined)
  const goOn = (event: Event): void => {
    focusAround(event)
    changeLink(link, { x: `${link.x ?? ''}k` })
  }
  return (
    <div tabIndex={-1}>
      {faults.length > 0 && (
        <p class="bad">
          {counted(faults.length, 'damaged part')} left out{isUnderWay && ' so far'}
          {cells > 0 && `: tiles that hold ${isMore ? 'at least ' : ''}${counted(cells, 'cell')}`}.
        </p>
      )}
      {(faults.length > 0 || isDamage) && (
        <>
          <Lost {...{ inspected, link }} damage={{ ...damage, losses }} />
          <p>
            <a href={viewLink(link, 'findings')}>Findings</a> lists all damage.{' '}
            {isDamage && canGoOn && !link.x?.includes('k') && <Button onClick={goOn}>Go on after damage</Button>}
          </p>
        </>
      )}
      {error && <Fault error={error} />}
      {faults.length > 0 && (
        <details open={faults.length <= 3}>
          <summary>Where in the files</summary>
          {faults.slice(0, MAX_SHOWN).map((fault, i) => (
            <Fault key={i} error={fault} />
          ))}
        </details>
      )}
    </div>
  )
}
