import { expect } from '@jest/globals'
import type { Output } from '../../src/base/result.ts'
import { sink } from '../render/sink.ts'
import { run } from './run.ts'

export const WEATHER = 'examples/arrays/weather'
export const PLACES = 'examples/arrays/places'
export const WEATHER_FRAGMENT = `${WEATHER}/__fragments/__1714557600000_1714557600000_699916f9fb52ec88ec37672bc3faf07e_22`
export const PLACES_FRAGMENT = `${PLACES}/__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22`

export async function shown(args: readonly string[], columns?: number): Promise<string> {
  const { text, stderr, code } = await run(args, columns === undefined ? {} : { columns, env: { NO_COLOR: '1' } })
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  return text
}

export async function drawn(view: (out: Output) => Promise<void>, columns?: number, full = false): Promise<string> {
  const out = { ...sink(columns), full }
  await view(out)
  return out.text()
}

/** A document, or what a view needs of one. */
export function document<T>(rest: object): T {
  return { kind: 'test', path: 'array', schema_version: 1, ...rest } as T
}

export async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}
