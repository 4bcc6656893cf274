import { run } from '../src/main.ts'

/** Runs the program from its sources. */
await run()
