import asyncHooks from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { createRequire, register, SourceMap } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import run from 'jest-circus/runner'
import { transformSync } from 'rolldown/utils'

register('../fuzz/typescript-loader.mjs', import.meta.url)
register('./jest-loader.mjs', import.meta.url)

const require = createRequire(import.meta.url)

/** The test that runs. Node 20 makes each promise slower for an AsyncLocalStorage, which is for tests that run at a time: none here. */
class Storage {
  #kept
  getStore() {
    return this.#kept
  }
  run(kept, callback) {
    const before = this.#kept
    this.#kept = kept
    return Promise.resolve(callback()).finally(() => {
      this.#kept = before
    })
  }
}

/** A circus of its own for a file of tests: what it knows of one would be there for the next. */
function circus(path) {
  const { AsyncLocalStorage } = asyncHooks
  delete require.cache[path]
  delete globalThis[Symbol.for('EVENT_HANDLERS')]
  asyncHooks.AsyncLocalStorage = Storage
  try {
    return require(path)
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage
  }
}

/** A message with positions in the sources, not in what the loader makes of them, and without lines about the circus. */
function inSources(text) {
  return text
    .replace(/\n.*\/test\/helpers\/(circus|jest-globals)\.mjs.*/g, '')
    .replace(/(file:.*?\.ts):(\d+):(\d+)/g, (all, url, line, column) => {
      const path = fileURLToPath(url)
      const { map } = transformSync(path, readFileSync(path, 'utf8'), { sourcemap: true })
      const { originalLine, originalColumn } = new SourceMap(map).findEntry(line - 1, column - 1)
      return originalLine === undefined ? all : `${path}:${originalLine + 1}:${originalColumn + 1}`
    })
}

/**
 * Jest's runner of a file of tests, over modules that Node loads: each module once a process. The contexts that jest makes load all
 * sources again for each of 250 files, and each look-up of a global is slow there; that was a third of the time of all tests. The
 * price: what a module keeps, later files of tests find.
 */
export default async function runFile(globalConfig, config, environment, _, testPath, send) {
  const runtime = {
    requireInternalModule: circus,
    requireModule: require,
    setGlobalsForRuntime: (globals) => Object.assign(globalThis, { [Symbol.for('jest.globals')]: globals }),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => import(pathToFileURL(path)),
    enterTestCode() {},
    leaveTestCode() {},
  }
  const results = await run.default(globalConfig, config, environment, runtime, testPath, send)
  if (results.failureMessage) results.failureMessage = inSources(results.failureMessage)
  for (const result of results.testResults) result.failureMessages = result.failureMessages.map(inSources)
  return results
}
