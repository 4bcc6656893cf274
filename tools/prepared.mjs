import './installed.mjs'

/** Runs before scripts that run the sources, which need not be built for that. Makes the sources that are generated, if they are old. */
const { generateOld } = await import('./generated.mjs')
await generateOld()
