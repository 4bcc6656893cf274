import type { Coding } from './io.ts'

/** Makes a coding of stored numbers as C API names. @param label name of the enumeration, for spans and errors */
export function enumeration<const V extends string>(label: string, numbers: Readonly<Record<V, number>>): Coding<V> {
  const names = new Map<number, V>()
  for (const name of Object.keys(numbers) as V[]) names.set(numbers[name], name)
  return {
    label,
    decode: (stored) => names.get(stored),
    encode: (value) => {
      const stored = numbers[value]
      if (stored === undefined) throw new TypeError(`${value} is not a ${label}`)
      return stored
    },
    accepted: () => [...names].map(([number, name]) => `${number} ${name}`).join(', '),
  }
}

/** {@link enumeration} for the numbers 0, 1, 2… */
export function enumerationOf<const V extends string>(label: string, names: readonly V[]): Coding<V> {
  return enumeration(label, Object.fromEntries(names.map((name, i) => [name, i])) as Record<V, number>)
}

/** A coding that also accepts numbers without meaning: they are named `UNKNOWN_<number>`. */
export function orUnknown<V extends string>(coding: Coding<V>): Coding<V | `UNKNOWN_${number}`> {
  return {
    label: coding.label,
    decode: (stored) => coding.decode(stored) ?? `UNKNOWN_${stored}`,
    encode: (value) =>
      value.startsWith('UNKNOWN_') ? Number(value.slice('UNKNOWN_'.length)) : coding.encode(value as V),
    accepted: coding.accepted,
  }
}
