import type { MendedBy } from '../check/codes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { FOLDERS_SINCE } from '../format/commit-files.ts'
import type { Draft } from './drafts.ts'
import { folderOf, python, type Shell, word } from './shell.ts'

/** A change of the document that `schema --json` prints, as Python, and what it takes for granted. */
interface Edit {
  code: string
  assumed?: string
  /** Whether cells that are there may depend on it. */
  needsNoCells?: boolean
}

/** What mends the schema document; null: writing it anew is enough. */
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

/** Whether a schema can be written anew without knowing more than the file says. */
export function canWriteSchema(
  code: MendedBy<'schema'>,
  schema: ArraySchema | undefined,
  file: string,
  cellsWritten: boolean,
): boolean {
  const edit = EDITS[code]
  if (!schema || schema.version < FOLDERS_SINCE || !file.startsWith('__schema/')) return false
  return schema.enumerations.length + schema.dimension_labels.length === 0 && !(edit?.needsNoCells && cellsWritten)
}

/** Writes a schema file anew from its document, with what is known to be wrong put right. */
export async function writeSchema(
  path: string,
  codes: ReadonlySet<MendedBy<'schema'>>,
  draft: Draft,
  shell: Shell,
  fresh: (path: string) => Promise<string>,
): Promise<void> {
  const name = await fresh(`${shell.root}.schema.json`)
  const document = word(name)
  const made = word(await fresh(`${shell.root}.schema`))
  const [here, old] = [shell.at(path), shell.kept(path)]
  draft.say({ command: `tiledb-inspect schema ${here} --json --quiet -o ${document}` })
  for (const code of codes) {
    const edit = EDITS[code]
    if (!edit) continue
    draft.say({ command: python(`${HEAD}; ${edit.code}; ${TAIL}`, name) })
    if (edit.assumed !== undefined) draft.loses.add(`what was meant: ${edit.assumed} is assumed`)
  }
  draft.say({ command: `tiledb-inspect write-sample ${made} --schema ${document} --cells 0` })
  draft.move({
    step: {
      command: `test -d ${made} && mkdir -p ${word(folderOf(`${shell.aside}/${path}`))} && mv ${here} ${old} && cp ${made}/__schema/__[0-9]* ${here}`,
    },
    back: { command: `test -e ${old} && mv ${old} ${here}` },
  })
  draft.say(shell.check())
}
