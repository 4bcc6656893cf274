import type { ArrayFragment } from '../documents/array.ts'
import type { TimestampRange } from '../documents/common.ts'
import { stateLines } from '../render/views/fragment-states.ts'

/** One line for each state that a fragment has: what the state means. */
export function StateLines(props: { fragments: readonly ArrayFragment[]; as_of: unknown }) {
  return stateLines(props.fragments, props.as_of as TimestampRange | undefined).map(({ state, text }) => (
    <p key={state} class={state === 'hidden' ? 'bad' : 'dim'}>
      {text}
    </p>
  ))
}
