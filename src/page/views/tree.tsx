import type { GroupLine } from '../../documents/group.ts'
import { counted, fieldName } from '../../render/views/wording.ts'
import { INSIDE, innerLink, type Link } from '../link.ts'
import { canOpen, pathInGroup } from '../member-path.ts'
import { Text } from '../text.tsx'
import { timeOptions, timeWords } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { ViewParts, ViewProps } from '../view.ts'

/** The members of a group and of the groups inside. A click or the space bar folds and unfolds a group. */
export const tree: ViewParts = {
  call: ({ link }) => ({ words: ['ls', '--names', '--depth', 'all', ...timeWords(link)] }),
  Show: (props) => <MemberTree {...props} depth="all" />,
}

/** Upper limit on the members of a group that are shown. */
const MOST = 500

/** The members as a list. @param depth the option of `ls`: number of levels; undefined for one */
export function MemberTree({ inspected, link, depth }: ViewProps & { depth?: string }) {
  const members = useLoaded(async () => {
    const listed = await inspected.document('ls', { names: true, ...(depth && { depth }), ...timeOptions(link) })
    return 'members' in listed ? listed.members : []
  }, [inspected, link.t])
  return (
    <Shown
      of={members}
      what="the members of groups"
      show={(found) =>
        found.length === 0 ? <p>The group has no members.</p> : <Members members={found} link={link} />
      }
    />
  )
}

/** @param prefix path from the shown group to this one, followed by {@link INSIDE}; empty for the shown group itself */
function Members({ members, link, prefix = '' }: { members: readonly GroupLine[]; link: Link; prefix?: string }) {
  return (
    <ul class="members">
      {members.slice(0, MOST).map((member, i) => (
        <li key={i}>
          {member.members === undefined ? (
            <MemberText
              member={member}
              to={canOpen(member) ? innerLink(link, prefix + pathInGroup(member)) : undefined}
            />
          ) : (
            <details open>
              <summary>
                <MemberText member={member} />, {counted(member.members.length, 'member')}
              </summary>
              {/* Not in the summary, which acts as a button. */}
              {canOpen(member) && <a href={innerLink(link, prefix + pathInGroup(member))}>Open this group</a>}
              <Members members={member.members} link={link} prefix={`${prefix}${pathInGroup(member)}${INSIDE}`} />
            </details>
          )}
        </li>
      ))}
      {members.length > MOST && <li>{counted(members.length - MOST, 'more member')}: ls prints all.</li>}
    </ul>
  )
}

/** A member in words. @param to link to the member, if it can be opened */
function MemberText({ member, to }: { member: GroupLine; to?: string | undefined }) {
  const { name, type, found, uri, state, implicit, error } = member
  const shown = <Text>{name === null ? uri : fieldName(name)}</Text>
  return (
    <>
      <strong>{to === undefined ? shown : <a href={to}>{shown}</a>}</strong> {found ?? type}
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
