import { useState } from 'preact/hooks'
import type { LayerPart } from '../documents/common.ts'
import type { GroupLine } from '../documents/group.ts'
import type { GroupOverview } from '../documents/overview.ts'
import { memberKind, totalsText } from '../render/views/dataset-words.ts'
import { heading } from '../render/views/headings.ts'
import { factText, layerTitle } from '../render/views/layer.ts'
import { fieldName, sizeText } from '../render/views/wording.ts'
import { Button } from './controls.tsx'
import { type Column, type FactList, Facts, numberColumn, Table, textColumn, textFact } from './table.tsx'
import { timeOptions } from './times.ts'
import { Shown, useLoaded } from './use-loaded.tsx'
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
type Line = GroupLine & { depth: number }

function linesBelow(members: readonly GroupLine[], depth = 0): Line[] {
  return members.flatMap((member) => [{ ...member, depth }, ...linesBelow(member.members ?? [], depth + 1)])
}

const COLUMNS: readonly Column<Line>[] = [
  textColumn('member', ({ name, uri, depth }) => '\u2003'.repeat(depth) + (name === null ? uri : fieldName(name))),
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
      show={(document) => (document && 'members' in document ? <Whole document={document} /> : null)}
    />
  )
}

function Whole({ document: { layer, totals, members } }: { document: GroupOverview }) {
  return (
    <>
      <Facts facts={[totals && textFact('Holds', totalsText(totals)), ...layerFacts(layer)]} />
      {layer && <LayerTables layer={layer} />}
      <Table caption="All that is in it" columns={COLUMNS} rows={linesBelow(members)} keyOf={(_, i) => i} />
    </>
  )
}
