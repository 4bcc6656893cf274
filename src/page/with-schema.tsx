import type { ComponentChild } from 'preact'
import type { DocumentOf } from './inspected.ts'
import { timesOf } from './times.ts'
import { Shown, useLoaded } from './use-loaded.tsx'
import type { ViewProps } from './view.ts'

/** Shows what needs the schema that a reader uses at the time of the link. */
export function WithSchema({
  inspected,
  link,
  show,
}: ViewProps & { show(schema: DocumentOf<'schema'>): ComponentChild }) {
  const schema = useLoaded(() => inspected.document('schema', timesOf(link)), [inspected, link.t])
  return <Shown of={schema} what="the schema" show={show} />
}
