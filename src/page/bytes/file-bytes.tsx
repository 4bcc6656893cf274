import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { parsePath, pathText } from '../../anatomy/path.ts'
import { InspectError } from '../../base/errors.ts'
import { OFFSET } from '../../commands/option-values.ts'
import { formatCount, formatSize } from '../../render/units.ts'
import type { Inspected } from '../inspected.ts'
import { change, type Link } from '../link.ts'
import { Text } from '../text.tsx'
import { Fault, Shown, useLoaded } from '../use-loaded.tsx'
import { ChosenPart } from './chosen-part.tsx'
import { Hex } from './hex.tsx'
import { isLarge, type Node, nodeAt, nodeOfSteps, rootNode } from './nodes.ts'
import type { Match } from './search.ts'
import { SearchForm } from './search-form.tsx'
import { TileStages } from './tile-stages.tsx'
import { Tree } from './tree.tsx'

/** Files up to this many bytes are opened two levels deep at first. */
const SMALL = 2 ** 20
/** The link follows the chosen byte after this many milliseconds: browsers complain of many changes. */
const LINK_REST = 300
/** Longer paths are left out of the link. */
const LONGEST_PATH = 1200

interface FileProps {
  inspected: Inspected
  link: Link
  /** In the storage. */
  path: string
}

/** A file: bytes on the left, what they are on the right. */
export function FileBytes({ inspected, link, path }: FileProps) {
  const opened = useLoaded(async () => {
    const { root, close } = await inspected.anatomy(path)
    const node = rootNode(root)
    const kids = await node.open()
    if (root.length <= SMALL) for (const kid of kids) if (kid.canOpen && !isLarge(kid.part)) await kid.open()
    return { root: node, close }
  }, [inspected, path])
  const close = opened && 'value' in opened ? opened.value.close : undefined
  useEffect(() => () => void close?.(), [close])
  return <Shown of={opened} what="the file" show={({ root }) => <OpenedFile {...{ inspected, link, path, root }} />} />
}

/** What is chosen: a part, and a byte of its space. */
export interface Choice {
  node: Node
  offset: number
}

function OpenedFile({ inspected, link, path, root }: FileProps & { root: Node }) {
  const [choice, setChoice] = useState<Choice>({ node: root, offset: 0 })
  const [hovered, setHovered] = useState<Node | undefined>(undefined)
  const [found, setFound] = useState<{ from: number; to: number } | undefined>(undefined)
  const [error, setError] = useState<InspectError | undefined>(undefined)
  const [, setChanges] = useState(0)
  const isNarrow = useNarrow()
  const latest = useRef(0)
  const written = useRef('')
  const now = useRef(link)
  now.current = link
  const { node, offset } = choice
  const top = useMemo(() => node.top, [node])

  /** Chooses a byte of the space; the part follows when it is known. */
  async function chooseByte(at: number, within = top): Promise<void> {
    const mine = ++latest.current
    setChoice({ node: within === top ? node : within, offset: at })
    const smallest = await nodeAt(within, at)
    if (mine !== latest.current) return
    // Groups above it are open now: what is chosen is in sight.
    for (let one = smallest.parent; one; one = one.parent) if (!one.isOpen) await one.open()
    setChoice({ node: smallest, offset: at })
  }

  function chooseNode(next: Node, at = next.from): void {
    latest.current++
    setChoice({ node: next, offset: at })
  }

  async function chooseMatch(match: Match): Promise<void> {
    setFound('from' in match ? match : undefined)
    if ('from' in match) await chooseByte(match.from)
    else chooseNode(await nodeOfSteps(root, match.steps))
  }

  // The link says what is chosen. What this view wrote itself is not read again.
  useEffect(() => {
    const { n, o } = link
    if (written.current === `${n ?? ''} ${o ?? ''}`) return
    written.current = `${n ?? ''} ${o ?? ''}`
    const at = o !== undefined && OFFSET.test(o) ? Number(o) : undefined
    const go = async (): Promise<void> => {
      if (n === undefined) await chooseByte(Math.min(at ?? 0, Math.max(0, root.part.length - 1)), root)
      else {
        const named = await nodeOfSteps(root, parsePath(n))
        chooseNode(named, at)
      }
    }
    go().catch(setError)
  }, [link.n, link.o, root])
  useEffect(() => {
    const timer = setTimeout(() => {
      if (latest.current === 0 || link.v !== 'files') return
      const text = pathText(node.steps)
      const isByByte = node.space === root.space && node.parent !== undefined && !node.canOpen
      const n = isByByte || text === '' || text.length > LONGEST_PATH ? undefined : text
      const o = String(offset)
      if (written.current === `${n ?? ''} ${o}`) return
      written.current = `${n ?? ''} ${o}`
      change(now.current, { n, o }, true)
    }, LINK_REST)
    return () => clearTimeout(timer)
  }, [node, offset])

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
        <Tree
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

/** The way from the file to what came out of its filters, and back. */
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
            <button type="button" onClick={() => choose(tops[i + 1].parent ?? one)}>
              <Text>{one.space.name ?? one.part.name}</Text>
            </button>
          )}
        </span>
      ))}
      , {formatCount(top.space.length)} bytes
    </nav>
  )
}

function GoTo({ length, go }: { length: number; go(offset: number): void }) {
  const [error, setError] = useState<InspectError | undefined>(undefined)
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get('offset')).trim()
    const isRight = OFFSET.test(text) && Number(text) < length
    setError(
      isRight
        ? undefined
        : new InspectError('USAGE', `expected an offset below ${length}, decimal or 0x…, found ${text}`),
    )
    if (isRight) go(Number(text))
  }
  return (
    <form onSubmit={submit}>
      <label>
        Go to byte <input name="offset" size={14} placeholder="0x…" autocomplete="off" />
      </label>{' '}
      <button type="submit">Go</button>
      {error && <Fault error={error} />}
    </form>
  )
}

/** Whether the screen is too narrow for 16 columns. */
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
