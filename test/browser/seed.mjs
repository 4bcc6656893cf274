import { tellSeed } from '../helpers/seed.mjs'

// Imported before test/helpers/turn.ts, which reads it.
tellSeed()
