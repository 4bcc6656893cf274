/** What tests import from '@jest/globals': jest's runner for plain Node sets them on the global object. */
export const { expect, test, it, describe, beforeAll, afterAll, beforeEach, afterEach } = globalThis
