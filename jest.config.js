import { sameOnAnyNode } from './test/helpers/of-node.mjs'

// What TileDB reads depends on the time. Fixtures are read at one that is behind those of all of them, whatever the clock says.
process.env.TILEDB_INSPECT_NOW ??= '1900000000000'

/**
 * Tests run in plain Node, a process for each core: what they import is loaded once a process, not once a file, and nothing stands
 * between them and Node. TypeScript is stripped by the same engine that builds the package.
 */
export default {
  globalSetup: '<rootDir>/test/helpers/seed.mjs',
  globalTeardown: '<rootDir>/test/helpers/fixtures-kept.mjs',
  runner: 'jest-light-runner/child-process',
  setupFiles: ['<rootDir>/test/helpers/setup.mjs'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...(process.env.TESTS_OF_NODE === '1' ? sameOnAnyNode() : [])],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build'],
  maxWorkers: '100%',
}
