import { useState } from 'preact/hooks'
import type { LayerPart } from '../documents/common.ts'
import type { GroupLine } from '../documents/group.ts'
import type { GroupOverview } from '../documents/overview.ts'
import { memberKind, totalsText } from '../render/views/dataset-words.ts'
import { heading } from '../render/views/headings.ts'
import { factText, layerTitle } from '../render/views/layer.ts'
import { fieldName, sizeText } from '../render/views/wording.ts'
import { Button } from './controls.tsx'
import { FindingList } from './finding-list.tsx'
import { INSIDE, innerLink, type Link } from './link.ts'
import { canOpen, pathInGroup } from './member-path.ts'
import { type Column, type FactList, Facts, numberColumn, Table, textColumn, textFact } from './table.tsx'
import { Text } from './text.tsx'
import { timeOptions } from './times.ts'
import { loadedValue, Shown, useLoaded } from './use-loaded.tsx'
import type { ViewProps } from './view.ts'

/** Most members that are looked into without being asked: each costs reads. */
const FEW = 60

/** What the layer above TileDB says of a target, as facts. */
export function layerFacts(layer: LayerPart | undefined): FactList {
  if (!layer) return []
  return [
    textFact('Layer', layerTitle(layer)),
    ...layer.facts.map(({ name, value }) => textFact(name[0].toUpperCase() + name.slice(1), factText(value))),
  ]
}

/** Tables of a layer, such as the measurements of an experiment. */
function LayerTables({ layer }: { layer: LayerPart }) {
  return (
    <>
      {layer.tables.map(({ title, columns, rows }) => (
        <Table
          key={title}
          caption={title[0].toUpperCase() + title.slice(1)}
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
  /** The path of names from the dataset. */
  names: string
  /** The link to it; undefined if it cannot be opened. */
  to: string | undefined
}

/** @param above names of the group, and its path as links have it, each with its separator */
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
    (size) => (size == null ? '' : sizeText(Number(size))),
  ),
]

/** All that a group holds, in the words of its layer if it has one. Its members are looked into. */
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

/** The pictures of a layer. What draws them is loaded if there are any. */
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

/** A small picture of an array of which no layer has one. It is no more than a way to the view of its cells, so nothing waits for it. */
export function PlainPicture(props: ViewProps) {
  const Small = loadedValue(useLoaded(async () => (await import('./pictures.tsx')).SmallPlain, []))
  return Small ? <Small {...props} /> : null
}
