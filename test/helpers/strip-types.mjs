import { transformSync } from 'rolldown/utils'

/** Jest transformer: TypeScript to JavaScript, nothing else changed. */
export default {
  process(source, path) {
    const { code, map, errors } = transformSync(path, source, { sourcemap: true })
    if (errors.length > 0) throw new Error(errors.map((e) => e.message).join('\n'))
    return { code, map }
  },
}
