import { commandLineText } from '../../base/errors.ts'
import { shortValue } from '../../render/units.ts'
import { measuredText, partName } from '../../render/views/wording.ts'
import { ERROR_TITLES } from '../error-titles.ts'
import { Text } from '../text.tsx'
import { VirtualList } from '../virtual-list.tsx'
import { isBad } from './hex.tsx'
import { type Node, rowsOf } from './nodes.ts'

const ROW_PIXELS = 22
/** Upper limit on the nodes that the key `*` opens. */
const MAX_OPENED = 2000

interface TreeProps {
  root: Node
  chosen: Node
  hovered: Node | undefined
  choose(node: Node): void
  hover(node: Node | undefined): void
  /** Called after nodes were opened or closed. */
  changed(): void
}

/** The parts of a file as a tree, with the usual keys of a tree. */
export function PartTree(props: TreeProps) {
  const { root, chosen, hovered, choose, hover, changed } = props
  const rows = rowsOf(root)
  const at = rows.indexOf(chosen)

  async function toggle(node: Node): Promise<void> {
    if (!node.isOpen) await node.open()
    else {
      // The chosen node stays in sight.
      if (isBelow(chosen, node)) choose(node)
      node.close()
    }
    changed()
  }

  function onKey({ key }: KeyboardEvent, visible: number): boolean {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + visible, PageUp: at - visible, Home: 0 }[key]
    if (to !== undefined) choose(rows[Math.max(0, Math.min(rows.length - 1, to))])
    else if (key === 'End') choose(rows[rows.length - 1])
    else if (key === 'ArrowRight') {
      if (!chosen.isOpen && chosen.canOpen) toggle(chosen)
      else if (chosen.kids?.[0]) choose(chosen.kids[0])
    } else if (key === 'ArrowLeft') {
      if (chosen.isOpen && chosen.canOpen) toggle(chosen)
      else if (chosen.parent) choose(chosen.parent)
    } else if (key === 'Enter' || key === ' ') toggle(chosen)
    else if (key === '*') openAll(chosen).then(changed)
    else return false
    return true
  }

  const show = (index: number) => <Row {...{ chosen, hovered, choose, hover, toggle }} node={rows[index]} />
  return (
    <VirtualList
      label="Fields"
      role="tree"
      active={at < 0 ? undefined : `node-${chosen.number}`}
      count={rows.length}
      rowHeight={ROW_PIXELS}
      at={at < 0 ? undefined : at}
      show={show}
      onKey={onKey}
    />
  )
}

interface RowProps extends Pick<TreeProps, 'chosen' | 'hovered' | 'choose' | 'hover'> {
  node: Node
  toggle(node: Node): void
}

/** A node: its name, type and meaning. */
function Row({ node, chosen, hovered, choose, hover, toggle }: RowProps) {
  const { part, group } = node
  const classes = ['node', node === chosen && 'chosen', node === hovered && 'over', isBad(node) && 'damaged']
  const siblings = node.parent?.kids
  const arrow = node.isOpen ? '▾' : '▸'
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, and names the active row
    // biome-ignore lint/a11y/useKeyWithMouseEvents: hovering shows nothing that choosing does not
    <div
      id={`node-${node.number}`}
      role="treeitem"
      aria-level={node.level}
      aria-expanded={node.canOpen ? node.isOpen : undefined}
      aria-selected={node === chosen}
      aria-setsize={siblings?.length}
      aria-posinset={siblings && siblings.indexOf(node) + 1}
      class={classes.filter((one) => one).join(' ')}
      style={{ paddingLeft: `${(node.level - 1) * 0.9}rem` }}
      onClick={() => choose(node)}
      onDblClick={() => node.canOpen && toggle(node)}
      onMouseOver={() => hover(group ? undefined : node)}
      onMouseLeave={() => hover(undefined)}
    >
      <span
        class="toggle"
        aria-hidden="true"
        onClick={(event) => {
          if (!node.canOpen) return
          event.stopPropagation()
          toggle(node)
        }}
      >
        {node.canOpen ? arrow : ' '}
      </span>{' '}
      <Text>{group ? `[${group.from}..${group.to - 1}]` : partName(part)}</Text>
      {!group && (
        <>
          {' '}
          <span class="dim">{part.type}</span> <Text>{aboutNode(node)}</Text>
        </>
      )}
    </div>
  )
}

/** Value, meaning and verdict of a node, as `dump --tree` prints them. */
export function aboutNode({ part, error, parent }: Node): string {
  const { name, value, unit, stored, meaning, verdict, fault } = part
  const shown = value === undefined ? undefined : shortValue(value, 60)
  const listName = /^\d+$/.test(name) && parent ? parent.part.name : name
  const wrong = error ?? fault
  // Prose: a meaning that is the message is not shown twice.
  const isMessage = wrong !== undefined && commandLineText(wrong) === meaning
  return [
    shown === undefined ? undefined : measuredText(value, unit, listName, shown),
    stored === undefined ? undefined : `(${stored})`,
    isMessage ? wrong.message : meaning,
    verdict === 'invalid' ? 'invalid' : undefined,
    wrong && !isMessage ? `${ERROR_TITLES[wrong.code]}: ${wrong.message}` : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(' · ')
}

function isBelow(node: Node, above: Node): boolean {
  for (let one: Node | undefined = node.parent; one; one = one.parent) if (one === above) return true
  return false
}

/** Opens the nodes below a node, level by level, up to {@link MAX_OPENED}. */
async function openAll(top: Node): Promise<void> {
  const left = [top]
  for (let opened = 0; opened < MAX_OPENED; opened++) {
    const node = left.shift()
    if (!node) return
    if (node.canOpen) left.push(...(await node.open()))
  }
}
