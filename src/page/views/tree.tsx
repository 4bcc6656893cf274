import type { GroupLine } from '../../documents/group.ts'
import { counted, fieldName } from '../../render/views/wording.ts'
import { Text } from '../text.tsx'
import { timesOf, timeWords } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { View, ViewProps } from '../view.ts'

/** The members of a group, and theirs. Each group folds and unfolds, by a click or the space bar. */
export const tree: View = {
  id: 'tree',
  title: 'Members',
  targets: ['group'],
  call: ({ link }) => ({ words: ['ls', '--depth', 'all', ...timeWords(link)] }),
  Show: Tree,
}

/** Members of a group that are shown. */
const MOST = 500

function Tree({ inspected, link }: ViewProps) {
  const members = useLoaded(async () => {
    const listed = await inspected.document('ls', { depth: 'all', ...timesOf(link) })
    return listed.kind === 'group' ? listed.members : []
  }, [inspected, link.t])
  return (
    <Shown
      of={members}
      what="the members of groups"
      show={(found) => (found.length === 0 ? <p>The group has no members.</p> : <Members members={found} />)}
    />
  )
}

function Members({ members }: { members: readonly GroupLine[] }) {
  return (
    <ul class="members">
      {members.slice(0, MOST).map((member, i) => (
        <li key={i}>
          {member.members === undefined ? (
            <MemberText member={member} />
          ) : (
            <details open>
              <summary>
                <MemberText member={member} />, {counted(member.members.length, 'member')}
              </summary>
              <Members members={member.members} />
            </details>
          )}
        </li>
      ))}
      {members.length > MOST && <li>{counted(members.length - MOST, 'more member')}: ls prints all.</li>}
    </ul>
  )
}

function MemberText({ member: { name, type, found, uri, state, implicit, error } }: { member: GroupLine }) {
  return (
    <>
      <strong>
        <Text>{name === null ? uri : fieldName(name)}</Text>
      </strong>{' '}
      {found ?? type}
      {name !== null && (
        <>
          {' '}
          at <Text>{uri}</Text>
        </>
      )}
      {found !== undefined && `, which the group calls ${type}`}
      {implicit && ', in no list of members'}
      {state !== 'present' && (
        <>
          , <span class="bad">{state}</span>
        </>
      )}
      {error && (
        <>
          : <Text>{error.message}</Text>
        </>
      )}
    </>
  )
}
