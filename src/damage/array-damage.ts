import {
  type ConsolidatedFragmentMetadata,
  consolidatedFragmentMetadata,
} from '../format/consolidated-fragment-metadata.ts'
import { type ConditionNode, deleteCondition } from '../format/delete-condition.ts'
import { bytes, textBytes, u32Bytes, u64Bytes } from './bytes.ts'
import {
  committed,
  cutShort,
  type Damage,
  type Damages,
  damage,
  inFile,
  METADATA,
  MICROSECONDS,
  SCHEMA,
  UUID,
} from './damage.ts'
import type { EditableArray, StructureChange } from './editable-array.ts'

const COMMIT = /\.wrt$/
const DELETE = /__15_15_.*\.del$/
const CONSOLIDATED_COMMITS = /\.con$/
const CONSOLIDATED_METADATA = /\.meta$/

/** Gives the only fragment and its commit another name. */
function rename(array: EditableArray, name: string): void {
  array.move(array.fragmentPath(), `${array.root}/__fragments/${name}`)
  array.move(array.find(COMMIT), `${array.root}/__commits/${name}.wrt`)
}

function inCondition(name: string, change: StructureChange<ConditionNode>): Damage {
  return inFile('deletes', name, DELETE, deleteCondition, change)
}

function inFooters(name: string, change: StructureChange<ConsolidatedFragmentMetadata>): Damage {
  return inFile('consolidatedMetadata', name, CONSOLIDATED_METADATA, consolidatedFragmentMetadata, change)
}

function comparison(op: 'EQ' | 'NE', field: string, value: Uint8Array): ConditionNode {
  return { node: 'value', op, field, value, offsets: undefined }
}

/** Damage to names, commits and consolidated files. */
export const ARRAY_DAMAGE = {
  ARRAY_NO_SCHEMA: damage('empty', 'a schema folder without schemas', (array) => {
    const schema = array.find(SCHEMA)
    array.add('__schema/__enumerations/x')
    array.remove(schema)
  }),
  ARRAY_UNKNOWN_ENTRY: damage('sparse', 'a file of an unknown kind', (array) => array.add('README.txt', [1])),
  LOCK_NOT_EMPTY: damage('sparse10', 'bytes in the lock file', (array) => array.add('__lock.tdb', [1, 2])),
  FRAGMENT_NAME_INVALID: damage('sparse', 'a fragment with a name that TileDB does not write', (array) =>
    array.move(array.fragmentPath(), `${array.root}/__fragments/mine`),
  ),
  FRAGMENT_WRONG_FOLDER: damage('sparse', 'a fragment in the folder of older formats', (array) =>
    array.move(array.fragmentPath(), `${array.root}/__10_10_${UUID}_22`),
  ),
  FRAGMENT_TIMESTAMPS: damage('sparse', 'the later timestamp first', (array) => rename(array, `__20_10_${UUID}_22`)),
  FRAGMENT_UNCOMMITTED: damage('sparse', 'a fragment without its commit', (array) => array.remove(array.find(COMMIT))),
  ARRAY_READS_EMPTY: damage('sparse', 'no commits', (array) => array.removeAll(/\/__commits\//)),
  FRAGMENT_FUTURE: damage('sparse', 'a fragment dated in microseconds', (array) =>
    rename(array, `${MICROSECONDS}_${UUID}_22`),
  ),
  FRAGMENT_NO_METADATA: damage('sparse', 'a committed fragment without metadata', (array) =>
    array.remove(array.find(METADATA)),
  ),
  COMMIT_UNREADABLE: damage('consolidatedCommits', 'consolidated commits cut in a delete condition', (array) =>
    array.append(array.find(CONSOLIDATED_COMMITS), textBytes(`__commits/__5_5_${UUID}_22.del\nab`)),
  ),
  COMMIT_DANGLING: damage('sparse', 'a commit without its fragment', (array) =>
    array.add(`__commits/__5_5_${UUID}_22.wrt`),
  ),
  COMMIT_NOT_EMPTY: damage('sparse', 'a commit with bytes in it', (array) => array.append(array.find(COMMIT), [0])),
  COMMIT_NAME_INVALID: damage('sparse', 'a commit file of an unknown kind', (array) =>
    array.add('__commits/notes.txt'),
  ),
  COMMIT_WRONG_FOLDER: damage('sparse', 'an old commit mark for a new fragment', (array) => {
    const mark = array.find(COMMIT)
    array.move(mark, `${array.root}/${committed(mark)}.ok`)
  }),
  VACUUM_DANGLING: damage('vacuum', 'a vacuum file that lists a fragment that is gone', (array) =>
    array.removeAll(/\/__10_10_/),
  ),
  VACUUM_MISSING: damage('duplicates', 'a vacuum file that is gone, so that cells are read twice', (array) =>
    array.remove(array.find(/\.vac$/)),
  ),
  VACUUM_UNCOMMITTED: damage('vacuum', 'a vacuum file of a fragment that is not committed', (array) =>
    array.removeAll(COMMIT),
  ),
  VACUUM_HIDES_CELLS: damage('vacuum', 'a vacuum file that hides cells that no other fragment holds', (array) =>
    array.removeAll(/\/__10_30_.*(?:\.wrt$|_22\/)/),
  ),
  IGNORE_DANGLING: damage('ignoredCommits', 'an ignore file that names no consolidated commit', (array) =>
    array.append(array.find(/\.ign$/), textBytes(`__commits/__5_5_${UUID}_22.wrt\n`)),
  ),
  DELETE_FUTURE: damage('deletes', 'a delete condition dated in microseconds', (array) =>
    array.move(array.find(DELETE), `${array.root}/__commits/${MICROSECONDS}_${UUID}_22.del`),
  ),
  DELETE_CONDITION_UNREADABLE: cutShort('deletes', 'a delete condition cut short', DELETE, -3),
  DELETE_CONDITION_FIELD: inCondition('a delete condition about an unknown field', () =>
    comparison('EQ', 'nobody', u32Bytes(1)),
  ),
  DELETE_CONDITION_VALUE: inCondition('a delete condition with a value of 3 bytes for a field of 4', () =>
    comparison('NE', 'a', u32Bytes(1).slice(1)),
  ),
  DELETE_CONDITION_OPERANDS: inCondition('a delete condition that combines one condition', (only) => ({
    node: 'expression',
    op: 'AND',
    children: [only],
  })),
  COMMIT_DUPLICATE: damage('consolidatedCommits', 'a commit that is listed twice', (array) => {
    const file = array.find(CONSOLIDATED_COMMITS)
    const lines = array.get(file)
    array.append(file, lines.subarray(0, lines.indexOf(10) + 1))
  }),
  DELETE_CONDITION_DIFFERS: damage('deletes', 'two copies of a delete condition', (array) => {
    const name = array.find(DELETE).slice(array.root.length + 1)
    const other = array.get(array.find(/__25_25_.*\.del$/))
    array.add(`__commits/__15_15_${UUID}_22.con`, bytes(textBytes(`${name}\n`), u64Bytes(other.length), other))
  }),
  DELETE_CONDITION_FILE: damage('deletes', 'a consolidated delete condition whose own file is gone', (array) => {
    const file = array.find(DELETE)
    const condition = array.get(file)
    const name = file.slice(array.root.length + 1)
    array.add(`__commits/__15_15_${UUID}_22.con`, bytes(textBytes(`${name}\n`), u64Bytes(condition.length), condition))
    array.remove(file)
  }),
  CONSOLIDATED_METADATA_UNREADABLE: cutShort(
    'consolidatedMetadata',
    'consolidated metadata cut short',
    CONSOLIDATED_METADATA,
    100,
  ),
  CONSOLIDATED_METADATA_OFFSET: inFooters('a footer that would begin after the end of its file', ({ entries }) => {
    entries[2].offset = 1e9
  }),
  CONSOLIDATED_METADATA_DIFFERS: inFooters('a footer that is not the fragment’s', ({ footers }) => {
    footers[footers.length - 1] ^= 1
  }),
  CONSOLIDATED_METADATA_DANGLING: damage('consolidatedMetadata', 'a footer of a fragment that is gone', (array) =>
    array.removeAll(/\/__20_20_/),
  ),
} satisfies Damages
