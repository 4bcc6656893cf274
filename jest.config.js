import { leftToOtherRuns } from './test/helpers/long.mjs'
import { sameOnAnyNode } from './test/helpers/of-node.mjs'
import { chosenSeed } from './test/helpers/seed.mjs'

// What TileDB reads depends on the time. Tests read fixtures at a time later than all of their timestamps.
process.env.TILEDB_INSPECT_NOW ??= '1900000000000'
// Node reads these certificates at every start, which takes longer than most calls. No test goes where they are needed.
delete process.env.NODE_EXTRA_CA_CERTS

/** Tests run in Node's own context, over ES modules that test/helpers/modules.mjs loads (test/helpers/circus.mjs). */
export default {
  globalSetup: '<rootDir>/test/helpers/setup.mjs',
  globalTeardown: '<rootDir>/test/helpers/fixtures-kept.mjs',
  testEnvironment: '<rootDir>/test/helpers/environment.mjs',
  testRunner: '<rootDir>/test/helpers/circus.mjs',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    ...leftToOtherRuns(chosenSeed()),
    ...(process.env.TESTS_OF_NODE === '1' ? sameOnAnyNode() : []),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build', '<rootDir>/vscode'],
  injectGlobals: false,
  // Long enough for a busy machine: no test may fail because others run beside it.
  testTimeout: 600_000,
  maxWorkers: '100%',
}
