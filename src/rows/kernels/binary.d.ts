/** The kernels of assembly/ as wasm in base64. The build writes the module. */
export const KERNELS_WASM: string
