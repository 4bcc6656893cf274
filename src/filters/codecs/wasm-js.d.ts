/** What the build makes of a wasm file: its bytes, deflated, in base64. */
declare module '*.wasm.js' {
  export const DEFLATED: string
}
