import { consolidatedFragmentMetadata } from '../format/consolidated-fragment-metadata.ts'
import { type ConditionNode, deleteCondition } from '../format/delete-condition.ts'
import { bytes, u32, u64 } from './bytes.ts'
import { type Damages, METADATA, SCHEMA, UUID } from './damage.ts'

/** Damage to names, commits and consolidated files. */
export const ARRAY_DAMAGE = {
  ARRAY_NO_SCHEMA: {
    name: 'a schema folder without schemas',
    sample: 'empty',
    plant: (array) => {
      const schema = array.find(SCHEMA)
      array.add('__schema/__enumerations/x')
      array.remove(schema)
    },
  },
  ARRAY_UNKNOWN_ENTRY: {
    name: 'a file of no kind',
    sample: 'sparse',
    plant: (array) => array.add('README.txt', [1]),
  },
  LOCK_NOT_EMPTY: {
    name: 'bytes in the lock file',
    sample: 'sparse10',
    plant: (array) => array.add('__lock.tdb', [1, 2]),
  },
  FRAGMENT_NAME_INVALID: {
    name: 'a fragment with a name of its own',
    sample: 'sparse',
    plant: (array) => array.move(array.fragmentPath(), `${array.root}/__fragments/mine`),
  },
  FRAGMENT_WRONG_FOLDER: {
    name: 'a new fragment in the old place',
    sample: 'sparse',
    plant: (array) => array.move(array.fragmentPath(), `${array.root}/__10_10_${UUID}_22`),
  },
  FRAGMENT_TIMESTAMPS: {
    name: 'time stamps upside down',
    sample: 'sparse',
    plant: (array) => {
      array.move(array.fragmentPath(), `${array.root}/__fragments/__20_10_${UUID}_22`)
      array.move(array.find(/\.wrt$/), `${array.root}/__commits/__20_10_${UUID}_22.wrt`)
    },
  },
  FRAGMENT_UNCOMMITTED: {
    name: 'a fragment without its commit',
    sample: 'sparse',
    plant: (array) => array.remove(array.find(/\.wrt$/)),
  },
  ARRAY_READS_EMPTY: {
    name: 'no commit of any fragment',
    sample: 'sparse',
    plant: (array) => array.removeAll(/\/__commits\//),
  },
  FRAGMENT_FUTURE: {
    name: 'a fragment dated in microseconds',
    sample: 'sparse',
    plant: (array) => {
      const name = `__1700000000000000_1700000000000000_${UUID}_22`
      array.move(array.fragmentPath(), `${array.root}/__fragments/${name}`)
      array.move(array.find(/\.wrt$/), `${array.root}/__commits/${name}.wrt`)
    },
  },
  FRAGMENT_NO_METADATA: {
    name: 'a committed fragment without metadata',
    sample: 'sparse',
    plant: (array) => array.remove(array.find(METADATA)),
  },
  COMMIT_UNREADABLE: {
    name: 'consolidated commits cut in a delete condition',
    sample: 'consolidatedCommits',
    plant: (array) => {
      const file = array.find(/\.con$/)
      array.append(file, new TextEncoder().encode(`__commits/__5_5_${UUID}_22.del\nab`))
    },
  },
  COMMIT_DANGLING: {
    name: 'a commit of no fragment',
    sample: 'sparse',
    plant: (array) => array.add(`__commits/__5_5_${UUID}_22.wrt`),
  },
  COMMIT_NOT_EMPTY: {
    name: 'a commit with bytes in it',
    sample: 'sparse',
    plant: (array) => array.append(array.find(/\.wrt$/), [0]),
  },
  COMMIT_NAME_INVALID: {
    name: 'a commit file of no kind',
    sample: 'sparse',
    plant: (array) => array.add('__commits/notes.txt'),
  },
  COMMIT_WRONG_FOLDER: {
    name: 'an old commit mark for a new fragment',
    sample: 'sparse',
    plant: (array) => {
      const mark = array.find(/\.wrt$/)
      array.move(mark, `${array.root}/${mark.slice(mark.lastIndexOf('/') + 1, -4)}.ok`)
    },
  },
  VACUUM_DANGLING: {
    name: 'a vacuum file that lists a fragment that is gone',
    sample: 'vacuum',
    plant: (array) => {
      array.removeAll(/\/__10_10_/)
    },
  },
  VACUUM_UNCOMMITTED: {
    name: 'a vacuum file of a fragment that is not committed',
    sample: 'vacuum',
    plant: (array) => array.removeAll(/\.wrt$/),
  },
  VACUUM_HIDES_CELLS: {
    name: 'a vacuum file that hides what no other fragment holds',
    sample: 'vacuum',
    plant: (array) => array.removeAll(/\/__10_30_.*(?:\.wrt$|_22\/)/),
  },
  IGNORE_DANGLING: {
    name: 'an ignore file about no consolidated commit',
    sample: 'ignoredCommits',
    plant: (array) => array.append(array.find(/\.ign$/), new TextEncoder().encode(`__commits/__5_5_${UUID}_22.wrt\n`)),
  },
  DELETE_CONDITION_UNREADABLE: {
    name: 'a delete condition cut short',
    sample: 'deletes',
    plant: (array) => {
      const file = array.find(/__15_15_.*\.del$/)
      array.cut(file, array.get(file).length - 3)
    },
  },
  DELETE_CONDITION_FIELD: {
    name: 'a delete condition about an unknown field',
    sample: 'deletes',
    plant: (array) =>
      array.rewrite(
        array.find(/__15_15_.*\.del$/),
        deleteCondition,
        (): ConditionNode => ({
          node: 'value',
          op: 'EQ',
          field: 'nobody',
          value: u32(1),
          offsets: undefined,
        }),
      ),
  },
  DELETE_CONDITION_VALUE: {
    name: 'a delete condition with a value of 3 bytes for a field of 4',
    sample: 'deletes',
    plant: (array) =>
      array.rewrite(
        array.find(/__15_15_.*\.del$/),
        deleteCondition,
        (): ConditionNode => ({ node: 'value', op: 'NE', field: 'a', value: u32(1).slice(1), offsets: undefined }),
      ),
  },
  DELETE_CONDITION_OPERANDS: {
    name: 'a delete condition that combines one condition',
    sample: 'deletes',
    plant: (array) =>
      array.rewrite(
        array.find(/__15_15_.*\.del$/),
        deleteCondition,
        (only: ConditionNode): ConditionNode => ({ node: 'expression', op: 'AND', children: [only] }),
      ),
  },
  COMMIT_DUPLICATE: {
    name: 'a commit that is listed twice',
    sample: 'consolidatedCommits',
    plant: (array) => {
      const file = array.find(/\.con$/)
      const lines = array.get(file)
      array.append(file, lines.subarray(0, lines.indexOf(10) + 1))
    },
  },
  DELETE_CONDITION_DIFFERS: {
    name: 'two copies of a delete condition',
    sample: 'deletes',
    plant: (array) => {
      const [one, other] = [array.find(/__15_15_.*\.del$/), array.find(/__25_25_.*\.del$/)]
      const name = one.slice(array.root.length + 1)
      const tile = array.get(other)
      array.add(
        `__commits/__15_15_${UUID}_22.con`,
        bytes(new TextEncoder().encode(`${name}\n`), u64(tile.length), tile),
      )
    },
  },
  CONSOLIDATED_METADATA_UNREADABLE: {
    name: 'consolidated metadata cut short',
    sample: 'consolidatedMetadata',
    plant: (array) => array.cut(array.find(/\.meta$/), 100),
  },
  CONSOLIDATED_METADATA_OFFSET: {
    name: 'a footer said to lie behind the end',
    sample: 'consolidatedMetadata',
    plant: (array) =>
      array.rewrite(array.find(/\.meta$/), consolidatedFragmentMetadata, (meta) => {
        meta.entries[2].offset = 1e9
      }),
  },
  CONSOLIDATED_METADATA_DIFFERS: {
    name: 'a footer that is not the fragment’s',
    sample: 'consolidatedMetadata',
    plant: (array) =>
      array.rewrite(array.find(/\.meta$/), consolidatedFragmentMetadata, (meta) => {
        meta.footers[meta.footers.length - 1] ^= 1
      }),
  },
  CONSOLIDATED_METADATA_DANGLING: {
    name: 'a footer of a fragment that is gone',
    sample: 'consolidatedMetadata',
    plant: (array) => {
      array.removeAll(/\/__20_20_/)
    },
  },
} satisfies Damages
