import { register } from 'node:module'

/** Lets Node run the TypeScript sources as jest does: types stripped, nothing bundled. */
register('./typescript-loader.mjs', import.meta.url)
