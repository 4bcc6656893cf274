import { register } from 'node:module'

/** Lets Node run the TypeScript sources: types stripped, nothing bundled. */
register('./typescript-loader.mjs', import.meta.url)
