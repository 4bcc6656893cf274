import { InspectError, unlessCode } from '../base/errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { type InspectArray, schemaFileOpened } from './array.ts'
import type { Fragment } from './fragment.ts'

/** The enumeration of one attribute, or why there is none. */
interface AttributeLabels {
  enumeration?: Enumeration
  /** Whether it is from the array's current schema, so that TileDB gives it to readers. */
  isCurrent?: boolean
  /** A note for the user: which schema the enumeration is from, or why there is none. */
  remark?: string
  /** Why an existing enumeration cannot be read. */
  fault?: InspectError
}

/**
 * The enumerations that TileDB now uses for the cells of a fragment, by attribute name. Attributes that never had one are left
 * out. They are from the array's schema, not from the fragment's, because a writer may extend an enumeration later.
 */
export async function fragmentLabels(fragment: Fragment): Promise<Map<string, AttributeLabels>> {
  const found = new Map<string, AttributeLabels>()
  const { array } = fragment
  if (!array) return found
  const { schema } = await fragment.info()
  for (const { name } of schema.attributes) {
    const labels = await attributeLabels(array, name, schema)
    if (labels.enumeration || labels.remark !== undefined || labels.fault) found.set(name, labels)
  }
  return found
}

/**
 * Labels of one attribute. A dropped attribute keeps its last labels.
 * @param written the schema with which its cells were written
 */
export async function attributeLabels(
  array: InspectArray,
  attribute: string,
  written: ArraySchema,
): Promise<AttributeLabels> {
  const writtenEnumeration = written.attributes.find(({ name }) => name === attribute)?.enumeration ?? ''
  try {
    const files = await array.schemaFiles().catch(unlessCode('NO_LISTING'))
    if (!files) {
      if (writtenEnumeration === '') return {}
      const remark = 'the server lists no names, so these are the labels of the time when the cells were written'
      return { ...(await enumerationNamed(array, written, writtenEnumeration)), remark }
    }
    const opened = schemaFileOpened(files, array.cx.now)
    for (const file of files.slice(0, opened ? files.indexOf(opened) + 1 : 0).reverse()) {
      const schema = await array.schema(file.name)
      const found = schema.attributes.find(({ name }) => name === attribute)
      if (!found) continue
      if (found.enumeration === '') {
        return writtenEnumeration === ''
          ? {}
          : { remark: `the attribute has no enumeration in the array any more (${writtenEnumeration})` }
      }
      const labels = await enumerationNamed(array, schema, found.enumeration)
      if (file === opened) return { ...labels, isCurrent: true }
      return { remark: 'the array has no such attribute any more; its last labels are shown', ...labels }
    }
    if (writtenEnumeration === '') return {}
    const remark =
      "the current schema of the array has no such attribute; the labels are those of the fragment's own schema"
    return { remark, ...(await enumerationNamed(array, written, writtenEnumeration)) }
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return { fault: error }
  }
}

/** The enumeration of a schema with this name. */
async function enumerationNamed(array: InspectArray, schema: ArraySchema, name: string): Promise<AttributeLabels> {
  const entry = schema.enumerations.find((one) => one.name === name)
  if (!entry) return { remark: `the schema lists no enumeration ${JSON.stringify(name)}` }
  return { enumeration: await array.enumeration(entry) }
}
