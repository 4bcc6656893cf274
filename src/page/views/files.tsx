import { fileTypeByName } from '../../anatomy/files.ts'
import { folderOf, lastPathPart } from '../../base/paths.ts'
import { parseFragmentName } from '../../format/timestamped-name.ts'
import { FRAGMENTS_FOLDER } from '../../objects/commits.ts'
import { formatCount } from '../../render/units.ts'
import { fieldName, fullSizeText, NOTHING } from '../../render/views/wording.ts'
import { Folder } from '../../storage/source.ts'
import { filesBelow } from '../../storage/walk.ts'
import { FileBytes } from '../bytes/file-bytes.tsx'
import { FragmentName, PathName } from '../fragment-name.tsx'
import type { Inspected } from '../inspected.ts'
import { type Link, viewLink } from '../link.ts'
import { type Column, numberColumn, Table, textColumn } from '../table.tsx'
import { Shown, useLoaded } from '../use-loaded.tsx'
import { Removable, unreadStates } from '../vacuum.tsx'
import type { ViewParts, ViewProps } from '../view.ts'

/**
 * The files of the target, and the bytes of one of them. In the link, `p` is a file or a fragment below the target, `n` the chosen part
 * as `dump --path` takes it, and `o` the offset of the chosen byte.
 */
export const files: ViewParts = {
  call({ inspected, link }) {
    const { p, n, o } = link
    const path = p === undefined ? inspected.path : `${inspected.path}/${p}`
    if (p === undefined ? inspected.target.type !== 'file' : isFragmentPath(p)) return { words: ['ls'], path }
    const at = o ? ['--at', `${o}..${o}`] : []
    return { words: ['dump', ...(n ? ['--path', n] : at)], path }
  },
  Show: Files,
}

/** Up to this number of fragments, the list has the files of all. If there are more, a click on one lists its files. */
const FEW = 30

function classOf(state: FileRow['state']): string {
  if (state === undefined || state === 'present') return ''
  return state === 'to-vacuum' ? 'dim' : 'bad'
}

interface FileRow {
  /** Path below the target. */
  path: string
  role: string
  field: string | null
  size: number | null
  isFolder?: boolean
  state: string | undefined
}

function Files({ inspected, link }: ViewProps) {
  const { p } = link
  const isFile = p === undefined ? inspected.target.type === 'file' : !isFragmentPath(p)
  const path = p === undefined ? inspected.path : `${inspected.path}/${p}`
  return (
    <>
      {p !== undefined && (
        <p>
          <a href={viewLink(link, 'files')}>All files</a> › <PathName path={p} />
        </p>
      )}
      {isFile ? <FileBytes key={path} {...{ inspected, link, path }} /> : <List {...{ inspected, link }} />}
    </>
  )
}

/** Whether a path below the target is that of a fragment. Schemas and metadata files have such names, too, but in other folders. */
function isFragmentPath(path: string): boolean {
  const [name, folder] = path.split('/').reverse()
  return (folder === undefined || folder === FRAGMENTS_FOLDER) && parseFragmentName(name) !== undefined
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
          <FragmentName name={lastPathPart(path)} />
        ) : (
          <a href={viewLink(link, 'files', { p: path })}>
            <FragmentName name={lastPathPart(path)} />
          </a>
        ),
      by: ({ path }) => lastPathPart(path),
    },
    { title: 'role', show: ({ role }) => role, by: ({ role }) => role },
    textColumn('field', ({ field }) => (field === null ? null : fieldName(field))),
    numberColumn('size', ({ size }) => size, fullSizeText),
    {
      title: 'state',
      show: ({ state }) => <span class={classOf(state)}>{state ?? NOTHING}</span>,
      by: ({ state }) => state,
    },
    {
      title: 'in',
      show: ({ path }) => <PathName path={folderOf(path) || NOTHING} />,
      by: ({ path }) => folderOf(path),
    },
  ]
}

/** The files of the target, or of the fragment `p`. */
export async function listFiles(inspected: Inspected, p?: string): Promise<readonly FileRow[]> {
  const { type, path } = inspected.target
  const states = await unreadStates(inspected)
  const filesOf = (one: string) => fragmentFiles(inspected, `${path}/${one}`, `${one}/`, states.get(one))
  if (p !== undefined) return filesOf(p)
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
    // A server's listing has no sizes, and only the size tells what some empty files are.
    const size = entry.size ?? (await sizeOf(inspected, full))
    const role = fileTypeByName(entry.name, folder.name, size, type === 'group')
    rows.push({ path: name, role, field: null, size, state: states.get(name) })
  }
  if (fragments.length <= FEW) return [...rows, ...(await Promise.all(fragments.map(filesOf))).flat()]
  const row = { role: 'fragment', field: null, size: null, isFolder: true }
  return [...rows, ...fragments.map((one) => ({ ...row, path: one, state: states.get(one) }))]
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
 * The files of a fragment as `ls` lists them; only their names if the fragment cannot be read.
 * @param unread the fragment's state, if readers skip it
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
      state: unread,
    }))
  }
}
