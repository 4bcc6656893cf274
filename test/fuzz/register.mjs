import { register } from 'node:module'

/** Lets Node run the TypeScript sources: types are stripped, nothing is bundled. */
register('./typescript-loader.mjs', import.meta.url)
