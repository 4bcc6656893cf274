import { parseFragmentName, parseTimestampedName, timeText } from '../format/timestamped-name.ts'
import { escapeText } from '../render/units.ts'
import { Text } from './text.tsx'

/** Letters of the UUID in a short name. With the time, they tell apart the fragments of any array. */
const LETTERS = 4

interface Parts {
  /** The last time of writing, as a person reads it. */
  time: string | undefined
  /** The name, cut around what is in sight: the first letters of its UUID, and its suffix. */
  before: string
  letters: string
  between: string
  suffix: string
}

function partsOf(name: string): Parts | undefined {
  const stamped = parseTimestampedName(name)
  const facts = stamped ?? parseFragmentName(name)
  if (!facts) return undefined
  const from = name.indexOf(facts.uuid)
  const to = from + LETTERS
  const end = stamped?.suffix === undefined ? name.length : name.indexOf('.')
  return {
    // Enumerations have no time: their names have zeros.
    time: facts.timestamp_range[1] === 0n ? undefined : timeText(facts.timestamp_range[1], false),
    before: name.slice(0, from),
    letters: name.slice(from, to),
    between: name.slice(to, end),
    suffix: name.slice(end),
  }
}

/** The short name of a fragment, for drawings; the name itself if it is of another form. */
export function shortName(name: string): string {
  const parts = partsOf(name)
  return parts ? [parts.time, parts.letters + parts.suffix].join(' ').trim() : name
}

/**
 * The name of a fragment, or of another file or folder with a time in its name. In sight are the time and the first letters of the UUID,
 * or all of it if the reader wants whole names. What is selected, copied, sought, saved or read aloud is the whole name.
 * @param isTimed whether the time stands beside it anyway
 */
export function FragmentName({ name, isTimed }: { name: string; isTimed?: boolean }) {
  const parts = partsOf(name)
  if (!parts) return <Text>{name}</Text>
  return (
    <bdi class="text short name" title={name} data-time={isTimed ? undefined : parts.time}>
      <span class="unseen">{parts.before}</span>
      {parts.letters}
      <span class="unseen">{parts.between}</span>
      {escapeText(parts.suffix)}
    </bdi>
  )
}

/** A path, with short names of fragments in it. */
export function PathName({ path }: { path: string }) {
  const names = path.split('/')
  if (!names.some(partsOf)) return <Text>{path}</Text>
  return (
    <bdi class="text">
      {names.map((name, i) => (
        <>
          {i > 0 && '/'}
          {name !== '' && <FragmentName name={name} />}
        </>
      ))}
    </bdi>
  )
}
