import { Button } from '../controls.tsx'
import { Text } from '../text.tsx'

/** The least or the greatest value in sight, and where it is. */
export interface Extreme {
  value: string
  place: string
  /** Points at the place. */
  go(): void
}

/** The least and the greatest value in words. @param of the least, then the greatest */
export function Extremes({ of }: { of: readonly Extreme[] }) {
  return of.map(({ value, place, go }, i) => (
    <span key={i}>
      {i === 0 ? 'least' : '; greatest'} <Text>{value}</Text> at{' '}
      <Button class="plain" onClick={go}>
        <Text>{place}</Text>
      </Button>
    </span>
  ))
}
