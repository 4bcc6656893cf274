import { useState } from 'preact/hooks'
import { pathText } from '../../anatomy/path.ts'
import { formatCount } from '../../render/units.ts'
import { cellPairs, noticePairs } from '../../render/views/at-pairs.ts'
import { NOTHING } from '../../render/views/wording.ts'
import { Call } from '../call.tsx'
import { Button } from '../controls.tsx'
import type { Inspected } from '../inspected.ts'
import { Facts, textFact } from '../table.tsx'
import { Text } from '../text.tsx'
import { Shown, useLoaded } from '../use-loaded.tsx'
import { isLarge, type Node } from './nodes.ts'
import { aboutNode } from './tree.tsx'

/** The facts of the chosen part in words. The hex view and the tree show them by colour and place. */
export function ChosenPart(props: {
  inspected: Inspected
  path: string
  root: Node
  node: Node
  offset: number
  choose(node: Node): void
}) {
  const { inspected, path, root, node, offset, choose } = props
  const { part } = node
  const contents = (node.kids ?? []).filter((kid) => kid.space !== node.space)
  return (
    <section aria-labelledby="chosen-part">
      <h3 id="chosen-part">Chosen</h3>
      <p role="status" class="sr">
        byte {formatCount(offset)}: {part.name} {part.type}
      </p>
      <Facts
        facts={[
          textFact('Field', pathText(node.steps) || part.name),
          ['Type', part.type],
          textFact('Value', aboutNode(node) || NOTHING),
          ['Bytes', bytesText(part)],
          ['Chosen byte', `${formatCount(offset)} (0x${offset.toString(16)})`],
          part.description !== undefined && textFact('Means', part.description),
        ]}
      />
      {isLarge(part) && !node.isOpen && (
        <p>
          This tile is large: <Button onClick={() => node.open().then(() => choose(node))}>Read it</Button>
        </p>
      )}
      {contents.length > 0 && (
        <p>
          {contents.map((kid) => (
            <Button key={kid.number} onClick={() => choose(kid)}>
              Open <Text>{kid.space.name ?? kid.part.name}</Text> ({formatCount(kid.part.length)} bytes)
            </Button>
          ))}
        </p>
      )}
      {node.space === root.space && part.length > 0 && (
        <Flip key={offset} inspected={inspected} path={path} offset={offset} />
      )}
    </section>
  )
}

function bytesText({ offset, length }: { offset: number; length: number }): string {
  if (length === 0) return 'none'
  return `${formatCount(length)}, from ${formatCount(offset)} (0x${offset.toString(16)}) to ${formatCount(offset + length - 1)}`
}

interface FlipProps {
  inspected: Inspected
  path: string
  offset: number
}

/** A button that asks the command `at` what would notice a flip of a bit of the byte. */
function Flip(props: FlipProps) {
  const [isAsked, setAsked] = useState(false)
  if (isAsked) return <Flipped {...props} />
  return (
    <p>
      <Button onClick={() => setAsked(true)}>What would notice a flip here?</Button>
    </p>
  )
}

/** Replaces calls of `check` by the view that does the same. */
const withViews = (text: string): string =>
  text.replaceAll('check --level cells', 'Findings of every cell').replace(/^check then/, 'Findings then')

function Flipped({ inspected, path, offset }: FlipProps) {
  const found = useLoaded(
    () => inspected.document('at', { flips: true }, path, [String(offset)]),
    [inspected, path, offset],
  )
  return (
    <section aria-label="What would notice a flip">
      <Shown
        of={found}
        what="the array again with each bit of the byte flipped"
        show={(at) => (
          <Facts
            facts={[...(at.cells ? cellPairs(at.cells) : []), ...noticePairs(at)].map(
              (pair) => pair && textFact(withViews(pair[0]), withViews(pair[1])),
            )}
          />
        )}
      />
      <Call words={['at', inspected.shownPath(path), String(offset)]} />
    </section>
  )
}
