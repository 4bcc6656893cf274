import type { ArrayListing } from '../documents/array.ts'
import { stateLines } from '../render/views/fragment-states.ts'
import type { InMemory } from './inspected.ts'

/** One line for each state that a fragment has: what the state means. */
export function StateLines({ listed: { fragments, as_of, array_type } }: { listed: InMemory<ArrayListing> }) {
  return stateLines(fragments, as_of, array_type === 'sparse').map(({ state, text }) => (
    <p key={state} class={state === 'hidden' ? 'bad' : 'dim'}>
      {text}
    </p>
  ))
}
