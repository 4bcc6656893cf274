#!/usr/bin/env node
/**
 * Starts the built program. Most of a short run is compiling, so the compiled code is kept: in a file beside the program
 * that the build makes, for the V8 that made it; under another one by Node itself, from 22.1 on.
 */
const nodeModule = require('node:module')
const { join } = require('node:path')

const folder = join(__dirname, '../dist/cli')
const core = join(folder, 'core.cjs')
const cache = `${core}.${process.versions.v8}.${process.arch}.cache`
const makeCache = process.env.TILEDB_INSPECT_MAKE_CACHE

if (makeCache) makeCacheOf(JSON.parse(makeCache))
else {
  if (!loadFromCache()) nodeModule.enableCompileCache?.()
  require('../dist/cli/main.cjs').run()
}

/** Loads the program's common part from its source and its compiled code. @returns whether that is there */
function loadFromCache() {
  const { readFileSync } = require('node:fs')
  let compiled
  try {
    compiled = readFileSync(cache)
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
  load(compiled)
  return true
}

function load(cachedData) {
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
async function makeCacheOf(calls) {
  const script = load()
  const { run } = require('../dist/cli/main.cjs')
  for (const call of calls) {
    process.argv.splice(2, process.argv.length, ...call)
    await run()
  }
  require('node:fs').writeFileSync(cache, script.createCachedData())
}
