import { parseFragmentName } from '../format/timestamped-name.ts'
import { Text } from './text.tsx'

/** Letters of the UUID in a short name. With the time, they tell apart the fragments of any array. */
const LETTERS = 4

/**
 * The name of a fragment, of which the first letters of its UUID are in sight: its times stand beside it. What is selected, copied,
 * sought, saved or read aloud is the whole name.
 */
export function FragmentName({ name, isWhole }: { name: string; isWhole: boolean }) {
  const uuid = parseFragmentName(name)?.uuid
  if (isWhole || uuid === undefined) return <Text>{name}</Text>
  const from = name.indexOf(uuid)
  const to = from + LETTERS
  return (
    <bdi class="text short" title={name}>
      <span class="unseen">{name.slice(0, from)}</span>
      {name.slice(from, to)}
      <span class="unseen">{name.slice(to)}</span>
    </bdi>
  )
}
