import type { ComponentChild } from 'preact'
import type { Documents } from './inspected.ts'
import { timeOptions } from './times.ts'
import { Shown, useLoaded } from './use-loaded.tsx'
import type { ViewProps } from './view.ts'

/** Loads the schema that a reader uses at the time of the link, then shows what needs it. */
export function WithSchema({
  inspected,
  link,
  show,
}: ViewProps & { show(schema: Documents['schema']): ComponentChild }) {
  const schema = useLoaded(() => inspected.document('schema', timeOptions(link)), [inspected, link.t])
  return <Shown of={schema} what="the schema" show={show} />
}
