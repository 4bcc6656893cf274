import type { ComponentChild } from 'preact'
import type {
  ArrayOverview,
  FileOverview,
  FragmentOverview,
  GroupOverview,
  OverviewDocument,
} from '../../documents/overview.ts'
import {
  counted,
  countText,
  domainText,
  fieldName,
  fullSizeText,
  laterDeletesText,
  NOTHING,
  releasesText,
  timeRangeText,
  typeText,
  versionText,
} from '../../render/views/wording.ts'
import { AppliedDeletes } from '../deletes.tsx'
import { FindingList } from '../finding-list.tsx'
import { PathName } from '../fragment-name.tsx'
import { namesOf } from '../inspected.ts'
import { Dataset, LayerPictures, layerFacts, PlainPicture } from '../layer.tsx'
import { viewLink } from '../link.ts'
import { Metadata } from '../metadata.tsx'
import { Next } from '../next-calls.tsx'
import { NotExamined } from '../not-examined.tsx'
import { type Column, type FactList, Facts, numberColumn, Table, textColumn, textFact } from '../table.tsx'
import { timeOptions, timeWords } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { ViewParts, ViewProps } from '../view.ts'
import { MemberTree } from './tree.tsx'

/** What the target is, what a reader sees, and whether it is damaged as far as names and footers tell. */
export const overview: ViewParts = {
  call: ({ link, inspected }) => ({
    words: ['overview', ...(inspected.target.type === 'group' ? ['--names'] : []), ...timeWords(link)],
  }),
  Show: Overview,
}

function Overview({ inspected, link }: ViewProps) {
  const document = useLoaded(
    () => inspected.document('overview', { ...namesOf(inspected), ...timeOptions(link) }),
    [inspected, link.t],
  )
  return (
    <Shown
      of={document}
      what="names and footers"
      show={(found) => (
        <>
          <Health {...{ found, inspected, link }} />
          <NotExamined errors={found.not_examined} />
          <Facts facts={factsOf(found, { inspected, link })} />
          {found.target === 'array' && (
            <LayerPictures {...{ inspected, link }} layer={found.layer} linkTo={() => undefined} />
          )}
          {found.target === 'array' && !found.layer?.pictures?.length && !isDamaged(found) && (
            <PlainPicture {...{ inspected, link }} />
          )}
          {(found.target === 'array' || found.target === 'group') && (
            <Metadata {...{ inspected, link }} isAll={false} />
          )}
          {'fields' in found && (
            <Table caption="Bytes by field" columns={FIELD_COLUMNS} rows={found.fields} keyOf={({ name }) => name} />
          )}
          <Next {...found} />
          {'members' in found && (
            <>
              <h3>Members</h3>
              <MemberTree {...{ inspected, link }} />
              {found.members.length > 0 && <Dataset {...{ inspected, link }} members={found.members.length} />}
            </>
          )}
        </>
      )}
    />
  )
}

/** Whether a finding is an error. Then no picture is drawn, because its cells may be unreadable. */
function isDamaged({ findings }: OverviewDocument): boolean {
  return findings.some(({ severity }) => severity === 'error')
}

function factsOf(found: OverviewDocument, props: ViewProps): FactList {
  if (found.target === 'array') return arrayFacts(found, props)
  if (found.target === 'fragment') return fragmentFacts(found)
  if ('members' in found) return groupFacts(found)
  return fileFacts(found)
}

function arrayFacts(found: ArrayOverview, props: ViewProps): FactList {
  const names = found.dimensions.map(({ name }) => name)
  const skipped = found.unread_size > 0 ? `, of which readers skip ${fullSizeText(found.unread_size)}` : ''
  const states = found.states.map(({ state, fragment_num }) => `${countText(fragment_num)} ${state}`).join(', ')
  return [
    ['Array type', found.array_type ?? NOTHING],
    ['Format version', releasesText(found.format_version)],
    ['Encryption', found.encryption ?? NOTHING],
    textFact('Dimensions', found.dimensions.map((one) => `${one.name} ${typeText(one)}`).join(', ')),
    textFact('Attributes', found.attributes.map((one) => `${fieldName(one.name)} ${typeText(one)}`).join(', ')),
    ['Fragments', `${countText(found.fragment_num)}${states && ` (${states})`}`],
    ['Cells', cellsText(found)],
    ['Tiles', countText(found.tile_num)],
    textFact('Non-empty domain', domainText(names, found.nonempty_domain)),
    ['Time', `${timeRangeText(found.timestamp_range)}${found.delete_condition_num > 0 ? '; deletes not counted' : ''}`],
    ['Delete conditions', <AppliedDeletes key="" {...props} count={Number(found.delete_condition_num)} />],
    found.later_deletes.length > 0 && ['Deletes later', laterDeletesText(found.later_deletes)],
    ['Size', `${fullSizeText(found.size)} in fragments${skipped}. Bytes counts the files beside them, too.`],
    ['Schemas', countText(found.schema_num)],
    ...layerFacts(found.layer),
  ]
}

function cellsText({ array_type, cell_num, certainty, whole_cell_num }: ArrayOverview): string {
  const count = `${certainty === 'exact' ? '' : `${certainty} `}${countText(cell_num)}`
  if (array_type !== 'dense') return count
  return `${count} written${whole_cell_num === undefined ? '' : `, of ${countText(BigInt(whole_cell_num))}`}`
}

function fragmentFacts(found: FragmentOverview): FactList {
  const arrayType = found.dense ? 'dense' : 'sparse'
  return [
    // Null if the metadata of the fragment cannot be read.
    ['Fragment', found.dense === null ? NOTHING : arrayType],
    ['State', found.state ?? NOTHING],
    ['Format version', versionText(found.format_version)],
    ['Time', timeRangeText(found.timestamp_range)],
    ['Cells', countText(found.cells_in_domain)],
    ['Tiles', countText(found.tile_num)],
    textFact('Non-empty domain', domainText(found.dimensions, found.nonempty_domain)),
    ['Size', fullSizeText(found.size)],
  ]
}

function groupFacts(found: GroupOverview): FactList {
  return [
    [found.target === 'group' ? 'Group' : 'Folder', counted(found.members.length, 'member')],
    textFact('Metadata', found.metadata_keys.join(', ') || 'none'),
  ]
}

function fileFacts(found: FileOverview): FactList {
  return [
    ['File', found.file_kind],
    ['Size', fullSizeText(found.size)],
    textFact('Field', found.field ?? NOTHING),
    ['Fragment', <PathName key="" path={found.fragment ?? NOTHING} />],
    textFact('Array', found.array ?? NOTHING),
  ]
}

/** The findings of the overview, and the errors that checks found. */
function Health({ found, inspected, link }: ViewProps & { found: OverviewDocument }) {
  const errors = inspected.errors()
  const findingsLink = <a href={viewLink(link, 'findings')}>Findings</a>
  const isFine = found.findings.length === 0
  // Not all was examined, as {@link NotExamined} says. So it means nothing that nothing was found.
  if (isFine && !errors?.length && found.not_examined.length > 0) return null
  const judgement = (): ComponentChild => {
    if (!errors)
      return (
        <>
          {isFine ? 'Nothing is wrong,' : 'What follows is'} as far as names and footers tell; data not read.{' '}
          {findingsLink} reads every tile.
        </>
      )
    if (errors.length === 0) return <span class="good">No error: every tile was read.</span>
    return (
      <>
        <span class="bad">{counted(errors.length, 'error')} found:</span> see {findingsLink}.
      </>
    )
  }
  return (
    <>
      <p>{judgement()}</p>
      {!isFine && (
        <section aria-labelledby="worst">
          <h3 id="worst">Findings</h3>
          <FindingList findings={found.findings} />
        </section>
      )}
    </>
  )
}

const FIELD_COLUMNS: readonly Column<FragmentOverview['fields'][number]>[] = [
  textColumn('field', ({ name }) => fieldName(name)),
  numberColumn('size', ({ size }) => size, fullSizeText),
]
