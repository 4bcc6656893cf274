import type { Datatype } from '../../src/format/datatype.ts'
import { type Json, shown } from '../helpers/json.ts'
import { canonical } from './values.ts'

/** More of one kind say nothing new. */
const ENOUGH = 20

/** What a check found otherwise than TileDB says it is. */
export class Differences {
  readonly found: string[] = []

  add(text: string): void {
    if (this.found.length < ENOUGH) this.found.push(text)
  }

  /** Adds `text` unless `ok`. */
  need(ok: boolean, text: () => string): void {
    if (!ok) this.add(text())
  }

  /** Names, counts and flags: the same token. */
  equal(got: Json | undefined, want: Json | undefined, what: string): void {
    this.need(shown(got) === shown(want), () => `${what}: got ${shown(got)}, TileDB says ${shown(want)}`)
  }

  /** A value of a datatype. */
  value(type: Datatype, got: Json | undefined, want: Json | undefined, what: string): void {
    const same = canonical(type, got, 'printed') === canonical(type, want, 'expected')
    this.need(same, () => `${what} (${type}): got ${shown(got)}, TileDB says ${shown(want)}`)
  }
}
