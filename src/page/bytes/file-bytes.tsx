import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { parsePath, pathText } from '../../anatomy/path.ts'
import { InspectError } from '../../base/errors.ts'
import { OFFSET } from '../../calls/option-values.ts'
import { formatCount, formatSize } from '../../render/units.ts'
import { Button, Form, formText } from '../controls.tsx'
import { changeLink, type Link } from '../link.ts'
import { Text } from '../text.tsx'
import { Fault, loadedValue, Shown, useLoaded } from '../use-loaded.tsx'
import type { ViewProps } from '../view.ts'
import { ChosenPart } from './chosen-part.tsx'
import { Hex } from './hex.tsx'
import { isLarge, type Node, nodeAt, nodeOfSteps, rootNode } from './nodes.ts'
import type { Match } from './search.ts'
import { SearchForm } from './search-form.tsx'
import { TileStages } from './tile-stages.tsx'
import { PartTree } from './tree.tsx'

/** Size in bytes up to which a file is opened two levels deep at first. */
const SMALL = 2 ** 20
/** Milliseconds after which the link follows the chosen byte. Browsers complain about more frequent changes. */
const LINK_REST = 300
/** Longest path in characters that is put into the link. */
const LONGEST_PATH = 1200

interface FileProps extends ViewProps {
  /** Path of the file in the storage. */
  path: string
}

/** A file: its bytes on the left, their meaning on the right. */
export function FileBytes({ inspected, link, path }: FileProps) {
  const opened = useLoaded(async () => {
    const { root, close } = await inspected.anatomy(path)
    const node = rootNode(root)
    const kids = await node.open()
    if (root.length <= SMALL) for (const kid of kids) if (kid.canOpen && !isLarge(kid.part)) await kid.open()
    return { root: node, close }
  }, [inspected, path])
  const close = loadedValue(opened)?.close
  useEffect(() => () => void close?.(), [close])
  return <Shown of={opened} what="the file" show={({ root }) => <OpenedFile {...{ inspected, link, path, root }} />} />
}

/** The chosen part, and the chosen byte of its space. */
interface Choice {
  node: Node
  offset: number
}

/** The chosen part and byte. The link names them, and follows them. */
function useChoice(root: Node, link: Link) {
  const [choice, setChoice] = useState<Choice>({ node: root, offset: 0 })
  const [error, setError] = useState<InspectError | undefined>(undefined)
  /** Number of choices so far. */
  const choices = useRef(0)
  /** The choice in the link as this view knows it. */
  const inLink = useRef('')
  const latestLink = useRef(link)
  latestLink.current = link
  const { node, offset } = choice
  const top = useMemo(() => node.top, [node])

  /** Chooses a byte of a space, and its smallest part as soon as that is known. */
  async function chooseByte(at: number, within = top): Promise<void> {
    const mine = ++choices.current
    setChoice({ node: within === top ? node : within, offset: at })
    const smallest = await nodeAt(within, at)
    if (mine !== choices.current) return
    // All nodes above are opened, so that the tree shows the part.
    for (let one = smallest.parent; one; one = one.parent) if (!one.isOpen) await one.open()
    setChoice({ node: smallest, offset: at })
  }

  function chooseNode(next: Node, at = next.from): void {
    choices.current++
    setChoice({ node: next, offset: at })
  }

  // Chooses what the link names, unless this view wrote the link itself.
  useEffect(() => {
    const { n, o } = link
    const named = `${n ?? ''} ${o ?? ''}`
    if (inLink.current === named) return
    inLink.current = named
    const at = o !== undefined && OFFSET.test(o) ? Number(o) : undefined
    const follow = async (): Promise<void> => {
      if (n === undefined) await chooseByte(Math.min(at ?? 0, Math.max(0, root.part.length - 1)), root)
      else chooseNode(await nodeOfSteps(root, parsePath(n)), at)
    }
    follow().catch(setError)
  }, [link.n, link.o, root])
  // Writes the choice into the link. The offset alone names a leaf of the file.
  useEffect(() => {
    const timer = setTimeout(() => {
      if (choices.current === 0 || link.v !== 'files') return
      const text = pathText(node.steps)
      const isByByte = node.space === root.space && node.parent !== undefined && !node.canOpen
      const n = isByByte || text === '' || text.length > LONGEST_PATH ? undefined : text
      const o = String(offset)
      const chosen = `${n ?? ''} ${o}`
      if (inLink.current === chosen) return
      inLink.current = chosen
      changeLink(latestLink.current, { n, o }, true)
    }, LINK_REST)
    return () => clearTimeout(timer)
  }, [node, offset])

  return { node, offset, top, error, chooseByte, chooseNode }
}

function OpenedFile({ inspected, link, path, root }: FileProps & { root: Node }) {
  const { node, offset, top, error, chooseByte, chooseNode } = useChoice(root, link)
  const [hovered, setHovered] = useState<Node | undefined>(undefined)
  const [found, setFound] = useState<{ from: number; to: number } | undefined>(undefined)
  const [, setChanges] = useState(0)
  const isNarrow = useNarrow()

  async function chooseMatch(match: Match): Promise<void> {
    setFound('from' in match ? match : undefined)
    if ('from' in match) await chooseByte(match.from)
    else chooseNode(await nodeOfSteps(root, match.steps))
  }

  const label = top === root ? root.part.name : `${top.part.name} (${top.space.name ?? ''})`
  return (
    <>
      <p>
        <Text>{root.part.type}</Text>, {formatSize(root.part.length)}
        {root.part.label !== undefined && (
          <>
            {' '}
            of <Text>{root.part.label}</Text>
          </>
        )}
      </p>
      <Spaces top={top} choose={chooseNode} />
      <div class="tools">
        <GoTo length={top.space.length} go={(at) => chooseByte(at)} />
        <SearchForm root={root} space={top.space} choose={chooseMatch} />
      </div>
      {error && <Fault error={error} />}
      <div class="bytes">
        <Hex
          label={label}
          top={top}
          chosen={node}
          cursor={offset}
          hovered={hovered}
          found={found}
          isNarrow={isNarrow}
          choose={(at) => {
            setFound(undefined)
            chooseByte(at)
          }}
          hover={setHovered}
        />
        <PartTree
          root={root}
          chosen={node}
          hovered={hovered}
          choose={chooseNode}
          hover={setHovered}
          changed={() => setChanges((changes) => changes + 1)}
        />
      </div>
      <TileStages {...{ inspected, link, path, root, node, choose: chooseNode }} />
      <ChosenPart {...{ inspected, path, root, node, offset, choose: chooseNode }} />
    </>
  )
}

/** Buttons that lead from unfiltered bytes back to the file. */
function Spaces({ top, choose }: { top: Node; choose(node: Node): void }) {
  const tops: Node[] = []
  for (let one: Node | undefined = top; one; one = one.parent?.top) tops.unshift(one)
  if (tops.length === 1) return null
  return (
    <nav aria-label="Where the bytes come from">
      {tops.map((one, i) => (
        <span key={one.number}>
          {i > 0 && ' › '}
          {one === top ? (
            <strong>
              <Text>{one.space.name ?? one.part.name}</Text>
            </strong>
          ) : (
            <Button onClick={() => choose(tops[i + 1].parent ?? one)}>
              <Text>{one.space.name ?? one.part.name}</Text>
            </Button>
          )}
        </span>
      ))}
      , {formatCount(top.space.length)} bytes
    </nav>
  )
}

function GoTo({ length, go }: { length: number; go(offset: number): void }) {
  const [error, setError] = useState<InspectError | undefined>(undefined)
  const goToTyped = (values: FormData): void => {
    const text = formText(values, 'offset')
    if (OFFSET.test(text) && Number(text) < length) {
      setError(undefined)
      go(Number(text))
    } else setError(new InspectError('USAGE', { expected: `an offset below ${length}, decimal or 0x…`, found: text }))
  }
  return (
    <Form use={goToTyped}>
      <label>
        Go to byte <input name="offset" size={14} placeholder="0x…" autocomplete="off" />
      </label>{' '}
      <button type="submit">Go</button>
      {error && <Fault error={error} />}
    </Form>
  )
}

/** Whether the screen is too narrow for 16 bytes in a row. */
function useNarrow(): boolean {
  const query = '(max-width: 42rem)'
  const [isNarrow, setNarrow] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const changed = () => setNarrow(list.matches)
    list.addEventListener('change', changed)
    return () => list.removeEventListener('change', changed)
  }, [])
  return isNarrow
}
