import { readFileSync } from 'node:fs'
import { createInstrumenter } from 'istanbul-lib-instrument'

/** The sources whose branches are counted. Generated files are not among them. */
const MEASURED = /[/\\]src[/\\](?:format|filters)[/\\].*\.ts$/

/** A plugin of the bundler that adds a counter to every branch of `src/format` and `src/filters`. */
export function branchCounters() {
  const instrumenter = createInstrumenter({ esModules: true, compact: false, parserPlugins: ['typescript'] })
  return {
    name: 'branch-counters',
    load: (id) =>
      MEASURED.test(id)
        ? { code: instrumenter.instrumentSync(readFileSync(id, 'utf8'), id), moduleType: 'ts' }
        : undefined,
  }
}

/** Every path of every branch: its name, and how often it was taken. The name has the branch's number, as a line may have several. */
export function* branches() {
  for (const { path, b, branchMap } of Object.values(globalThis.__coverage__ ?? {}))
    for (const [id, counts] of Object.entries(b))
      for (const [way, count] of counts.entries()) {
        const { type, loc, locations } = branchMap[id]
        const line = locations[way].start.line ?? loc.start.line
        yield { name: `${path}:${line} ${type} ${id} ${way}`, count }
      }
}
