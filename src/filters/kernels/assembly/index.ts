export * from './few'
export { unzlib } from './inflate'
export { unzstd } from './zstd'
