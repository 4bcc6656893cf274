#!/usr/bin/env node
/**
 * Starts the built program. Most of a short run is compiling, so the compiled code is kept: in a file beside the program
 * that the build makes, for the V8 that made it; under another one by Node itself, from 22.1 on.
 */
const nodeModule = require('node:module')
const { join } = require('node:path')
const { existsSync, readFileSync, writeFileSync } = require('node:fs')

const folder = join(__dirname, '../dist/cli')
const makeCache = process.env.TILEDB_INSPECT_MAKE_CACHE

/** The commands that need the code of `read`, and those that need code of the overview. */
const READS = /^(?:read|decode|commits|history|diff|explain|stats|check|why|verify-checksums)$/
const CHECKS = /^(?:explain|stats|check|why|verify-checksums)$/

if (makeCache) makeCacheOf(JSON.parse(makeCache))
else {
  const loaded = loadFromCache('core')
  if (!loaded) nodeModule.enableCompileCache?.()
  else {
    const word = process.argv[2] ?? ''
    if (READS.test(word)) loadFromCache('read')
    if (process.argv.includes('arrow')) loadFromCache('arrow')
    if (CHECKS.test(word)) loadFromCache('overview')
    // What is no name of a command, and what is there, is a target.
    else if (word === 'overview' || !/^(?:[a-z-]*|--.*)$/.test(word) || existsSync(word)) loadFromCache('overview')
  }
  require('../dist/cli/main.cjs').run()
}

/** Loads a file of the program from its source and its compiled code. @returns whether that is there */
function loadFromCache(name) {
  let compiled
  try {
    compiled = readFileSync(cacheOf(name))
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
  load(name, compiled)
  return true
}

function cacheOf(name) {
  return join(folder, `${name}.cjs.${process.versions.v8}.${process.arch}.cache`)
}

function load(name, cachedData) {
  const file = join(folder, `${name}.cjs`)
  const { Script } = require('node:vm')
  const script = new Script(nodeModule.wrap(readFileSync(file, 'utf8')), { filename: file, cachedData })
  const loaded = new nodeModule.Module(file, null)
  loaded.filename = file
  require.cache[file] = loaded
  const run = script.runInThisContext()
  run.call(loaded.exports, loaded.exports, nodeModule.createRequire(file), loaded, file, folder)
  loaded.loaded = true
  return script
}

/** For the build: runs each of `calls`, so that what they use is compiled, and keeps the compiled code of `file`. */
async function makeCacheOf({ file, calls }) {
  const script = load(file)
  const { run } = require('../dist/cli/main.cjs')
  for (const call of calls) {
    process.argv.splice(2, process.argv.length, ...call)
    await run()
  }
  writeFileSync(cacheOf(file), script.createCachedData())
}
