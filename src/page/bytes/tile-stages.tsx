import type { Part } from '../../anatomy/part.ts'
import { elementPart } from '../../anatomy/path.ts'
import type { TileDocument } from '../../documents/tile.ts'
import { hex } from '../../filters/bytes.ts'
import { formatCount, shortValue } from '../../render/units.ts'
import { heading } from '../../render/views/headings.ts'
import { countText, NOTHING } from '../../render/views/wording.ts'
import { Call } from '../call.tsx'
import { Button } from '../controls.tsx'
import { ERROR_TITLES } from '../error-titles.ts'
import { changeLink } from '../link.ts'
import { type Column, Facts, numberColumn, Table } from '../table.tsx'
import { Text } from '../text.tsx'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { ViewProps } from '../view.ts'
import { type Node, nodeOfSteps } from './nodes.ts'

/** Number of bytes of a stage that are shown. */
const FIRST_BYTES = 16
/** Number of cells of a chunk that are shown. */
const FIRST_CELLS = 20

interface TileProps extends ViewProps {
  /** Path of the data file. */
  path: string
  root: Node
  node: Node
  choose(node: Node, offset?: number): void
}

/** The tile that holds the chosen part: its bytes after each filter, and its cells. Open if `w` of the link is `tile`. */
export function TileStages(props: TileProps) {
  const { link, node } = props
  let tile: Node | undefined = node
  while (tile && (tile.part.type !== 'tile' || tile.group)) tile = tile.parent
  if (!tile) return null
  const isOpen = link.w === 'tile'
  return (
    <details open={isOpen}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button */}
      <summary
        onClick={(event) => {
          event.preventDefault()
          changeLink(link, { w: isOpen ? undefined : 'tile' }, true)
        }}
      >
        Tile {tile.part.name}: from stored bytes to cells
      </summary>
      {isOpen && <Opened {...props} tile={tile} />}
    </details>
  )
}

/** The bytes after one step of reading. */
interface Stage {
  name: string
  /** Number of bytes, with the metadata of filters. */
  size: number
  /** The node of the bytes, if the page can open it. */
  node: Node | undefined
  /** The first bytes in hexadecimal. */
  begins: string
}

interface Found {
  document: TileDocument
  stages: readonly Stage[]
  /** The first cells of the chunk. */
  cells: readonly Part[]
  /** Number of all cells of the chunk. */
  cellNum: number
  /** The unfiltered bytes of the tile. */
  content: Node | undefined
}

function Opened({ inspected, path, root, node, tile, choose }: TileProps & { tile: Node }) {
  const slash = path.lastIndexOf('/')
  const [fragment, file] = [path.slice(0, slash), path.slice(slash + 1)]
  const { steps } = node
  const below = steps.slice(tile.steps.length)
  const chunk = below[0] === 'chunks' && below[1] !== undefined ? Number(below[1]) : 0
  const found = useLoaded(async (): Promise<Found> => {
    const document = await inspected.document('tile', {}, fragment, [file, tile.part.name])
    return { document, ...(await stagesOf(root, tile, chunk, document)) }
  }, [inspected, path, tile.part.name, chunk])
  const chooseChunk = async (index: number) => choose(await nodeOfSteps(root, [...tile.steps, 'chunks', String(index)]))
  return (
    <>
      <Shown
        of={found}
        what="the tile"
        show={({ document, stages, cells, cellNum, content }) => (
          <>
            <Facts
              facts={[
                ['Stored', `${formatCount(document.size)} bytes from ${formatCount(document.offset)}`],
                ['Unfiltered', `${formatCount(document.unfiltered_size)} bytes`],
                'cell_num' in document && ['Cells', countText(document.cell_num)],
              ]}
            />
            <Table
              caption={`Stages of chunk ${chunk}`}
              columns={[
                { title: 'stage', show: ({ name }) => name },
                { title: 'bytes', isNumber: true, show: ({ size }) => formatCount(size) },
                {
                  title: 'size',
                  show: ({ size }) => (
                    <span class="bar" aria-hidden="true" style={{ width: `${(12 * size) / longest(stages)}rem` }} />
                  ),
                },
                { title: 'begins with', show: ({ begins }) => <code>{begins}</code> },
                {
                  title: 'bytes of it',
                  show: (stage) =>
                    stage.node ? (
                      <Button onClick={() => stage.node && choose(stage.node)}>
                        Show <span class="sr">{stage.name}</span>
                      </Button>
                    ) : (
                      'as before'
                    ),
                },
              ]}
              rows={stages}
              keyOf={(_, i) => i}
            />
            {document.chunks.some(({ error }) => error?.code === 'CHECKSUM') && (
              <p class="bad">
                A checksum below does not fit: bytes of this tile changed since they were written, so values may be
                wrong.
              </p>
            )}
            {cells.length > 0 && (
              <Table
                caption={`Cells of chunk ${chunk}${cellNum > cells.length ? `: the first ${cells.length} of ${formatCount(cellNum)}` : ''}`}
                columns={[
                  { title: 'cell', isNumber: true, show: ({ cells: range }) => countText(range?.from ?? null) },
                  { title: 'byte', isNumber: true, show: ({ offset }) => formatCount(offset) },
                  { title: 'value', show: ({ value }) => <Text>{shortValue(value, 80)}</Text> },
                ]}
                rows={cells}
                keyOf={({ name }) => name}
              />
            )}
            {content && (
              <p>
                <Button onClick={() => choose(content)}>Show the unfiltered content</Button>
              </p>
            )}
            <Table
              caption="Chunks"
              columns={chunkColumns(chunk, chooseChunk)}
              rows={document.chunks.map((one, index) => ({ ...one, index }))}
              keyOf={({ index }) => index}
              isChosen={({ index }) => index === chunk}
            />
          </>
        )}
      />
      <Call words={['tile', inspected.shownPath(fragment), file, tile.part.name]} />
    </>
  )
}

function chunkColumns(
  chosen: number,
  choose: (index: number) => void,
): readonly Column<TileDocument['chunks'][number] & { index: number }>[] {
  return [
    {
      title: 'chunk',
      isNumber: true,
      show: ({ index }) => (
        <Button aria-pressed={index === chosen} onClick={() => choose(index)}>
          {index}
        </Button>
      ),
    },
    numberColumn('offset', ({ offset }) => offset),
    numberColumn('filtered', ({ filtered_length }) => filtered_length),
    { title: 'of filters', isNumber: true, show: ({ metadata_length }) => formatCount(metadata_length) },
    numberColumn(heading('original_length'), ({ original_length }) => original_length),
    {
      title: 'error',
      show: ({ error }) =>
        error ? (
          <span class="bad">
            {ERROR_TITLES[error.code]}: <Text>{error.message}</Text>
          </span>
        ) : (
          NOTHING
        ),
    },
  ]
}

const longest = (stages: readonly Stage[]): number => Math.max(1, ...stages.map(({ size }) => size))

/** The stages of a chunk and its first cells. They come from the parts that the tree shows. */
async function stagesOf(
  root: Node,
  tile: Node,
  index: number,
  { chunks }: TileDocument,
): Promise<Pick<Found, 'stages' | 'cells' | 'cellNum' | 'content'>> {
  const chunk = await nodeOfSteps(root, [...tile.steps, 'chunks', String(index)])
  const kids = chunk.part.name === String(index) ? await chunk.open() : []
  const data = kids.find(({ part }) => part.name === 'data')
  const content = (await tile.open()).find(({ part }) => part.name === 'content')
  const found = chunks[index]
  if (!found) return { stages: [], cells: [], cellNum: 0, content }
  const stages: Stage[] = [
    { name: 'stored', size: found.metadata_length + found.filtered_length, node: data, begins: await firstBytes(data) },
  ]
  for (const [i, { filter, output_length }] of found.stages.entries()) {
    const isLast = i === found.stages.length - 1
    const after = isLast ? content : kids.find(({ part }) => part.name === `after ${filter}`)
    const from = isLast ? (data?.part.becomes?.from ?? 0) : 0
    const begins = after ? await firstBytes(after, from) : stages[i].begins
    stages.push({ name: `${filter} undone`, size: output_length, node: after, begins })
  }
  return { stages, content, ...cellsOf(content ?? data, chunk) }
}

async function firstBytes(node: Node | undefined, from = 0): Promise<string> {
  if (!node) return NOTHING
  const { space, offset, length } = node.part
  const count = Math.max(0, Math.min(FIRST_BYTES, length - from))
  return hex(await space.read(offset + from, count)).replace(/..(?=.)/g, '$& ')
}

/** The first cells of a chunk. */
function cellsOf(content: Node | undefined, chunk: Node): Pick<Found, 'cells' | 'cellNum'> {
  const { cells } = chunk.part
  const elements = content?.part.elements
  if (!content || !elements?.cells || !cells) return { cells: [], cellNum: 0 }
  const first = cells.from - elements.cells.first
  const cellNum = Math.max(0, Math.min(elements.count - first, cells.to - cells.from + 1))
  const shown = Array.from({ length: Math.min(FIRST_CELLS, cellNum) }, (_, i) => elementPart(content.part, first + i))
  return { cells: shown, cellNum }
}
