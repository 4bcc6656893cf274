import { type GenomicsdbHandler, notForGenomicsdb } from '../calls/genomicsdb.ts'
import { genomicsdbFileOutcome } from '../calls/genomicsdb-hex.ts'
import { genomicsdbPlace } from '../calls/genomicsdb-place.ts'
import type { HexOptions } from '../calls/hex-options.ts'

export const handler: GenomicsdbHandler<HexOptions & { path?: string; tree?: boolean }> = {
  async *run(cx, target, _args, options) {
    const place = genomicsdbPlace(target)
    if (!place) throw notForGenomicsdb('dump', target)
    yield* genomicsdbFileOutcome(cx, place.folder, place.name, options)
  },
}
