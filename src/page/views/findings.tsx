import type { CheckFinding } from '../../documents/check.ts'
import { counted, inside, NOTHING } from '../../render/views/wording.ts'
import type { Inspected } from '../inspected.ts'
import { change, goTo, type Link } from '../link.ts'
import { NotExamined } from '../not-examined.tsx'
import { type Column, Table } from '../table.tsx'
import { Text } from '../text.tsx'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { View, ViewProps } from '../view.ts'

/** What `check` finds. `l` of the link is the level. */
export const findings: View = {
  id: 'findings',
  title: 'Findings',
  targets: ['array', 'fragment', 'group'],
  call: ({ link }) => ({ words: ['check', ...(link.l ? ['--level', link.l] : [])] }),
  Show: Findings,
}

const LEVELS = [
  ['structure', 'metadata alone'],
  ['chunks', 'every tile'],
  ['cells', 'every cell'],
] as const

const RANK = { error: 0, warning: 1, note: 2 } as const

function Findings({ inspected, link }: ViewProps) {
  const level = link.l
  const document = useLoaded(
    () => inspected.document('check', level === undefined ? {} : { level }),
    [inspected, level],
  )
  return (
    <>
      <fieldset>
        <legend>What is read</legend>
        {LEVELS.map(([name, words]) => (
          <label key={name}>
            <input
              type="radio"
              name="level"
              checked={(level ?? 'chunks') === name}
              onChange={() => change(link, { l: name === 'chunks' ? undefined : name })}
            />{' '}
            {words}
          </label>
        ))}
      </fieldset>
      {link.t !== undefined && <p>Of all files, whatever the time.</p>}
      <Shown
        of={document}
        what="the files"
        show={({ findings, finding_num, ok, counts, not_checked, not_examined }) => (
          <>
            <p class={ok ? 'good' : 'bad'}>
              {ok ? 'No error' : counted(finding_num.error, 'error')}, {counted(finding_num.warning, 'warning')},{' '}
              {counted(finding_num.note, 'note')}; {counted(counts.file_num, 'file')} examined.
            </p>
            {findings.length > 0 && (
              <Table caption="Findings" columns={columns(inspected, link)} rows={findings} keyOf={(_, i) => i} />
            )}
            <NotExamined errors={not_examined} />
            {not_checked.length > 0 && <p>Not checked: {not_checked.join('; ')}.</p>}
          </>
        )}
      />
    </>
  )
}

function columns(inspected: Inspected, link: Link): readonly Column<CheckFinding>[] {
  const shown = inspected.shownPath(inspected.path)
  return [
    {
      title: 'severity',
      show: ({ severity }) => <span class={`severity ${severity}`}>{severity}</span>,
      by: ({ severity }) => RANK[severity],
    },
    { title: 'code', show: ({ code }) => code, by: ({ code }) => code },
    { title: 'file', show: ({ file }) => <Text>{file}</Text>, by: ({ file }) => file },
    {
      title: 'byte',
      isNumber: true,
      show: ({ file, offset, space }) => {
        const p = inside(file, shown)
        // Offsets below a filter are not those of the file, and of a file elsewhere there are no bytes here.
        if (offset === null || space !== undefined || p === '' || p === file) return offset ?? NOTHING
        return <a href={goTo(link, 'files', { p, o: String(offset) })}>{offset}</a>
      },
      by: ({ offset }) => offset,
    },
    { title: 'field', show: ({ field }) => <Text>{field ?? NOTHING}</Text>, by: ({ field }) => field },
    { title: 'what', show: ({ message }) => <Text>{message}</Text> },
    { title: 'for a reader', show: ({ meaning }) => <Text>{meaning}</Text> },
  ]
}
