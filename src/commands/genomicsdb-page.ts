import { type GenomicsdbHandler, notForGenomicsdb } from '../calls/genomicsdb.ts'
import { workspaceAround } from '../genomicsdb/workspace.ts'
import { parsePageOptions, type ShownOptions, shownPage } from './page-shown.ts'

export const handler: GenomicsdbHandler<ShownOptions> = {
  async *run(cx, target, _args, options) {
    const asked = parsePageOptions(options)
    if (target.kind !== 'workspace' && target.kind !== 'array') throw notForGenomicsdb('page', target)
    // The maps around an array tell its contigs and samples.
    const around = target.kind === 'array' ? await workspaceAround(target.array, cx.reading) : undefined
    const folder = target.kind === 'array' ? (around?.folder ?? target.array) : target.folder
    yield* shownPage(cx, { folder, only: undefined, path: target.path, target: undefined }, asked)
  },
}
