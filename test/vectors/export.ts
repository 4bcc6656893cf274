import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../helpers/run.ts'

/** Test vectors for any reader of the format: docs/vectors.md. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FIXTURES = `${ROOT}test/fixtures`

/** One line of `vectors.json`. Paths are relative to it. */
export interface Vector {
  id: string
  /** The folder of the array. */
  array: string
  format_version: number
  written_by: string
  /** Its key, if it is encrypted: text of 32 bytes. */
  key: string | null
  tags: string[]
  /** What the reader should find: the schema, and a line of JSON for each cell. */
  schema: string
  cells: string
  /** What TileDB 2.30 itself reads, fragment by fragment; null for what this program wrote. */
  tiledb: string | null
}

/** Arrays of what the fixtures lack: the same cells in every format version that `write-sample` writes, and histories. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => i + 3).flatMap((version) =>
      ['sparse', 'dense'].map((kind) => [
        `${kind}_${version}`,
        [`--${kind}`, '--format-version', `${version}`, '--cells', '200'],
      ]),
    ),
  ),
  hilbert: ['--cell-order', 'hilbert', '--cells', '200'],
  duplicates: ['--duplicates', '--cells', '200', '--fragments', '3'],
  deleted: ['--cells', '200', '--delete', 'id > 100'],
  deleted_consolidated: ['--cells', '200', '--delete', 'id > 100', '--consolidate', 'fragments'],
  vacuumed: ['--cells', '200', '--fragments', '4', '--consolidate', 'fragments', '--vacuum', 'fragments'],
}

/** When the first fragment is written: the same bytes each time. */
const TIME = '2024-05-01T10:00:00Z'

const VECTORS_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'vectors',
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      array: { type: 'string', description: 'Folder of the array.' },
      format_version: { type: 'integer', minimum: 1 },
      written_by: { type: 'string', description: 'TileDB and its version, or tiledb-inspect.' },
      key: { type: ['string', 'null'], description: 'AES-256-GCM key, as text of 32 bytes.' },
      tags: { type: 'array', items: { type: 'string' } },
      schema: { type: 'string', description: 'File with the schema: schemas/schema.json.' },
      cells: { type: 'string', description: 'File with a line of JSON for each cell that a reader returns.' },
      tiledb: { type: ['string', 'null'], description: 'File with what TileDB reads of each fragment.' },
    },
    required: ['id', 'array', 'format_version', 'written_by', 'key', 'tags', 'schema', 'cells', 'tiledb'],
    additionalProperties: false,
  },
}

/** Options by which cells are printed: docs/vectors.md says what they mean. */
export const CELLS = ['--raw', '--int64', 'string', '--format', 'ndjson']

/**
 * Writes the vectors into a new folder.
 * @param wanted whether to write a vector, by its id
 */
export async function exportVectors(folder: string, wanted: (id: string) => boolean = () => true): Promise<Vector[]> {
  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length > 0) throw new Error(`expected an empty folder, found files in ${folder}`)
  const vectors: Vector[] = []
  for (const given of tiledbCases()) {
    const id = `tiledb/${given.id}`
    if (!wanted(id)) continue
    cpSync(`${FIXTURES}/${given.id}`, join(folder, id), { recursive: true })
    const tiledb = `${id}.tiledb.json`
    cpSync(`${FIXTURES}/${given.id}.expected.json`, join(folder, tiledb))
    vectors.push(await expected(folder, { ...given, id, tiledb }))
  }
  for (const [name, options] of Object.entries(WRITTEN)) {
    const id = `written/${name}`
    if (!wanted(id)) continue
    mkdirSync(dirname(join(folder, id)), { recursive: true })
    await ran(['write-sample', join(folder, id), ...options, '--timestamp', TIME])
    const version = /^\w+_(\d+)$/.exec(name)?.[1] ?? '22'
    const facts = { format_version: Number(version), written_by: 'tiledb-inspect', key: null, tags: ['written'] }
    vectors.push(await expected(folder, { id, ...facts, tiledb: null }))
  }
  writeFileSync(join(folder, 'vectors.json'), `[\n${vectors.map((vector) => JSON.stringify(vector)).join(',\n')}\n]\n`)
  writeFileSync(join(folder, 'vectors.schema.json'), `${JSON.stringify(VECTORS_SCHEMA, null, 1)}\n`)
  cpSync(`${ROOT}schemas`, join(folder, 'schemas'), { recursive: true })
  cpSync(`${ROOT}test/vectors/run.mjs`, join(folder, 'run.mjs'))
  cpSync(`${ROOT}docs/vectors.md`, join(folder, 'README.md'))
  return vectors
}

type Given = Omit<Vector, 'array' | 'schema' | 'cells'>

/** Arrays that TileDB wrote. Groups are left out. */
function tiledbCases(): Given[] {
  const cases: Given[] = []
  for (const version of readdirSync(FIXTURES).filter((name) => /^\d+$/.test(name))) {
    for (const file of readdirSync(`${FIXTURES}/${version}`)) {
      const name = /^(.*)\.expected\.json$/.exec(file)?.[1]
      if (name === undefined || !existsSync(`${FIXTURES}/${version}/${name}`)) continue
      const facts = JSON.parse(readFileSync(`${FIXTURES}/${version}/${file}`, 'utf8'))
      if (facts.object === 'group') continue
      cases.push({
        id: `${version}/${name}`,
        format_version: Number(version),
        written_by: `TileDB ${facts.tiledb_version}`,
        key: facts.key,
        tags: facts.tags ?? [],
        tiledb: null,
      })
    }
  }
  return cases
}

async function expected(folder: string, given: Given): Promise<Vector> {
  const { id, key } = given
  const vector = { ...given, array: id, schema: `${id}.schema.json`, cells: `${id}.cells.ndjson` }
  const keyOptions = key === null ? [] : ['--key', key]
  // The place of this folder is no fact about the array.
  const schema = JSON.parse(await ran(['schema', join(folder, id), '--json', ...keyOptions]))
  writeFileSync(join(folder, vector.schema), `${JSON.stringify({ ...schema, path: id }, null, 1)}\n`)
  writeFileSync(join(folder, vector.cells), await ran(['read', join(folder, id), ...CELLS, ...keyOptions]))
  return {
    id,
    array: id,
    format_version: given.format_version,
    written_by: given.written_by,
    key,
    tags: given.tags,
    schema: vector.schema,
    cells: vector.cells,
    tiledb: given.tiledb,
  }
}

async function ran(args: readonly string[]): Promise<string> {
  const { code, text, stderr } = await run(args)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
  return text
}
