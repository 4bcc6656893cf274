import { createHash } from 'node:crypto'

/** Choices that depend only on the seed and on a name, so that a target has the same calls in every run and shard. */
export class Choices {
  #text
  #count = 0

  constructor(seed, name) {
    this.#text = `${seed} ${name}`
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end) {
    const hash = createHash('sha256').update(`${this.#text} ${this.#count++}`)
    return hash.digest().readUInt32LE() % end
  }

  pick(from) {
    return from[this.below(from.length)]
  }

  /** At most `most` of the elements, in their order. */
  some(from, most) {
    const left = from.map((_, i) => i)
    while (left.length > most) left.splice(this.below(left.length), 1)
    return left.map((i) => from[i])
  }
}
