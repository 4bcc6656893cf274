import { useEffect, useState } from 'preact/hooks'

/**
 * What the page shows, as keys and values behind the `#` of its URL. So a view can be passed on, and the browser's "back" works.
 * - `v`: id of the view
 * - `u`: URL of the target
 * - `i`: path below the target of the group member or fragment that is shown in its place
 * - `p`: path of a file, below what is shown
 * - `t`: time of opening
 * - `h`: 1 if names of fragments are shown whole
 *
 * Other keys belong to the views. Views keep the link short: ids rather than lists.
 */
export type Link = Readonly<Record<string, string>>

/** Longest link in characters: mail programs refuse longer URLs. */
const LONGEST_LINK = 2000

function parseLink(hash: string): Link {
  return Object.fromEntries(new URLSearchParams(hash.replace(/^#/, '')))
}

/** The part of a URL from `#` on, without empty values. Only `v` is kept of a link that is too long. */
export function linkText(link: Readonly<Record<string, string | undefined>>): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(link)) if (value !== undefined && value !== '') params.set(key, value)
  const text = `#${params}`
  return text.length <= LONGEST_LINK ? text : `#v=${encodeURIComponent(link.v ?? '')}`
}

/** The link in the page's URL. The component is drawn again when it changes. */
export function useLink(): Link {
  const [link, setLink] = useState(() => parseLink(location.hash))
  useEffect(() => {
    const changed = () => setLink(parseLink(location.hash))
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return link
}

/** Text of the link to another view of the same target at the same time. */
export function viewLink(link: Link, view: string, more: Readonly<Record<string, string | undefined>> = {}): string {
  return linkText({ v: view, u: link.u, i: link.i, t: link.t, h: link.h, ...more })
}

/** Separator in `i`: after it comes the path of what was opened inside of what the page showed before. */
export const INSIDE = '//'

/** Text of the link to something inside of what is shown, as of now. @param below its path, below what is shown */
export function innerLink(link: Link, below: string): string {
  return linkText({ u: link.u, h: link.h, i: link.i === undefined ? below : link.i + INSIDE + below })
}

/** `i` of what the page showed before it went inside; undefined for the target. */
export function outerPath({ i = '' }: Link): string | undefined {
  return i.split(INSIDE).slice(0, -1).join(INSIDE) || undefined
}

/** Changes some keys of the link. @param replace whether "back" skips the old link, as for each step of a drag */
export function changeLink(link: Link, more: Readonly<Record<string, string | undefined>>, replace = false): void {
  // After a click on a link the old view may still write its own: that would take the reader back.
  const now = parseLink(location.hash)
  if (replace && (now.v !== link.v || now.p !== link.p)) return
  const text = linkText({ ...link, ...more })
  if (!replace) location.hash = text
  else {
    history.replaceState(null, '', text)
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
}
