import { useEffect, useState } from 'preact/hooks'

/**
 * What the page shows stands behind the `#` of its URL, so that a view can be passed on, and the browser's "back" works: `v` is the
 * view, `i` the path of what is shown in place of the target, below it: a member of a group, a fragment; `p` the path of a file below
 * that, `t` the time of opening, `u` the URL of the target; other keys belong to the views. Views keep it short: ids rather than lists.
 */
export type Link = Readonly<Record<string, string>>

/** Longer URLs are refused by mail programs. */
const LONGEST_LINK = 2000

function parseLink(hash: string): Link {
  return Object.fromEntries(new URLSearchParams(hash.replace(/^#/, '')))
}

/** The part of a URL from `#` on. Empty values are left out. */
export function linkText(link: Readonly<Record<string, string | undefined>>): string {
  const asked = new URLSearchParams()
  for (const [key, value] of Object.entries(link)) if (value !== undefined && value !== '') asked.set(key, value)
  const text = `#${asked}`
  return text.length <= LONGEST_LINK ? text : `#v=${encodeURIComponent(link.v ?? '')}`
}

/** Where the page is, and how to go elsewhere. */
export function useLink(): Link {
  const [link, setLink] = useState(() => parseLink(location.hash))
  useEffect(() => {
    const changed = () => setLink(parseLink(location.hash))
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return link
}

/** Shows another view. What all views share is kept: the target and the time. */
export function goTo(link: Link, view: string, more: Readonly<Record<string, string | undefined>> = {}): string {
  return linkText({ v: view, u: link.u, i: link.i, t: link.t, ...more })
}

/** Stands in `i` between what was opened and what was opened inside of it: a path has one slash there. */
export const INSIDE = '//'

/** Shows something inside of what is shown, at any time. @param below its path from there on */
export function goInside(link: Link, below: string): string {
  return linkText({ u: link.u, i: link.i === undefined ? below : link.i + INSIDE + below })
}

/** `i` of what holds what is shown; undefined for the target. */
export function around({ i = '' }: Link): string | undefined {
  return i.split(INSIDE).slice(0, -1).join(INSIDE) || undefined
}

/** Changes some of what the view shows. @param replace whether "back" skips this, as while something is dragged */
export function change(link: Link, more: Readonly<Record<string, string | undefined>>, replace = false): void {
  // Between a click on a link and the next picture, what the old view still writes would take the reader back.
  const now = parseLink(location.hash)
  if (replace && (now.v !== link.v || now.p !== link.p)) return
  const text = linkText({ ...link, ...more })
  if (!replace) location.hash = text
  else {
    history.replaceState(null, '', text)
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
}
