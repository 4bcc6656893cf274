import { type GenomicsdbHandler, notForGenomicsdb } from '../calls/genomicsdb.ts'
import { fileOfTarget } from '../calls/genomicsdb-file.ts'
import { genomicsdbFileOutcome } from '../calls/genomicsdb-hex.ts'
import type { HexOptions } from '../calls/hex-options.ts'

export const handler: GenomicsdbHandler<HexOptions & { path?: string; tree?: boolean }> = {
  async *run(cx, target, _args, options) {
    const file = fileOfTarget(target)
    if (!file) throw notForGenomicsdb('dump', target)
    yield* genomicsdbFileOutcome(cx, file.folder, file.name, options)
  },
}
