const GLOBALS = new URL('./jest-globals.mjs', import.meta.url).href

/** Tests take what they call from where the runner puts it (circus.mjs); jest's own module works in its contexts alone. */
export function resolve(specifier, context, next) {
  return specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context)
}
