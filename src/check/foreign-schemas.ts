import { unlessFault } from '../base/errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { type InspectArray, type SchemaFile, schemasByName } from '../objects/array.ts'
import { changedTiles } from '../objects/changed-fields.ts'
import { fileSizes } from '../objects/file-sizes.ts'

/** A schema that is no evolution of the others: it was that of another array, or was changed. */
export interface ForeignSchema {
  file: SchemaFile
  /** What differs from the other schemas. */
  changed: NonNullable<ReturnType<typeof changedTiles>>
  /** Whether a fragment names it. */
  isNamed: boolean
  /** Whether such a fragment has other files than it says: the file was replaced after the fragment was written. */
  isReplaced: boolean
}

/** Schemas of which each may follow from another. */
interface Kind {
  schema: ArraySchema
  files: SchemaFile[]
  fitting: number
}

/** By name. */
type Foreign = ReadonlyMap<string, ForeignSchema>

const known = new WeakMap<InspectArray, Promise<Foreign>>()

/**
 * The schemas of an array that cannot follow from the others, as TileDB never changes where cells are. Those that fit the files of more
 * fragments are its own; among equals those that are more, then those that are older.
 */
export function foreignSchemas(array: InspectArray): Promise<Foreign> {
  const found = known.get(array) ?? findForeign(array)
  known.set(array, found)
  return found
}

async function findForeign(array: InspectArray): Promise<Foreign> {
  const kinds: Kind[] = []
  for (const file of schemasByName(await array.schemaFiles())) {
    const schema = await array.schema(file.name).catch(unlessFault)
    // Another finding tells of a schema without dimensions.
    if (!schema?.domain.dimensions.length) continue
    const same = kinds.find((one) => !changedTiles(one.schema, schema) && !changedTiles(schema, one.schema))
    if (same) same.files.push(file)
    else kinds.push({ schema, files: [file], fitting: 0 })
  }
  if (kinds.length < 2) return new Map()
  const users = await usersOf(array)
  for (const kind of kinds) kind.fitting = kind.files.filter(({ name }) => users.get(name)).length
  const [own, ...others] = kinds.toSorted((a, b) => b.fitting - a.fitting || b.files.length - a.files.length)
  return new Map(
    others.flatMap(({ schema, files }) => {
      const changed = changedTiles(own.schema, schema) ?? changedTiles(schema, own.schema)
      return files.flatMap((file): [string, ForeignSchema][] => {
        const fits = users.get(file.name)
        return changed ? [[file.name, { file, changed, isNamed: fits !== undefined, isReplaced: fits === false }]] : []
      })
    }),
  )
}

/** The names of schemas that fragments name: whether the files of the first such fragment are as its footer says by this schema. */
async function usersOf(array: InspectArray): Promise<Map<string, boolean>> {
  const users = new Map<string, boolean>()
  for (const { path, committed } of await array.fragments()) {
    if (!committed) continue
    await array.withFragment(path, async (fragment) => {
      const name = (await fragment.head().catch(unlessFault))?.array_schema_name
      if (name === undefined || users.has(name)) return
      const files = (await fragment.fieldFiles().catch(unlessFault)) ?? []
      const sizes = await fileSizes(fragment.folder)
      const areThere = files.every(({ name: file, size }) => (sizes.get(file) ?? 0) === size)
      // No file may be left but the metadata.
      users.set(name, areThere && sizes.size <= files.length + 1)
    })
  }
  return users
}
