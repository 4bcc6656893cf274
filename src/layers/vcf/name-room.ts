import { CountedBytes, type Memory } from '../../base/memory.ts'
import type { DatasetPart } from '../part.ts'

/*
 * A dataset may have millions of samples and contigs, or claim to. Their names are held by number, as texts, in sets and in tables.
 */

/** Bytes that a name takes beside its text: its entries in these lists. */
const NAME_BYTES = 512

/** Counts the memory of the names of one list, and of what waits beside them. */
export class NameRoom {
  private readonly counted: CountedBytes | undefined
  private readonly file: string

  constructor(memory: Memory | undefined, file: string) {
    this.counted = memory && new CountedBytes(memory, 'names of samples and contigs')
    this.file = file
  }

  /** The room for names of an array or a group. */
  static in({ array, group, file }: DatasetPart): NameRoom {
    return new NameRoom((array ?? group)?.cx.memory, file)
  }

  /** @param length of the name @throws InspectError TOO_LARGE if there is no room for all of them */
  add(length: number): void {
    this.take(NAME_BYTES + length)
  }

  /** @param bytes that are held from now on; below 0, given back @throws InspectError TOO_LARGE if there is no room for them */
  take(bytes: number): void {
    this.counted?.add(bytes, this.file)
  }

  /** The names in a text, with commas between them. @throws InspectError TOO_LARGE before there are more than memory has room for */
  split(text: string): string[] {
    const names: string[] = []
    for (let from = 0; from <= text.length; ) {
      const comma = text.indexOf(',', from)
      const to = comma < 0 ? text.length : comma
      if (to > from) {
        this.add(to - from)
        names.push(text.slice(from, to))
      }
      from = to + 1
    }
    return names
  }
}
