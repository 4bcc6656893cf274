/*
 * Names of files and folders of GenomicsDB.
 *
 * Sources: GenomicsDB, src/main/cpp/src/genomicsdb/variant_storage_manager.cc and docs; its fork of TileDB, tiledb_constants.h.
 */

/** Name of the empty file that makes a folder a workspace. */
export const WORKSPACE_MARK = '__tiledb_workspace.tdb'

/** The map of samples. */
export const CALLSET_FILE = 'callset.json'
/** The map of contigs and fields. */
export const VIDMAP_FILE = 'vidmap.json'
export const HEADER_FILE = 'vcfheader.vcf'
/** Names of all fragments before an import that adds samples. The import removes it at its end. */
export const FRAGMENT_LIST_FILE = 'callset.json.fragmentlist'

/** Folder in an array with the bounds of its cells and the rows of each import. */
export const GENOMICSDB_META_FOLDER = 'genomicsdb_meta_dir'

/** Name of the empty file that makes a folder a fragment. */
export const FRAGMENT_MARK = '__tiledb_fragment.tdb'

/** Name of the file, which is one gzip stream, in the folder of the fragment. */
export const BOOK_KEEPING_FILE = '__book_keeping.tdb.gz'
