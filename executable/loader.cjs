/**
 * Loads the scripts of dist/cli, their code caches, and the packages that npm would install, from the assets of the single executable.
 * The main script of the executable and the script of each thread consist of this file and one call.
 */
const { getRawAsset } = require('node:sea')
const { wrap } = require('node:module')
const { Script } = require('node:vm')

const loaded = new Map()

/** Loads a script or a package. @param name the name of an asset */
function load(name) {
  const known = loaded.get(name)
  if (known) return known.exports
  const module = { exports: {} }
  loaded.set(name, module)
  const compiled = asset(`${name}.cache`)
  const source = Buffer.from(asset(name) ?? missing(name)).toString('utf8')
  // No such file exists. The name appears only in messages.
  const filename = `${__dirname}/${name}`
  const script = new Script(wrap(source), {
    filename,
    cachedData: compiled && new Uint8Array(compiled),
  })
  script.runInThisContext().call(module.exports, module.exports, requireFrom, module, filename, __dirname)
  return module.exports
}

function requireFrom(id) {
  if (id.startsWith('./')) return load(id.slice(2))
  if (PACKAGES[id]) return load(PACKAGES[id])[id]()
  return require(id)
}

function asset(name) {
  try {
    return getRawAsset(name)
  } catch (error) {
    if (error.code === 'ERR_SINGLE_EXECUTABLE_APPLICATION_ASSET_NOT_FOUND') return undefined
    throw error
  }
}

function missing(name) {
  const error = new Error(`Cannot find module '${name}'`)
  error.code = 'MODULE_NOT_FOUND'
  throw error
}
