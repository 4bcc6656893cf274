import { transformSync } from 'rolldown/utils'

/** What modules take from the global object once, not at each use: Node intercepts look-ups there in the contexts of jest's tests, which is slow. */
const GLOBALS = [
  ...['Array', 'BigInt', 'Boolean', 'DataView', 'Error', 'Infinity', 'JSON', 'Map', 'Math', 'NaN', 'Number', 'Object'],
  ...['Promise', 'Set', 'String', 'Symbol', 'TextDecoder', 'TextEncoder', 'TypeError', 'RangeError', 'WeakMap'],
  ...['ArrayBuffer', 'Uint8Array', 'Uint16Array', 'Uint32Array', 'Int8Array', 'Int16Array', 'Int32Array'],
  ...['Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'],
]

/** Jest transformer: TypeScript to JavaScript, nothing else changed but where globals come from. */
export default {
  process(source, path) {
    const { code, map, errors } = transformSync(path, source, { sourcemap: true })
    if (errors.length > 0) throw new Error(errors.map((e) => e.message).join('\n'))
    // On the first line, so that the others stay where the map says they are.
    const used = GLOBALS.filter((name) => new RegExp(`\\b${name}\\b`).test(code))
    return { code: `const { ${used.join(', ')} } = globalThis;${code}`, map }
  },
}
