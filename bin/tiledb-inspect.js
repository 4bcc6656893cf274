#!/usr/bin/env node
/**
 * Starts the built program. Most of a short run is compiling, so the compiled code is kept: by Node itself from 22.1 on,
 * before that in a file beside the program that the build makes. V8 refuses what another version of it made; then the
 * program is compiled as usual.
 */
const module_ = require('node:module')
const { join } = require('node:path')

const folder = join(__dirname, '../dist/cli')

if (module_.enableCompileCache) {
  module_.enableCompileCache()
  require('../dist/cli/main.cjs').run()
} else startWithCache(join(folder, 'core.cjs'))

function startWithCache(core) {
  const { readFileSync, writeFileSync } = require('node:fs')
  const { Script } = require('node:vm')
  let cachedData
  try {
    cachedData = readFileSync(`${core}.cache`)
  } catch {}
  const script = new Script(module_.wrap(readFileSync(core, 'utf8')), { filename: core, cachedData })
  const loaded = new module_.Module(core, null)
  loaded.filename = core
  require.cache[core] = loaded
  script.runInThisContext().call(loaded.exports, loaded.exports, module_.createRequire(core), loaded, core, folder)
  loaded.loaded = true
  const done = require('../dist/cli/main.cjs').run()
  if (process.env.TILEDB_INSPECT_MAKE_CACHE) done.then(() => writeFileSync(`${core}.cache`, script.createCachedData()))
}
