import type { Output } from '../../src/base/result.ts'

/** An output that keeps what is written, piece by piece. */
export interface Sink extends Output {
  pieces: string[]
  text(): string
}

export function sink(columns?: number, color = false): Sink {
  const pieces: string[] = []
  return {
    columns,
    color,
    pieces,
    write: (piece) => {
      pieces.push(typeof piece === 'string' ? piece : Buffer.from(piece).toString())
    },
    text: () => pieces.join(''),
  }
}

export async function* later<T>(values: Iterable<T>): AsyncGenerator<T> {
  for (const value of values) {
    await Promise.resolve()
    yield value
  }
}
