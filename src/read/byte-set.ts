import { concat } from '../base/bytes.ts'

/** A set of byte strings. It looks up cells in place, without making an object for each. */
export class ByteSet {
  private readonly bytes: Uint8Array
  /** Where each member starts in `bytes`, and the end of the last. */
  private readonly starts: Uint32Array
  /** Hash table with open addressing: position of the member plus 1, or 0 for a free slot. */
  private readonly table: Uint32Array

  constructor(members: readonly Uint8Array[]) {
    this.bytes = concat([...members])
    this.starts = new Uint32Array(members.length + 1)
    let slots = 4
    while (slots < 2 * members.length) slots *= 2
    this.table = new Uint32Array(slots)
    for (const [i, member] of members.entries()) {
      this.starts[i + 1] = this.starts[i] + member.length
      this.table[this.slot(member, 0, member.length)] = i + 1
    }
  }

  /** Whether `data[start, end)` is a member. */
  has(data: Uint8Array, start: number, end: number): boolean {
    return this.table[this.slot(data, start, end)] !== 0
  }

  /** The slot of a member, or the free slot where it would be. */
  private slot(data: Uint8Array, start: number, end: number): number {
    // FNV-1a
    let hash = 0x811c9dc5
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ data[i], 0x01000193)
    const last = this.table.length - 1
    let slot = (hash ^ (hash >>> 15)) & last
    while (this.table[slot] !== 0 && !this.isMember(this.table[slot] - 1, data, start, end)) slot = (slot + 1) & last
    return slot
  }

  private isMember(member: number, data: Uint8Array, start: number, end: number): boolean {
    const from = this.starts[member]
    if (this.starts[member + 1] - from !== end - start) return false
    for (let i = start; i < end; i++) if (data[i] !== this.bytes[from + i - start]) return false
    return true
  }
}
