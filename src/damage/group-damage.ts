import { groupDetails } from '../format/group-details.ts'
import { type Damages, UUID } from './damage.ts'

/** Damage to key-value metadata and groups. */
export const GROUP_DAMAGE = {
  METADATA_NAME_INVALID: {
    name: 'a metadata file without time stamps',
    sample: 'metadata',
    plant: (array) => array.add('__meta/notes'),
  },
  METADATA_UNREADABLE: {
    name: 'a metadata file cut short',
    sample: 'metadata',
    plant: (array) => array.cut(array.first(/\/__meta\/__/), 50),
  },
  METADATA_FUTURE: {
    name: 'metadata dated in microseconds',
    sample: 'metadata',
    plant: (array) =>
      array.move(array.first(/\/__meta\/__/), `${array.root}/__meta/__1700000000000000_1700000000000000_${UUID}`),
  },
  GROUP_DETAILS_UNREADABLE: {
    name: 'group details cut short',
    sample: 'group',
    plant: (array) => array.cut(array.find(/__group\//), 50),
  },
  GROUP_DETAILS_FUTURE: {
    name: 'a list of members dated in microseconds',
    sample: 'group',
    plant: (array) =>
      array.move(array.first(/__group\//), `${array.root}/__group/__1700000000000000_1700000000000000_${UUID}_2`),
  },
  GROUP_MEMBER_MISSING: {
    name: 'a member that is not there',
    sample: 'group',
    plant: (array) => {
      array.removeAll(/\/arr1\//)
    },
  },
  GROUP_MEMBER_TYPE: {
    name: 'an array that is said to be a group',
    sample: 'group',
    plant: (array) =>
      array.rewrite(array.find(/__group\//), groupDetails, ({ members }) => {
        for (const member of members) if (member.uri.endsWith('arr1')) member.type = 'group'
      }),
  },
  GROUP_CYCLE: {
    name: 'a group that contains itself',
    sample: 'group',
    plant: (array) =>
      array.rewrite(array.find(/__group\//), groupDetails, ({ members }) => {
        for (const member of members)
          if (member.type === 'group') {
            member.uri = `file://${array.root}`
            member.relative = false
          }
      }),
  },
} satisfies Damages
