import { types } from 'node:util'

/**
 * Jest runs each test file in a context of its own, while errors of `node:fs` and the like are made outside of it, so
 * that `error instanceof Error` says no to them. Outside jest there is one context only; importing this makes it so here.
 */
const ordinary = Function.prototype[Symbol.hasInstance]

Object.defineProperty(Error, Symbol.hasInstance, {
  configurable: true,
  value(this: unknown, value: unknown): boolean {
    return this === Error && types.isNativeError(value) ? true : ordinary.call(this, value)
  },
})
