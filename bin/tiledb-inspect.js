#!/usr/bin/env node
/**
 * Starts the built program. Most of a short run is compiling, so the compiled code is kept: by Node itself from 22.1 on,
 * before that in a file beside the program that the build makes. V8 refuses what another version of it made; then the
 * program is compiled as usual.
 */
const nodeModule = require('node:module')
const { join } = require('node:path')

const folder = join(__dirname, '../dist/cli')

if (nodeModule.enableCompileCache) nodeModule.enableCompileCache()
else loadWithCache(join(folder, 'core.cjs'))
require('../dist/cli/main.cjs').run()

function loadWithCache(core) {
  const { readFileSync, writeFileSync } = require('node:fs')
  const { Script } = require('node:vm')
  let cachedData
  try {
    cachedData = readFileSync(`${core}.cache`)
  } catch {}
  const making = process.env.TILEDB_INSPECT_MAKE_CACHE
  if (!cachedData && !making) return
  const script = new Script(nodeModule.wrap(readFileSync(core, 'utf8')), { filename: core, cachedData })
  const loaded = new nodeModule.Module(core, null)
  loaded.filename = core
  require.cache[core] = loaded
  const run = script.runInThisContext()
  run.call(loaded.exports, loaded.exports, nodeModule.createRequire(core), loaded, core, folder)
  loaded.loaded = true
  if (making) process.on('exit', () => writeFileSync(`${core}.cache`, script.createCachedData()))
}
