import { groupDetails } from '../format/group-details.ts'
import { beside, cutShort, type Damages, damage, inFile, MICROSECONDS, UUID } from './damage.ts'

const METADATA_FILE = /\/__meta\/__/
const DETAILS = /__group\//

/** Damage to key-value metadata and groups. */
export const GROUP_DAMAGE = {
  METADATA_NAME_INVALID: damage('metadata', 'a metadata file without timestamps', (array) => array.add('__meta/notes')),
  METADATA_UNREADABLE: cutShort('metadata', 'a metadata file cut short', METADATA_FILE, 50),
  METADATA_FUTURE: damage('metadata', 'metadata dated in microseconds', (array) =>
    array.move(array.first(METADATA_FILE), `${array.root}/__meta/${MICROSECONDS}_${UUID}`),
  ),
  GROUP_DETAILS_UNREADABLE: cutShort('group', 'group details cut short', DETAILS, 50),
  GROUP_DETAILS_FUTURE: damage('group', 'a list of members dated in microseconds', (array) =>
    array.move(array.first(DETAILS), `${array.root}/__group/${MICROSECONDS}_${UUID}_2`),
  ),
  GROUP_MEMBER_MISSING: damage('group', 'a member that is not there', (array) => array.removeAll(/\/arr1\//)),
  GROUP_MEMBER_ELSEWHERE: damage('group', 'a member that another group has, by its whole path', (array) => {
    const { root, files } = array
    for (const path of array.matching(/\/arr1\//)) files.set(beside(root) + path.slice(root.length), array.get(path))
    return array.rewrite(array.find(DETAILS), groupDetails, ({ members }) => {
      for (const member of members)
        if (member.uri.endsWith('arr1')) Object.assign(member, { uri: `file://${beside(root)}/arr1`, relative: false })
    })
  }),
  GROUP_MEMBER_TYPE: inFile('group', 'an array that is said to be a group', DETAILS, groupDetails, ({ members }) => {
    for (const member of members) if (member.uri.endsWith('arr1')) member.type = 'group'
  }),
  GROUP_MEMBER_TWICE: inFile('group', 'two members that lead to one array', DETAILS, groupDetails, ({ members }) => {
    const [one] = members.filter(({ uri }) => uri.endsWith('arr1'))
    members.push({ ...one, name: 'again' })
  }),
  GROUP_OBJECT_UNLISTED: damage('group', 'an array in its folder that is no member', (array) => {
    for (const path of array.matching(/\/arr1\//))
      array.add(path.slice(array.root.length + 1).replace('arr1', 'left'), array.get(path))
  }),
  GROUP_CYCLE: damage('group', 'a group that contains itself', (array) =>
    array.rewrite(array.find(DETAILS), groupDetails, ({ members }) => {
      for (const member of members)
        if (member.type === 'group') Object.assign(member, { uri: `file://${array.root}`, relative: false })
    }),
  ),
} satisfies Damages
