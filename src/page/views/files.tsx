import { fileTypeByName } from '../../anatomy/files.ts'
import { parseFragmentName } from '../../format/timestamped-name.ts'
import { formatCount } from '../../render/units.ts'
import { fieldName, NOTHING, sizeText } from '../../render/views/wording.ts'
import { Folder } from '../../source/source.ts'
import { filesBelow } from '../../source/walk.ts'
import { FRAGMENTS_FOLDER } from '../../store/commits.ts'
import { FileBytes } from '../bytes/file-bytes.tsx'
import type { Inspected } from '../inspected.ts'
import { goTo, type Link } from '../link.ts'
import { type Column, Table } from '../table.tsx'
import { Text } from '../text.tsx'
import { Shown, useLoaded } from '../use-loaded.tsx'
import { Removable, type States, unreadStates } from '../vacuum.tsx'
import type { View, ViewProps } from '../view.ts'

/**
 * The files of the target, and the bytes of one of them. `p` of the link is a file or a fragment below the target; `n` names the chosen
 * part as `dump --path` does, `o` is the chosen byte.
 */
export const files: View = {
  id: 'files',
  title: 'Files',
  targets: ['array', 'fragment', 'group', 'file'],
  call({ inspected, link }) {
    const { p, n, o } = link
    const path = p === undefined ? inspected.path : `${inspected.path}/${p}`
    if (p === undefined ? inspected.target.type !== 'file' : isFragmentPath(p)) return { words: ['ls'], path }
    return { words: ['dump', ...(n ? ['--path', n] : o ? ['--at', `${o}..${o}`] : [])], path }
  },
  Show: Files,
}

/** Fragments whose files are listed at once. Of more, each is opened by a click. */
const FEW = 30

interface FileRow {
  /** Below the target; empty for the target itself. */
  path: string
  role: string
  field: string | null
  size: number | null
  /** Whether it is a folder. */
  isFolder?: boolean
  state?: string
}

function Files({ inspected, link }: ViewProps) {
  const { p } = link
  const isFile = p === undefined ? inspected.target.type === 'file' : !isFragmentPath(p)
  const path = p === undefined ? inspected.path : `${inspected.path}/${p}`
  return (
    <>
      {p !== undefined && (
        <p>
          <a href={goTo(link, 'files')}>All files</a> › <Text>{p}</Text>
        </p>
      )}
      {isFile ? (
        <FileBytes key={path} inspected={inspected} link={link} path={path} />
      ) : (
        <List {...{ inspected, link }} />
      )}
    </>
  )
}

/** Schemas and metadata files have names as fragments have, but in other folders. */
function isFragmentPath(path: string): boolean {
  const [name, around] = path.split('/').reverse()
  return (around === undefined || around === FRAGMENTS_FOLDER) && parseFragmentName(name) !== undefined
}

function List({ inspected, link }: ViewProps) {
  const rows = useLoaded(() => listFiles(inspected, link.p), [inspected, link.p])
  return (
    <Shown
      of={rows}
      what="the names of files"
      show={(found) => (
        <>
          {link.p === undefined && <Removable inspected={inspected} />}
          <Table
            caption={`${formatCount(found.filter(({ isFolder }) => !isFolder).length)} files`}
            columns={columns(link)}
            rows={found}
            keyOf={({ path }) => path}
          />
        </>
      )}
    />
  )
}

function columns(link: Link): readonly Column<FileRow>[] {
  return [
    {
      title: 'file',
      show: ({ path, size, isFolder }) =>
        size === null && !isFolder ? (
          <Text>{nameOf(path)}</Text>
        ) : (
          <a href={goTo(link, 'files', { p: path })}>
            <Text>{nameOf(path)}</Text>
          </a>
        ),
      by: ({ path }) => nameOf(path),
    },
    { title: 'role', show: ({ role }) => role, by: ({ role }) => role },
    {
      title: 'field',
      show: ({ field }) => <Text>{field === null ? NOTHING : fieldName(field)}</Text>,
      by: ({ field }) => field,
    },
    { title: 'size', isNumber: true, show: ({ size }) => sizeText(size), by: ({ size }) => size },
    {
      title: 'state',
      show: ({ state }) => (
        <span class={state === 'to-vacuum' ? 'dim' : state && state !== 'present' ? 'bad' : ''}>
          {state ?? NOTHING}
        </span>
      ),
      by: ({ state }) => state,
    },
    { title: 'in', show: ({ path }) => <Text>{folderOf(path) || NOTHING}</Text>, by: ({ path }) => folderOf(path) },
  ]
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** The files of an array or group, or of one fragment. */
async function listFiles(inspected: Inspected, p: string | undefined): Promise<readonly FileRow[]> {
  const { type, path } = inspected.target
  const states = await unreadStates(inspected)
  const below = (one: string) => fragmentFiles(inspected, `${path}/${one}`, `${one}/`, states.get(one))
  if (p !== undefined) return below(p)
  if (type === 'fragment') return fragmentFiles(inspected, path, '', undefined)
  const fragments: string[] = []
  const rows: FileRow[] = []
  const enter = (below: string, name: string): boolean => {
    if (!parseFragmentName(name)) return name.startsWith('__')
    fragments.push(below)
    return false
  }
  for await (const { folder, entry } of filesBelow(new Folder(inspected.place.storage, path), enter)) {
    const full = `${folder.path}/${entry.name}`
    const name = full.slice(path.length + 1)
    // A server's listing has no sizes, and an empty file may be known by its size alone.
    const size = entry.size ?? (await sizeOf(inspected, full))
    const role = fileTypeByName(entry.name, folder.name, size, type === 'group')
    rows.push({ path: name, role, field: null, ...stateOf(states, name), size })
  }
  if (fragments.length > FEW)
    return [
      ...rows,
      ...fragments.map((one) => ({
        path: one,
        role: 'fragment',
        field: null,
        size: null,
        isFolder: true,
        ...stateOf(states, one),
      })),
    ]
  const inside = await Promise.all(fragments.map(below))
  return [...rows, ...inside.flat()]
}

/** The state of what readers leave out. */
function stateOf(states: States, path: string): Pick<FileRow, 'state'> {
  const state = states.get(path)
  return state === undefined ? {} : { state }
}

async function sizeOf({ place }: Inspected, path: string): Promise<number> {
  const source = place.storage.open(path)
  try {
    return await source.size()
  } finally {
    await source.close()
  }
}

/**
 * What `ls` lists of a fragment; of one that cannot be read, the names.
 * @param unread the fragment's state, if readers leave it out
 */
async function fragmentFiles(
  inspected: Inspected,
  path: string,
  prefix: string,
  unread: string | undefined,
): Promise<readonly FileRow[]> {
  try {
    const listed = await inspected.document('ls', {}, path)
    if (listed.kind !== 'fragment') return []
    return listed.files.map(({ name, role, field, size, state }) => ({
      path: prefix + name,
      role,
      field,
      size,
      state: state === 'present' ? (unread ?? state) : state,
    }))
  } catch {
    const entries = await inspected.place.storage.list(path)
    return entries.map(({ name, size }) => ({
      path: prefix + name,
      role: NOTHING,
      field: null,
      size: size ?? null,
      ...(unread && { state: unread }),
    }))
  }
}
