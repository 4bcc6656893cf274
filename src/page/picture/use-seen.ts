import { useEffect, useState } from 'preact/hooks'
import { changeLink, type Link } from '../link.ts'
import { listText } from '../range-list.ts'

/** Milliseconds without a move after which what is in sight is read. */
const REST = 250

/**
 * The part of a picture that is seen, and what changes it. The link follows when it rests.
 * @param asked the part that the link asks for. "Back", typing and sliders change it, too
 * @param rangesOf the ranges of a part, as the link has them
 */
export function useSeen<T extends { readonly [K in keyof T]: number }>(
  asked: T,
  link: Link,
  rangesOf: (seen: T) => readonly string[],
) {
  const [seen, setSeen] = useState(asked)
  const text = JSON.stringify(asked)
  useEffect(() => setSeen(asked), [text, link.d])
  useEffect(() => {
    if (isSame(seen, asked)) return
    const timer = setTimeout(() => {
      changeLink(link, { r: listText(rangesOf(seen)), m: undefined }, true)
    }, REST)
    return () => clearTimeout(timer)
  }, [seen, text])
  return [seen, setSeen] as const
}

/** Whether two parts have the same sides. */
export function isSame<T extends object>(a: T, b: T): boolean {
  for (const side in a) if (a[side] !== b[side]) return false
  return true
}
