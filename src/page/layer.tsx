import { useState } from 'preact/hooks'
import type { LayerPart } from '../documents/common.ts'
import type { GroupLine } from '../documents/group.ts'
import type { GroupOverview } from '../documents/overview.ts'
import { memberKind, totalsText } from '../render/views/dataset-words.ts'
import { heading } from '../render/views/headings.ts'
import { factText, layerTitle } from '../render/views/layer.ts'
import { fieldName, fullSizeText } from '../render/views/wording.ts'
import { Button } from './controls.tsx'
import { FindingList } from './finding-list.tsx'
import { INSIDE, innerLink, type Link } from './link.ts'
import { canOpen, pathInGroup } from './member-path.ts'
import { type Column, type FactList, Facts, numberColumn, Table, textColumn, textFact } from './table.tsx'
import { Text } from './text.tsx'
import { timeOptions } from './times.ts'
import { loadedValue, Shown, useLoaded } from './use-loaded.tsx'
import type { ViewProps } from './view.ts'

/** Up to so many members are looked into at once. For more, a button asks first, as each member costs reads. */
const FEW = 60

const capitalized = (text: string): string => text[0].toUpperCase() + text.slice(1)

/** What the layer above TileDB says of a target, as facts. */
export function layerFacts(layer: LayerPart | undefined): FactList {
  if (!layer) return []
  return [
    textFact('Layer', layerTitle(layer)),
    ...layer.facts.map(({ name, value }) => textFact(capitalized(name), factText(value))),
  ]
}

/** Tables of a layer, such as the measurements of an experiment. */
function LayerTables({ layer }: { layer: LayerPart }) {
  return (
    <>
      {layer.tables.map(({ title, columns, rows }) => (
        <Table
          key={title}
          caption={capitalized(title)}
          columns={columns.map((name, c) =>
            textColumn(name, (row: LayerPart['tables'][number]['rows'][number]) => factText(row[c] ?? null)),
          )}
          rows={rows}
          keyOf={(_, i) => i}
        />
      ))}
    </>
  )
}

/** A member, with its place in the tree. */
type Line = GroupLine & {
  depth: number
  /** Names of the groups above it and its own, with `/` between them. */
  names: string
  /** The link to it; undefined if it cannot be opened. */
  to: string | undefined
}

/** The lines of members, each followed by those below it. @param above names and link path of their group, ending with a separator */
function linesBelow(members: readonly GroupLine[], link: Link, depth = 0, above = { names: '', path: '' }): Line[] {
  return members.flatMap((member) => {
    const names = above.names + (member.name ?? member.uri)
    const path = above.path + pathInGroup(member)
    const to = canOpen(member) ? innerLink(link, path) : undefined
    const inside = { names: `${names}/`, path: `${path}${INSIDE}` }
    return [{ ...member, depth, names, to }, ...linesBelow(member.members ?? [], link, depth + 1, inside)]
  })
}

const COLUMNS: readonly Column<Line>[] = [
  {
    title: 'member',
    isName: true,
    show: ({ name, uri, depth, to }) => {
      const text = <Text>{name === null ? uri : fieldName(name)}</Text>
      return (
        <>
          {'\u2003'.repeat(depth)}
          {to === undefined ? text : <a href={to}>{text}</a>}
        </>
      )
    },
  },
  textColumn('kind', memberKind),
  numberColumn(heading('cell_num'), ({ cell_num }) => cell_num),
  numberColumn(heading('fragment_num'), ({ fragment_num }) => fragment_num),
  numberColumn(
    'size',
    ({ size }) => size,
    (size) => (size == null ? '' : fullSizeText(Number(size))),
  ),
]

/** All that a group holds, also in the members below it, in the words of its layer if it has one. */
export function Dataset({ inspected, link, members }: ViewProps & { members: number }) {
  const [isAsked, setAsked] = useState(members <= FEW)
  const found = useLoaded(
    async () => (isAsked ? await inspected.document('overview', timeOptions(link)) : undefined),
    [inspected, link.t, isAsked],
  )
  if (!isAsked) return <Button onClick={() => setAsked(true)}>Look into all members</Button>
  return (
    <Shown
      of={found}
      what="all members"
      show={(document) => (document && 'members' in document ? <Whole {...{ document, inspected, link }} /> : null)}
    />
  )
}

/** The dataset once its members are read. */
function Whole({ document, inspected, link }: ViewProps & { document: GroupOverview }) {
  const { layer, totals, members, findings } = document
  const lines = linesBelow(members, link)
  const ofLayer = findings.filter(({ code }) => code.startsWith('LAYER_'))
  return (
    <>
      <Facts facts={[totals && textFact('Holds', totalsText(totals)), ...layerFacts(layer)]} />
      {layer && <LayerTables layer={layer} />}
      {ofLayer.length > 0 && (
        <section aria-labelledby="of-layer">
          <h3 id="of-layer">What does not fit together</h3>
          <FindingList findings={ofLayer} />
        </section>
      )}
      <LayerPictures
        {...{ inspected, link, layer }}
        linkTo={(array) => lines.find(({ names }) => names === array)?.to}
      />
      <Table caption="All that is in it" columns={COLUMNS} rows={lines} keyOf={(_, i) => i} />
    </>
  )
}

/** The pictures of a layer. The code that draws is only loaded if there are any. @param linkTo gives the link to an array by its names */
export function LayerPictures({
  inspected,
  link,
  layer,
  linkTo,
}: ViewProps & { layer: LayerPart | undefined; linkTo(array: string): string | undefined }) {
  const pictures = layer?.pictures ?? []
  const loaded = useLoaded(
    async () => (pictures.length > 0 ? (await import('./pictures.tsx')).Pictures : undefined),
    [pictures.length > 0],
  )
  if (pictures.length === 0) return null
  return (
    <Shown
      of={loaded}
      what="what draws pictures"
      show={(Pictures) => Pictures && <Pictures {...{ inspected, link, pictures, linkTo }} />}
    />
  )
}

/** A small picture of an array, for arrays without a picture of their layer. It only leads to the view of the cells, so nothing waits for it. */
export function PlainPicture(props: ViewProps) {
  const Small = loadedValue(useLoaded(async () => (await import('./pictures.tsx')).SmallPlain, []))
  return Small ? <Small {...props} /> : null
}
