export { unbzip2 } from './bzip2'
export * from './few'
export { unzlib } from './inflate'
export { unzstd } from './zstd'
