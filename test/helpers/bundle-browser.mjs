import { rolldown } from 'rolldown'

/** Bundles the entry that is given into one script for a page, and prints it as JSON. A process of its own: the bundler does not run inside jest. */
const [, , input] = process.argv
const warnings = []
const build = await rolldown({
  input,
  platform: 'browser',
  // The script of a page has no place of its own; what a page's server would give comes from the test's `fetch`.
  transform: { define: { 'import.meta.url': '"https://page.example/script.js"' } },
  onLog: (_, { code, message }) => warnings.push({ code, message }),
})
const { output } = await build.generate({ format: 'iife', name: 'inspect', codeSplitting: false })
await build.close()
const [{ code, imports, dynamicImports, moduleIds }] = output
console.log(JSON.stringify({ code, imported: [...imports, ...dynamicImports], modules: moduleIds, warnings }))
