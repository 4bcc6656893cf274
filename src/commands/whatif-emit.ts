import type { EMITTED } from '../calls/choices.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import type { Outcome } from '../calls/outcome.ts'
import { schemaResult } from '../calls/schema-result.ts'
import type { SchemaDocument } from '../documents/schema.ts'
import type { SchemaPythonDocument } from '../documents/schema-python.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { schemaPython } from '../render/views/schema-python.ts'
import { checkSchema } from '../write/schema-check.ts'

export type Emitted = (typeof EMITTED)[number]

/**
 * The outcome of `--emit`: a schema as the document that `write-sample --schema` reads, or as TileDB-Py code.
 * @param changed whether the schema differs from the stored one; it is then checked against TileDB's rules
 * @throws InspectError USAGE for a schema that TileDB refuses
 */
export function emittedOutcome(
  cx: CommandContext,
  path: string,
  emit: Emitted,
  { schema, enumerations, changed }: { schema: ArraySchema; enumerations: Enumeration[]; changed: boolean },
): Outcome {
  if (changed) checkSchema({ schema, enumerations }, true)
  const shown = cx.shownPath(path)
  if (emit === 'python') {
    const python = schemaPython(schema, enumerations, `${shown.replace(/\/+$/, '')}.new`)
    const document: SchemaPythonDocument = { ...documentHead('schema-python', shown), python }
    return { kind: 'document', document, table: (out) => out.write(python) }
  }
  const document: SchemaDocument = {
    ...documentHead('schema', shown),
    name: '',
    encryption: cx.reading.key === undefined ? 'NO_ENCRYPTION' : 'AES_256_GCM',
    ...schemaResult(schema, enumerations, cx.style),
  }
  return {
    kind: 'document',
    document,
    async table(out) {
      const { writeJson } = await import('../rows/json.ts')
      await writeJson(document, out, { int64: 'number', indent: true })
    },
  }
}
