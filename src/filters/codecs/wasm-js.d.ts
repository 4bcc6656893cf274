/** A wasm file as the build packs it: deflated, in base64. */
declare module '*.wasm.js' {
  export const DEFLATED: string
}
