#!/usr/bin/env node
/**
 * Starts the built program. Most of a short run is compiling, so the compiled code is kept: by Node itself from 22.1 on,
 * before that in a file beside the program that the build makes. V8 refuses what another version of it made; then the
 * program is compiled as usual.
 */
const nodeModule = require('node:module')
const { join } = require('node:path')

const folder = join(__dirname, '../dist/cli')
const makeCache = process.env.TILEDB_INSPECT_MAKE_CACHE

if (makeCache) makeCacheOf(join(folder, 'core.cjs'), JSON.parse(makeCache))
else {
  if (nodeModule.enableCompileCache) nodeModule.enableCompileCache()
  else loadWithCache(join(folder, 'core.cjs'))
  require('../dist/cli/main.cjs').run()
}

/** Loads the program's common part from its source and, where it is there and fits, its compiled code. */
function loadWithCache(core) {
  const { readFileSync } = require('node:fs')
  try {
    load(core, readFileSync(`${core}.cache`))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function load(core, cachedData) {
  const { readFileSync } = require('node:fs')
  const { Script } = require('node:vm')
  const script = new Script(nodeModule.wrap(readFileSync(core, 'utf8')), { filename: core, cachedData })
  const loaded = new nodeModule.Module(core, null)
  loaded.filename = core
  require.cache[core] = loaded
  const run = script.runInThisContext()
  run.call(loaded.exports, loaded.exports, nodeModule.createRequire(core), loaded, core, folder)
  loaded.loaded = true
  return script
}

/** For the build: runs each of `calls`, so that what they use is compiled, and keeps the compiled code. */
async function makeCacheOf(core, calls) {
  const script = load(core)
  const { run } = require('../dist/cli/main.cjs')
  for (const call of calls) {
    process.argv.splice(2, process.argv.length, ...call)
    await run()
  }
  require('node:fs').writeFileSync(`${core}.cache`, script.createCachedData())
}
