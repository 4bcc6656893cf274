import { documentHead } from '../calls/document-parts.ts'
import type { GenomicsdbHandler } from '../calls/genomicsdb.ts'
import type { VerifyChecksumsDocument } from '../documents/verify-checksums.ts'

export const handler: GenomicsdbHandler<{ requireChecksums?: boolean; deep?: boolean }> = {
  async *run(cx, target, _args, { requireChecksums = false, deep = false }) {
    cx.note(
      'GenomicsDB stores no checksums but those of zlib: check undoes every tile, and finds other damage',
      'target',
    )
    const document: VerifyChecksumsDocument = {
      ...documentHead('verify-checksums', cx.shownPath(target.path)),
      deep,
      failures: [],
      verdict: 'nothing-to-verify',
      ok: !requireChecksums,
      ...{ fragment_num: 0, file_num: 0, tile_num: 0, chunk_num: 0, skipped_fragment_num: 0, checksum_num: 0 },
      unprotected_files: [],
      unprotected_metadata_file_num: 0,
      not_examined: [],
    }
    if (!document.ok) cx.foundWrong()
    yield {
      kind: 'rows',
      document,
      rows: [],
      columns: () => [],
      table: async (out) => (await import('../render/views/verify.ts')).verifyTable({ ...document, failures: [] }, out),
    }
  },
}
