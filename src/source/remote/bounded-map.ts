/** A map that forgets what was used longest ago once it holds more than `most`. */
export class BoundedMap<V> {
  private readonly entries = new Map<string, V>()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  get(key: string): V | undefined {
    const value = this.entries.get(key)
    if (value === undefined) return undefined
    this.entries.delete(key)
    this.entries.set(key, value)
    return value
  }

  set(key: string, value: V): void {
    this.entries.delete(key)
    this.entries.set(key, value)
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.most) return
      this.entries.delete(oldest)
    }
  }

  delete(key: string): void {
    this.entries.delete(key)
  }

  /** What is kept for a key, or else what `make` gives; a failure is not kept. */
  static keep<V>(map: BoundedMap<Promise<V>>, key: string, make: () => Promise<V>): Promise<V> {
    const known = map.get(key)
    if (known) return known
    const made = make()
    map.set(key, made)
    made.catch(() => map.delete(key))
    return made
  }
}
