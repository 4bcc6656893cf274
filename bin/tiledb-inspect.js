#!/usr/bin/env node
/**
 * Starts the built program. Most of a short run is compiling, so the compiled code is kept: in a file beside the program
 * that the build makes, for the V8 that made it; under another one by Node itself, from 22.1 on.
 */
const nodeModule = require('node:module')
const { join } = require('node:path')
const { Script } = require('node:vm')
const { existsSync, readFileSync, writeFileSync } = require('node:fs')

const folder = join(__dirname, '../dist/cli')
const makeCache = process.env.TILEDB_INSPECT_MAKE_CACHE

/** The files that have compiled code. tools/build.mjs says what is in them. */
const COMPILED = new Set(
  ['core', 'cells', 'read', 'arrow', 'overview', 'check', 'stats', 'genomicsdb'].map((name) => `${name}.cjs`),
)

if (makeCache) makeCacheOf(JSON.parse(makeCache))
else if (existsSync(cacheOf('core.cjs'))) load('main.cjs').run()
else {
  nodeModule.enableCompileCache?.()
  require('../dist/cli/main.cjs').run()
}

function cacheOf(name) {
  return join(folder, `${name}.${process.versions.v8}.${process.arch}.cache`)
}

/** Loads a file of the program, from its compiled code if it has some. @returns what it exports */
function load(name) {
  const file = join(folder, name)
  return (require.cache[file] ?? loadedFrom(file, compiledCode(name))).exports
}

function compiledCode(name) {
  if (!COMPILED.has(name)) return undefined
  try {
    return readFileSync(cacheOf(name))
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Runs a file as a module: in the way of Node's `require`, which takes no compiled code. */
function loadedFrom(file, cachedData) {
  const loaded = new nodeModule.Module(file, null)
  loaded.filename = file
  require.cache[file] = loaded
  // The build writes these files in ASCII.
  loaded.script = new Script(nodeModule.wrap(readFileSync(file, 'latin1')), { filename: file, cachedData })
  const ofNode = nodeModule.createRequire(file)
  const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : ofNode(id))
  loaded.script.runInThisContext().call(loaded.exports, loaded.exports, requireFrom, loaded, file, folder)
  loaded.loaded = true
  return loaded
}

/** For the build: runs each of `calls`, so that what they use is compiled, and keeps the compiled code of `file`. */
async function makeCacheOf({ file, calls }) {
  // V8 takes compiled code only with the flags with which it was made. The program sets some for larger work.
  require('node:v8').setFlagsFromString = () => {}
  const { script } = loadedFrom(join(folder, file))
  const { run } = load('main.cjs')
  for (const call of calls) {
    process.argv.splice(2, process.argv.length, ...call)
    await run()
  }
  writeFileSync(cacheOf(file), script.createCachedData())
}
