import asyncHooks from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { createRequire, SourceMap } from 'node:module'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import run from 'jest-circus/runner'
import { transformSync } from 'rolldown/utils'
import { importModule } from './modules.mjs'

const require = createRequire(import.meta.url)

/*
 * V8 optimizes a function eight times as late. Tests run much code a few times only: to optimize it took up to a quarter of the processor
 * time of a folder of tests. Newer releases have no such option, and a quick compiler that optimizes most functions first.
 */
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=540000')

/**
 * Stands in for AsyncLocalStorage. On Node 20 each instance of it makes every promise slower, and jest-circus creates one for each test
 * file. One variable is enough here: tests run one after another.
 */
class TestContext {
  #store
  getStore() {
    return this.#store
  }
  run(store, callback) {
    const previous = this.#store
    this.#store = store
    return Promise.resolve(callback()).finally(() => {
      this.#store = previous
    })
  }
}

/** Loads jest-circus anew for each test file, because it keeps state of the previous one. */
function loadCircus(path) {
  const { AsyncLocalStorage } = asyncHooks
  // Newer releases of Node have a fast one, and define it as a getter.
  const isReplaceable = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage').writable === true
  delete require.cache[path]
  delete globalThis[Symbol.for('EVENT_HANDLERS')]
  if (isReplaceable) asyncHooks.AsyncLocalStorage = TestContext
  try {
    return require(path)
  } finally {
    if (isReplaceable) asyncHooks.AsyncLocalStorage = AsyncLocalStorage
  }
}

/**
 * Makes errors cheap again: of damaged files, tests make hundreds of thousands. Jest has each note a hundred calls, and writes them down in
 * JavaScript, to map positions of its own modules. Positions of ours are mapped below, and only in what is printed.
 */
function quickErrors() {
  Error.prepareStackTrace = undefined
  Error.stackTraceLimit = 20
}

/** Maps positions in a message back to the TypeScript sources, and removes stack lines of the runner itself. */
function withSourcePositions(text) {
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
 * Runs one test file with jest-circus, over modules that modules.mjs loads once per process. Jest's own module contexts load all sources
 * again for each of 250 test files and make each look-up of a global slow, which took a third of the processor time of all tests. The
 * price: state that a module keeps is seen by later test files.
 */
export default async function runFile(globalConfig, config, environment, _, testPath, send) {
  quickErrors()
  const runtime = {
    requireInternalModule: loadCircus,
    requireModule: require,
    setGlobalsForRuntime: (globals) => Object.assign(globalThis, { [Symbol.for('jest.globals')]: globals }),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => importModule(pathToFileURL(path).href),
    enterTestCode() {},
    leaveTestCode() {},
  }
  const results = await run.default(globalConfig, config, environment, runtime, testPath, send)
  if (results.failureMessage) results.failureMessage = withSourcePositions(results.failureMessage)
  for (const result of results.testResults) result.failureMessages = result.failureMessages.map(withSourcePositions)
  return results
}
