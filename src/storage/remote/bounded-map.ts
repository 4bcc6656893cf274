/** A map that drops the least recently used entries when it has more than `most`, or they weigh more than `mostWeight`. */
export class BoundedMap<V> {
  private readonly entries = new Map<string, { value: V; weight: number }>()
  private readonly most: number
  private readonly mostWeight: number
  private weight = 0

  constructor(most: number, mostWeight = Number.POSITIVE_INFINITY) {
    this.most = most
    this.mostWeight = mostWeight
  }

  get(key: string): V | undefined {
    const entry = this.entries.get(key)
    if (!entry) return undefined
    this.entries.delete(key)
    this.entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: V): void {
    this.delete(key)
    this.entries.set(key, { value, weight: 0 })
    this.trim()
  }

  /** Sets the weight of a value once it is known. Until then the weight is 0. */
  weigh(key: string, weight: number): void {
    const entry = this.entries.get(key)
    if (!entry) return
    this.weight += weight - entry.weight
    entry.weight = weight
    this.trim()
  }

  delete(key: string): void {
    this.weight -= this.entries.get(key)?.weight ?? 0
    this.entries.delete(key)
  }

  private trim(): void {
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.most && this.weight <= this.mostWeight) return
      this.delete(oldest)
    }
  }
}

/** Returns the value of a key. If there is none, `make` makes it; it stays in the map unless it fails. */
export function keptOrMade<V>(map: BoundedMap<Promise<V>>, key: string, make: () => Promise<V>): Promise<V> {
  const known = map.get(key)
  if (known) return known
  const made = make()
  map.set(key, made)
  made.catch(() => map.delete(key))
  return made
}
