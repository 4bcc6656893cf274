import { useState } from 'preact/hooks'
import { relativePath } from '../../base/paths.ts'
import { shellWord } from '../../base/shell-word.ts'
import { SEVERITIES } from '../../check/codes.ts'
import type { CheckFinding } from '../../documents/check.ts'
import { escapeText, formatCount, formatSize } from '../../render/units.ts'
import { counted, fieldName, NOTHING, timeRangeText } from '../../render/views/wording.ts'
import { Button, Radios } from '../controls.tsx'
import { type DamagedFields, damagedFields } from '../damage.ts'
import { FindingList } from '../finding-list.tsx'
import { FragmentName, PathName } from '../fragment-name.tsx'
import type { Documents, Inspected } from '../inspected.ts'
import { namesOf } from '../inspected.ts'
import { changeLink, type Link, viewLink } from '../link.ts'
import { NotExamined } from '../not-examined.tsx'
import { type Column, Table } from '../table.tsx'
import { Text } from '../text.tsx'
import { Fault, loadedValue, useLoaded } from '../use-loaded.tsx'
import { useReading } from '../use-reading.ts'
import type { ViewParts, ViewProps } from '../view.ts'

/** The findings of `check`. `l` of the link is the level. */
export const findings: ViewParts = {
  call: ({ link }) => ({ words: ['check', ...(link.l ? ['--level', link.l] : [])] }),
  Show: Findings,
}

const LEVELS = [
  ['structure', 'metadata alone'],
  ['chunks', 'every tile'],
  ['cells', 'every cell'],
] as const

function Findings({ inspected, link }: ViewProps) {
  const level = link.l
  const [runs, setRuns] = useState(0)
  const { value, isDone, error, stop } = useReading<Checked>(
    async (progress) => {
      const check = inspected.check(level === undefined ? {} : { level })
      try {
        while (true) {
          const document = await Promise.race([check.document, shortWait()])
          if (document) return { document, read: check.read() }
          await progress.show({ read: check.read() })
        }
      } finally {
        check.stop()
      }
    },
    [inspected, level, runs],
  )
  return (
    <>
      <Radios
        legend="What is read"
        name="level"
        values={LEVELS}
        chosen={level ?? 'chunks'}
        choose={(name) => changeLink(link, { l: name === 'chunks' ? undefined : name })}
      />
      {link.t !== undefined && <p>The check reads all files, whatever the time.</p>}
      {!isDone && (
        <>
          <p role="status">Reading the files … {value && formatSize(value.read)}</p>
          {value && <Button onClick={stop}>Stop</Button>}
        </>
      )}
      {isDone && !error && !value?.document && (
        <>
          <p role="status">Stopped: nothing is known.</p>
          <Button onClick={() => setRuns(runs + 1)}>Check again</Button>
        </>
      )}
      {error && <Fault error={error} />}
      {isDone && value?.document && <Found {...{ inspected, link }} document={value.document} />}
    </>
  )
}

interface Checked {
  /** Undefined until the check ends. */
  document?: Documents['check']
  /** Number of bytes read so far. */
  read: number
}

/** Milliseconds from one showing of the progress to the next. */
const INTERVAL = 200

const shortWait = (): Promise<undefined> => new Promise((resolve) => setTimeout(() => resolve(undefined), INTERVAL))

function Found({ document, inspected, link }: ViewProps & { document: Documents['check'] }) {
  const { findings, finding_num, ok, counts, not_checked, not_examined } = document
  const damage = useDamage(inspected, () => findings, [findings])
  const missing = new Set(findings.filter(({ code }) => code === 'FILE_MISSING').map(({ file }) => file)).size
  return (
    <>
      <p class={ok ? 'good' : 'bad'}>
        {ok ? 'No error' : counted(finding_num.error, 'error')}, {counted(finding_num.warning, 'warning')},{' '}
        {counted(finding_num.note, 'note')}; {counted(counts.file_num, 'file')} examined
        {missing > 0 && `, ${formatCount(missing)} missing`}.
      </p>
      <Lost {...{ inspected, link }} damage={damage} />
      {findings.length > 0 && (
        <Table caption="Findings" columns={columns(inspected, link, damage)} rows={findings} keyOf={(_, i) => i} />
      )}
      {finding_num.error + finding_num.warning > 0 && (
        <p>
          How to mend it, step by step:{' '}
          <code>
            <Text>
              {['tiledb-inspect', 'check', '--plan', inspected.shownPath(inspected.path)].map(shellWord).join(' ')}
            </Text>
          </code>
        </p>
      )}
      <NotExamined errors={not_examined} />
      <SlowReads inspected={inspected} />
      {not_checked.length > 0 && <p>Not checked: {not_checked.join('; ')}.</p>}
    </>
  )
}

const NO_DAMAGE: DamagedFields = { fields: new Map(), losses: [], unexamined: 0 }

/** The damage by findings; none until it is known. @param until as {@link damagedFields} takes it */
export function useDamage(
  inspected: Inspected,
  findings: () => readonly CheckFinding[],
  depends: readonly unknown[],
  until?: bigint,
): DamagedFields {
  const damage = useLoaded(() => damagedFields(inspected, findings(), until), [inspected, until, ...depends])
  return loadedValue(damage) ?? NO_DAMAGE
}

/** The fields and cells of each fragment that cannot be read, in sentences. */
export function Lost({ damage: { losses, unexamined }, inspected, link }: ViewProps & { damage: DamagedFields }) {
  if (losses.length === 0) return null
  return (
    <section aria-labelledby="lost">
      <h3 id="lost">What is lost</h3>
      {losses.map(({ path, array, name, timestamp_range, fields, places, whole, because }) => (
        <div key={path} class="loss">
          The fragment written {timeRangeText(timestamp_range, false)}
          {array && (
            <>
              {' '}
              to <Text>{array}</Text>
            </>
          )}
          ,{' '}
          <a href={viewLink(link, 'files', { p: path })}>
            <FragmentName name={name} isTimed />
          </a>
          {because === undefined ? ', has lost:' : `, cannot be read at all: ${escapeText(because)}.`}
          {fields.length > 0 && (
            <ul>
              {fields.map(({ name, of, isOfNulls, finding }, i) => (
                <li key={i}>
                  <BytesLink {...{ inspected, link, finding }}>{fieldName(name)}</BytesLink>
                  {isOfNulls ? ': which cells are null, ' : ' '}of {escapeText(of)}
                </li>
              ))}
              {places !== undefined && <li>{escapeText(places)}</li>}
            </ul>
          )}
          {whole !== undefined && whole > 0n && (
            <p>
              Its {counted(whole, 'other cell')} {whole === 1n ? 'is' : 'are'} whole.
            </p>
          )}
        </div>
      ))}
      {unexamined > 0 && <p>{counted(unexamined, 'more fragment')} with findings: see the table.</p>}
    </section>
  )
}

/** A link to the bytes of a finding; plain text if its file is not below the target. */
function BytesLink(props: { finding: CheckFinding; inspected: Inspected; link: Link; children: string }) {
  const { finding, inspected, link, children } = props
  const { file, offset, space } = finding
  const p = relativePath(file, inspected.shownPath(inspected.path))
  if (p === '' || p === file) return <Text>{children}</Text>
  // An offset in unfiltered bytes is not an offset in the file.
  const o = offset === null || space !== undefined ? undefined : String(offset)
  return (
    <a href={viewLink(link, 'files', { p, o })}>
      <Text>{children}</Text>
    </a>
  )
}

/** The findings of the overview about slow reads. */
function SlowReads({ inspected }: { inspected: Inspected }) {
  const overview = useLoaded(() => inspected.document('overview', namesOf(inspected)), [inspected])
  const slow = loadedValue(overview)?.findings.filter(({ advice }) => advice.length > 0) ?? []
  if (slow.length === 0) return null
  return (
    <section aria-labelledby="slow">
      <h3 id="slow">What makes reads slow, as far as footers tell</h3>
      <FindingList findings={slow} />
    </section>
  )
}

function columns(inspected: Inspected, link: Link, { fields }: DamagedFields): readonly Column<CheckFinding>[] {
  const shown = inspected.shownPath(inspected.path)
  return [
    {
      title: 'severity',
      show: ({ severity }) => <span class={`severity ${severity}`}>{severity}</span>,
      by: ({ severity }) => -SEVERITIES.indexOf(severity),
    },
    {
      title: 'field',
      show(finding) {
        const name = fields.get(finding)
        if (name === undefined) return NOTHING
        return <BytesLink {...{ inspected, link, finding }}>{fieldName(name)}</BytesLink>
      },
      by: (finding) => fields.get(finding),
    },
    { title: 'tile', isNumber: true, show: ({ tile }) => tile ?? NOTHING, by: ({ tile }) => tile },
    { title: 'code', show: ({ code }) => code, by: ({ code }) => code },
    { title: 'what', show: ({ message }) => <Text>{message}</Text> },
    { title: 'meaning', show: ({ meaning }) => <Text>{meaning}</Text> },
    {
      title: 'file',
      show: ({ file }) => <PathName path={relativePath(file, shown) || file} />,
      by: ({ file }) => file,
    },
    {
      title: 'offset',
      isNumber: true,
      show: (finding) =>
        finding.offset === null || finding.space !== undefined ? (
          (finding.offset ?? NOTHING)
        ) : (
          <BytesLink {...{ inspected, link, finding }}>{String(finding.offset)}</BytesLink>
        ),
      by: ({ offset }) => offset,
    },
    { title: 'part of the file', show: ({ field }) => <Text>{field ?? NOTHING}</Text>, by: ({ field }) => field },
  ]
}
