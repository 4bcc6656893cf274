import { unlessFault } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import { loss, noLoss } from '../check/codes/row.ts'
import { isMendedBy, type MendedBy } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { FOLDERS_SINCE } from '../format/commit-files.ts'
import { type Enumeration, enumerationValueNum } from '../format/enumeration.ts'
import { enumerationPath, SCHEMA_FOLDER, schemasByName } from '../objects/array.ts'
import type { Fragment } from '../objects/fragment.ts'
import type { ArrayDrafts } from './array-drafts.ts'
import type { Draft } from './drafts.ts'
import { folderAround, type PlanStep, python, type Shell, word } from './shell.ts'

/** A change of the document that `schema --json` prints. */
interface Edit {
  /** Python code. */
  code: string
  /** What the change assumes, in words. */
  assumed?: string
  /** Whether existing cells may depend on the changed value. */
  needsNoCells?: boolean
}

/** The change for each code; null if it is enough to write the schema again. */
const EDITS: Readonly<Record<MendedBy<'schema'>, Edit | null>> = {
  GENERIC_TILE_HEADER: null,
  SCHEMA_FILTER_COMPRESSOR: { code: '[f.pop("compressor", 0) for p in pipes for f in p["filters"]]' },
  SCHEMA_FILTER_OPTIONS: {
    code: '[p.update(filters=[{k: f[k] for k in ("name", "level") if k in f} for f in p["filters"]]) for p in pipes]',
    assumed: 'the usual options of all filters, but their levels',
    needsNoCells: true,
  },
  SCHEMA_FILTER_UNKNOWN: {
    code: '[p.update(filters=[f for f in p["filters"] if not f["name"].startswith("UNKNOWN")]) for p in pipes]',
    assumed: 'that no filter was meant in the place of the unknown one',
    needsNoCells: true,
  },
  SCHEMA_CAPACITY: { code: 'd["capacity"] = 10000', assumed: 'the usual capacity of 10,000', needsNoCells: true },
  SCHEMA_CURRENT_DOMAIN: { code: 'd["current_domain"] = None', assumed: 'that the current domain is the whole domain' },
  SCHEMA_DOMAIN: {
    code: '[x["domain"].sort() for x in d["dimensions"] if x["domain"]]',
    assumed: 'that the ends of the domain changed places',
  },
  SCHEMA_TILE_EXTENT: {
    code: '[x.update(tile_extent=w) for x in d["dimensions"] for w in [x["domain"][1] - x["domain"][0] + 1] if not 0 < (x["tile_extent"] or 0) <= w]',
    assumed: 'one tile for the whole domain of the dimension',
    needsNoCells: true,
  },
  SCHEMA_LAYOUT: {
    code: 'd.update({k: d[k] if d[k] in ("row-major", "col-major") else "row-major" for k in ("cell_order", "tile_order")})',
    assumed: 'row-major order',
  },
}

const HEAD =
  'import json, sys; d = json.load(open(sys.argv[1])); pipes = [x["filters"] for x in d["dimensions"] + d["attributes"]] + [d[k] for k in ("coords_filters", "offsets_filters", "validity_filters") if d.get(k)]'
const TAIL = 'json.dump(d, open(sys.argv[1], "w"))'

/** Plans for schema files, and for what only a copy of the array mends. */
export class SchemaPlanner {
  private readonly drafts: ArrayDrafts
  /** Schemas that are written anew, by path. */
  private readonly anew = new Map<string, { draft: Draft; edits: Set<Edit | null> }>()

  /** The plan for a schema of another array because of which fields seem changed. */
  private ofForeign: Draft | undefined

  constructor(drafts: ArrayDrafts) {
    this.drafts = drafts
  }

  /** Plans the mending of a file in the folder of schemas that is no schema, or an unreadable one. */
  async schemaFile(path: string, finding: Finding): Promise<void> {
    const { code, severity } = finding
    const { drafts } = this
    const name = lastPathPart(path)
    if (code === 'SCHEMA_FOREIGN') return this.foreign(path, finding)
    const isUnreadable = code === 'SCHEMA_UNREADABLE'
    // A file that TileDB cannot take for a schema is needed by no fragment.
    const mayBeNamed = isUnreadable || severity !== 'error'
    const users = (await this.schemaNames()).filter((used) => (used === undefined ? mayBeNamed : used === name)).length
    const needing = `${users} of ${drafts.entries.length} fragments`
    if (isUnreadable && (users > 0 || !(await this.isAnyReadable(path)))) {
      this.fromCopy(path, finding).addLost(loss(`the schema of ${needing}`))
    } else if (users > 0) {
      const draft = drafts.draft(`leave ${path}`, finding)
      draft.outcome = 'leave'
      draft.addLost(noLoss(`nothing: ${needing} need it as their schema, or may need it`))
    } else {
      const lost = isUnreadable
        ? loss('a schema that no fragment needs: a change of the schema, or an old one')
        : noLoss('nothing: no fragment needs it')
      drafts.takeAway(path, finding).addLost(lost)
    }
  }

  /** Plans for a schema of another array: what was there only a copy has, but without a fragment that names it, TileDB reads without it. */
  private async foreign(path: string, finding: Finding): Promise<void> {
    const { drafts } = this
    const { shell } = drafts
    const name = lastPathPart(path)
    const users = (await this.schemaNames()).filter((used) => used === undefined || used === name).length
    if (users > 0) {
      const draft = this.fromCopy(path, finding)
      this.ofForeign ??= draft
      draft.addLost(loss(`the schema of ${users} of ${drafts.entries.length} fragments; their cells are still there`))
      draft.instead.push(schemaFromCode(shell, path))
      draft.end(shell.check())
      return
    }
    const draft = drafts.takeAway(path, finding)
    if (finding.severity === 'error') this.ofForeign = draft
    draft.addLost(
      loss(
        'if it was put over a schema of this array: what that changed, such as added or dropped attributes. No cells',
      ),
    )
    draft.instead.push({ text: `put ${shell.at(path)} back from a copy of the array, if one has it` })
    draft.end(shell.check())
  }

  /** Adds a finding that follows from a schema of another array to the plan against that. @returns whether it does */
  covers(finding: Finding): boolean {
    if (!this.ofForeign || finding.code !== 'FIELD_CHANGED') return false
    this.ofForeign.add(finding)
    return true
  }

  /** Plans to write a schema anew, if its file says enough. */
  async schema(path: string, finding: Finding): Promise<void> {
    const { code, severity } = finding
    const { drafts } = this
    // Readers cope with such a fault in the metadata of a fragment.
    const isOutside = drafts.entryOf(finding) || (code === 'GENERIC_TILE_HEADER' && !path.startsWith(SCHEMA_FOLDER))
    if (!isMendedBy(code, 'schema') || isOutside) return drafts.leave(finding)
    const schema = await drafts.array.schema(lastPathPart(path)).catch(unlessFault)
    // A stored length is not written again.
    const edit = code === 'SCHEMA_FILTER_OPTIONS' && finding.variant === 'length' ? null : EDITS[code]
    if (canWriteSchema(edit, schema, path, drafts.entries.length > 0)) {
      const draft = drafts.draft(`schema ${path}`, finding)
      const found = this.anew.get(path) ?? { draft, edits: new Set() }
      found.edits.add(edit)
      this.anew.set(path, found)
    } else if (severity === 'error') this.fromCopy(path, finding)
    else drafts.leave(finding)
  }

  /** Plans the mending of an array without a schema. */
  async noSchema(path: string, finding: Finding): Promise<void> {
    const draft = this.fromCopy(path, finding)
    for (const name of new Set(await this.schemaNames())) {
      if (name) draft.instead.push(schemaFromCode(this.drafts.shell, `${SCHEMA_FOLDER}/${name}`))
    }
  }

  /**
   * Plans for a missing enumeration whose values another schema has. TileDB looks only at the name of a schema's file: where the schemas
   * are else alike, a copy of the newer one in the place of the older one has the values.
   */
  async extended(path: string, finding: Finding): Promise<void> {
    const { array, shell } = this.drafts
    const newest = await array.newestSchema().catch(unlessFault)
    const older = await array.schema(lastPathPart(path)).catch(unlessFault)
    if (!newest || !older || !areAlike(older, newest.schema, finding.missing)) {
      this.fromCopy(path, finding)
      return
    }
    const draft = this.drafts.draft(`extended ${path}`, finding)
    const { step, back } = shell.moveAside(path)
    draft.move({ step: { command: `${step.command} && cp ${shell.at(newest.file.path)} ${shell.at(path)}` }, back })
    draft.end(shell.check())
    draft.never.add('delete the older schema: fragments may name it')
  }

  /** Plans to exchange the files of two enumerations back. */
  exchanged(path: string, finding: Finding): void {
    const draft = this.drafts.draft(`exchange ${path}`, finding)
    draft.move(this.drafts.shell.exchange(path, finding.exchanged ?? ''))
    draft.end(this.drafts.shell.check())
  }

  /** Says which values of a missing enumeration another schema still has: TileDB only adds values, so it began with them. */
  async missing(path: string, finding: Finding): Promise<void> {
    const draft = this.fromCopy(path, finding)
    const { array } = this.drafts
    const missing = finding.missing ?? ''
    const schema = await array.schema(lastPathPart(path)).catch(unlessFault)
    const name = schema?.enumerations.find(({ path_name }) => enumerationPath(path_name) === missing)?.name
    let most: Enumeration | undefined
    for (const file of schemasByName(await array.schemaFiles())) {
      if (file.path === path) break
      const same = (await array.schema(file.name).catch(unlessFault))?.enumerations.find((one) => one.name === name)
      if (!same) most = undefined
      else if (enumerationPath(same.path_name) !== missing)
        most = (await array.enumeration(same).catch(unlessFault)) ?? most
    }
    const num = most ? enumerationValueNum(most) : 0
    if (most && num > 0)
      draft.notLost.add(
        `the first ${num === 1 ? 'value, by the same index' : `${num} values, by the same indexes`}, unless it was dropped and added anew: ${enumerationPath(most.path_name)} has them`,
      )
  }

  /** Plans what only a copy of the array mends. */
  fromCopy(path: string, finding: Finding): Draft {
    const draft = this.drafts.draft(`copy ${path} ${finding.code}`, finding)
    draft.outcome = 'copy'
    const lost = finding.missing ?? path
    const what = lost === '' ? 'the missing folder or file' : this.drafts.shell.at(lost)
    draft.say({ text: `put ${what} back from a copy of the array` })
    draft.never.add('delete anything in the array: everything that is left will be needed')
    return draft
  }

  async finish(): Promise<void> {
    const { shell, fresh } = this.drafts
    for (const [path, { draft, edits }] of this.anew) await writeSchema(path, edits, draft, shell, fresh)
  }

  /** The schema that each fragment names: undefined if its footer cannot be read, empty if it names none. */
  private async schemaNames(): Promise<(string | undefined)[]> {
    const nameIn = async (fragment: Fragment) => (await fragment.head()).array_schema_name ?? ''
    const names: (string | undefined)[] = []
    for (const entry of this.drafts.entries) names.push(await this.drafts.tryRead(entry, nameIn))
    return names
  }

  /** Whether a schema file other than this one can be read. */
  private async isAnyReadable(path: string): Promise<boolean> {
    const { array } = this.drafts
    for (const file of await array.schemaFiles())
      if (file.path !== path && (await array.schema(file.name).catch(unlessFault))) return true
    return false
  }
}

/** What to do without a copy of a schema: TileDB looks only at the name of its file. @param path of the schema in the array */
export function schemaFromCode(shell: Shell, path: string): PlanStep {
  return {
    text: `if the code that made the array is still there: make an empty array with it elsewhere, and copy the file in its ${SCHEMA_FOLDER} to ${shell.at(path)}; then check --level cells`,
  }
}

/** Whether two schemas differ only in where one enumeration is. @param missing path of its file, as the older schema has it */
function areAlike(older: ArraySchema, newer: ArraySchema, missing: string | undefined): boolean {
  const lost = older.enumerations.find((one) => enumerationPath(one.path_name) === missing)?.name
  const textOf = (schema: ArraySchema): string => {
    const enumerations = schema.enumerations
      .map(({ name, path_name }) => (name === lost ? name : `${name} ${path_name}`))
      .sort()
    // When TileDB changes a schema, it gives dimensions without filters those of all coordinates.
    const dimensions = schema.domain.dimensions.map((one) =>
      one.filters.filters.length === 0 ? { ...one, filters: schema.coords_filters } : one,
    )
    const compared = { ...schema, enumerations, domain: { ...schema.domain, dimensions } }
    return JSON.stringify(compared, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  }
  return textOf(older) === textOf(newer)
}

/** Whether a schema can be written again with no more knowledge than its file holds. */
function canWriteSchema(
  edit: Edit | null,
  schema: ArraySchema | undefined,
  file: string,
  cellsWritten: boolean,
): boolean {
  if (!schema || schema.version < FOLDERS_SINCE || !file.startsWith('__schema/')) return false
  return schema.enumerations.length + schema.dimension_labels.length === 0 && !(edit?.needsNoCells && cellsWritten)
}

/** Plans to write a schema file again from its document, with the wrong values corrected. */
async function writeSchema(
  path: string,
  edits: ReadonlySet<Edit | null>,
  draft: Draft,
  shell: Shell,
  fresh: (path: string) => Promise<string>,
): Promise<void> {
  const name = await fresh(`${shell.root}.schema.json`)
  const document = word(name)
  const made = word(await fresh(`${shell.root}.schema`))
  const [here, old] = [shell.at(path), shell.kept(path)]
  draft.say({ command: `${shell.call('schema')} ${here} --json --quiet -o ${document}` })
  for (const edit of edits) {
    if (!edit) continue
    draft.say({ command: python(`${HEAD}; ${edit.code}; ${TAIL}`, name) })
    if (edit.assumed !== undefined) draft.loses.add(`what was meant: ${edit.assumed} is assumed`)
  }
  draft.say({ command: `${shell.call('write-sample')} ${made} --schema ${document} --cells 0` })
  draft.move({
    step: {
      command: `test -d ${made} && mkdir -p ${word(folderAround(`${shell.aside}/${path}`))} && mv ${here} ${old} && cp ${made}/__schema/__[0-9]* ${here}`,
    },
    back: { command: `test -e ${old} && mv ${old} ${here}` },
  })
  draft.end(shell.check())
}
