import { nearest } from '../base/nearest.ts'
import { COMMANDS, type Question } from './commands.ts'

/** Questions that `help <word>` finds. A test runs every call, and compares docs/questions.md with this list. */
export const QUESTIONS: readonly Question[] = [
  ['What is in this folder?', 'places', 'overview info describe show target exist sparse dense kind'],
  [
    'Which TileDB version wrote it, and which can read it?',
    'places',
    'release compatible format libtiledb library old new older newer upgrade downgrade',
  ],
  [
    'How many cells, fragments and bytes does it have?',
    'places',
    'count rows number size shape non-empty nonempty domain nnz',
  ],
  ['When were its cells last written?', 'places', 'date time timestamp modified age old utc timezone clock lag'],
  ['Is it encrypted, and does this key fit?', 'places --key-file my.key', 'aes encryption wrong password rekey'],
  [
    'Which dimensions, attributes, types and filters does it have?',
    'schema places',
    'datatype dtype string utf8 unicode ascii column compression tile extent cell order hilbert capacity allow allows_duplicates duplicates fill value label current resize',
  ],
  ['Which values does an enumeration have?', 'schema places', 'category categorical enum label dictionary'],
  ['Which values do dimension labels have?', 'read my-labels/__labels/l0', 'label value axis coordinate'],
  ['Which cells lie in a range of a dimension label?', 'read my-labels --range height=-3..1', 'axis coordinate slice'],
  [
    'What is the current domain, and how far can it be expanded?',
    'schema places',
    'expand expanding grow extend resize larger shape',
  ],
  [
    'How did the schema change?',
    'schema --all places',
    'evolution evolved history added dropped rename attribute extended enumeration grown versions when renamed contract drift',
  ],
  [
    'Can I look at it in a browser, or mail what it shows?',
    'page places -o places.html',
    'html picture draw chart map timeline report share visualize gui plot heatmap image graph notebook jupyter vscode',
  ],
  ['Which key-value metadata does it have?', 'metadata places', 'keys meta'],
  [
    'How do I name an array on S3 or by URI, as s3://bucket/places, gs:// or azure://, and give its region?',
    'ls --help',
    'url uri path minio endpoint profile credentials cloud aws remote http amazon login gcs google storage blob container account sas hmac',
  ],
  [
    'Which of many arrays are damaged, have too many fragments, or need a vacuum?',
    'ls --recursive my-folder',
    'sweep hundreds thousands all bucket prefix folder worst every recursive arrays attention health parallel threads jobs',
  ],
  ['What is in a group, and are members missing?', 'ls --depth all my-group', 'tree collection soma'],
  [
    'How many arrays does a group have, when was it last written, and in which format versions?',
    'my-group',
    'dataset experiment count members date time age version release number schema soma',
  ],
  [
    'What would vacuum free in all arrays of a group, and what fills the disk?',
    'stats my-group',
    'dataset size disk space unread bytes reclaim soma',
  ],
  [
    'Are all members inside the group, and which are broken?',
    'check --level structure my-group',
    'dataset elsewhere moved move relocate copied outside absolute damaged members soma symlink link links portable',
  ],
  [
    'Do two copies of a group or folder hold the same?',
    'diff --read my-group my-group',
    'dataset compare difference equal backup members same copies soma',
  ],

  [
    'Which fragments are there, and what state are they in?',
    'ls places',
    'list timestamps writes writer uuid growth trend owner author',
  ],
  [
    'Which fragments would vacuum remove?',
    'ls places',
    'to-vacuum vac clean cleanup up delete consolidated free did not reclaim unread space kept keep',
  ],
  ['Did consolidation work, and what is left of it?', 'commits places', 'consolidate vacuum vac con increased'],
  [
    'Which fragments would tiledb.consolidate merge with my settings?',
    'explain places --config sm.consolidation.step_min_frags=2',
    'consolidation step steps step_min_frags step_max_frags step_size_ratio amplification timestamp_start max_fragment_size config plan next',
  ],
  [
    'Why does consolidation do nothing, and which settings does it need?',
    'explain places',
    'consolidate number stays same merge together step_min_frags step_max_frags amplification size_ratio plan config',
  ],
  [
    'Why do readers not see a fragment?',
    'ls places',
    'missing visible invisible hidden ignored uncommitted future new data write',
  ],
  [
    'How do I delete a fragment, or all fragments of a time?',
    'why places/__1714',
    'remove erase delete_fragments timestamp range',
  ],
  [
    'Which folders are left from failed writes?',
    'ls places',
    'uncommitted crashed interrupted orphan leftover dead import died partial half failed',
  ],
  ['Which fragments overlap?', 'ls --full places', 'overlapping pairs each other dead overwritten'],
  [
    'Which fragments of a dense array are wholly overwritten by newer ones, and what do they take?',
    'ls weather',
    'dead covered replaced useless consolidate free',
  ],
  [
    'Which fragments and cells were written on a day, or between two times?',
    'read weather --between 2024-05-01..2024-05-02',
    'tuesday yesterday changed change new write since period range timestamps open',
  ],
  ['Which fragments does a range touch?', 'ls places --range lat=40..60', 'query box slice subarray empty inside'],
  ['What do the files in __commits do?', 'commits places', 'wrt vac con ign del commit __fragment_meta meta'],
  ['Which delete conditions are there?', 'commits places', 'del erase gdpr purge tombstone tombstones retention'],
  [
    'Which values does a field have, how often, with which median and percentiles?',
    'stats --read --values --field rain_mm weather',
    'distinct unique count counts frequent frequency most common histogram percentile percentiles quantile quantiles median quartile distribution cardinality group by groups lengths',
  ],
  [
    'What are the sum and mean of a field by another, or by hour, day or month? (Any other: docs/sql.md)',
    'stats --read --by sky --field rain_mm weather',
    'group groupby groups grouped average averages hourly daily monthly yearly aggregate count minimum maximum sql pivot',
  ],
  [
    'How many cells of each fragment are still visible, overwritten or deleted?',
    'stats --read --fragments places',
    'seen see hidden superseded replaced count per share',
  ],
  ['How many cells did each delete condition remove?', 'stats --read places', 'yesterday'],
  [
    'Can deleted cells still be read from the files, and how are they erased for good?',
    'stats --read places',
    'gdpr personal data erase delete removed stored disk readable privacy purge forget',
  ],
  ['May I delete this file or folder?', 'why places/__1714', 'remove rm vac con ok lock fragment lose lost safe'],
  [
    'What did the array look like at an earlier time?',
    'ls weather --as-of 2024-05-02',
    'travel timetravel latest open past',
  ],
  [
    'At which times did it change, by writes or deletes?',
    'commits places',
    'state distinct versions timestamps open travel list deleted last date modified when metadata',
  ],
  ['When was each metadata key written?', 'metadata weather', 'keys meta time timestamp changed old'],
  [
    'Which values did a metadata key have, and when, also deleted ones?',
    'metadata --all weather',
    'keys meta version history changed old time timestamp',
  ],
  ['What can I still read of earlier times after vacuum?', 'why weather/__1714', 'travel past lose lost old kept keep'],

  ['What are its first cells?', 'read places --limit 10', 'rows data values head print query order sort sorted'],
  [
    'What was this cell last Tuesday?',
    'read weather --range station=1 --range day=7 --as-of 2024-05-02',
    'earlier time travel past old value before yesterday',
  ],
  [
    'Which fragment holds this cell, and which versions does it have?',
    'history weather --cell station=1,day=7',
    'coordinate contains who wrote changed overwritten deleted when why updates provenance',
  ],
  [
    'Which of two writes at the same time wins?',
    'history weather --cell station=1,day=7',
    'concurrent simultaneous writers equal timestamp tie order conflict',
  ],
  [
    'How many cells are there exactly, after deletes and updates?',
    'explain places --exact',
    'count number rows deleted',
  ],
  [
    'Are there duplicate coordinates, how many, and where?',
    'stats --read places',
    'unique equal same repeat twice count rows',
  ],
  [
    'Which cells of a dense array are unwritten, and how many?',
    'stats --read weather',
    'gap gaps empty missing fill hole holes never written coverage padding',
  ],
  [
    'Which cells of a dense array were never written?',
    'read weather --provenance',
    'unwritten fill rows gap gaps hole holes empty missing __fragment',
  ],
  [
    'What are the minimum, maximum, sum and mean of an attribute, how long is its longest string, and how many cells are null?',
    'stats --read weather --field rain_mm',
    'min max total average nulls nan count aggregate statistics smallest largest values length text',
  ],
  [
    'Which values of an enumeration are used, how often, and which never?',
    'stats --read places',
    'category categorical enum label unused count distinct value dictionary',
  ],
  [
    'How many cells are overwritten by newer ones, and which fragments of a sparse array wholly?',
    'stats --read places',
    'older versions updated stale hidden duplicates',
  ],
  [
    'Why do reads give a cell twice?',
    'history weather --cell station=1,day=7',
    'duplicate unique rows more than once repeated allows_duplicates',
  ],
  [
    'Why does a cell have a fill value or an old value?',
    'history weather --cell station=1,day=7',
    'nan zero zeros wrong empty missing returns instead default unwritten gap gaps',
  ],
  ['Which cells meet a condition?', 'read places --where "population > 1000000"', 'query filter find search null'],
  [
    'How many cells meet a condition?',
    'explain places --where "population > 1000000" --exact',
    'count number query filter find search null',
  ],
  [
    'How many cells of a dense array meet a condition?',
    'stats --read weather --where "temperature > 20"',
    'count number query filter find search null dense',
  ],
  [
    'Which cells of a dense array meet a condition?',
    'read weather --where "temperature > 20" --sort-by temperature:desc --limit 10',
    'query filter find search dense fill values leave out only',
  ],
  ['Which cells are null?', 'read places --where "founded == null"', 'missing none empty nan isnull without value'],
  [
    'Which cells have the highest values of an attribute?',
    'read places --sort-by population:desc --limit 3',
    'maximum max minimum min largest lowest smallest biggest hottest argmax top order sorted ranking where cell value',
  ],
  [
    'What are its last cells?',
    'read weather --sort-by day:desc --limit 10',
    'newest latest tail end final recent rows order sorted descending bottom',
  ],
  [
    'How do I get it into pandas, CSV, JSON, Arrow or Parquet?',
    'read places -o places.csv',
    'export extract convert ndjson parquet dataframe df python numpy npy sql duckdb jq polars zarr hdf5 spark dask migrate portable',
  ],
  [
    'How do I ask about it in SQL?',
    'read places -o places.parquet',
    'duckdb parquet sql query join group groupby table database distinct unique values counts median percentile percentiles quantile quantiles histogram average aggregate',
  ],
  ['What is in one fragment, as it is stored?', 'decode places/__1714 --limit 10', 'cells raw'],
  [
    'In which file, at which byte is this cell?',
    'at weather/__1714 --cell station=1,day=7 --field rain_mm',
    'offset where position',
  ],

  [
    'Is my array corrupt?',
    'check places',
    'damage broken valid fsck right integrity healthy ok truncated bitrot zeroed',
  ],
  [
    'How do I repair it, and what is lost?',
    'check --plan places',
    'mend fix restore recover undo damaged corrupt plan steps rollback write back renamed exchanged swapped swap partial',
  ],
  [
    'Why does TileDB fail to open it?',
    'check --level structure places',
    'error cannot exception fails exist unable load schema missing lost permission denied access',
  ],
  [
    'Does every cell agree with the metadata?',
    'check --level cells places',
    'wrong missing statistics deep duplicates',
  ],
  ['Do the checksums fit?', 'verify-checksums places', 'md5 sha256 hash bit rot tag mismatch'],
  [
    'Is this copy the same as the original?',
    'diff --cells places my-copy',
    'compare difference equal backup move moved bucket copied sync synced mirror',
  ],
  [
    'Do readers see the same in two arrays, or at two times?',
    'diff --read places my-copy',
    'compare difference equal consolidated merged cells as-of time changed between backup copy copied original',
  ],
  [
    'Which byte differs between two copies of a file or an array?',
    'diff --files places my-copy',
    'byte bytes bit compare difference files cmp identical first flipped backup copied checksum',
  ],
  [
    'How do I get the data out of a damaged array?',
    'recover places --drop-damaged --to places.new',
    'repair rebuild rescue restore salvage lost metadata corrupt fragment_metadata',
  ],
  [
    'How do I see damage in GitHub, code scanning or Jenkins?',
    'check --format sarif places',
    'actions annotations sarif junit xml ci report pull request',
  ],
  [
    'How does a CI job fail if an array has too many fragments?',
    'explain --fail-on warning places',
    'cron exit code monitor limit threshold small advice github',
  ],
  [
    'How do I check arrays every night?',
    'check --quiet --fail-on warning places',
    'ci cron script exit code monitor airflow docker container nagios prometheus alert alerts monitoring',
  ],

  [
    'How does a known finding no longer fail my CI job?',
    'check --ignore RTREE_FANOUT places',
    'accept suppress skip exclude baseline allow except code warning ci exit code ignored',
  ],

  ['Why is my read slow?', 'explain places --range lat=40..60', 'performance speed latency query time expensive cache'],
  [
    'What does opening the array cost, before it reads a cell?',
    'explain places',
    'opens slow metadata listing time seconds requests startup',
  ],
  [
    'How many requests and bytes does a read cost on S3?',
    'explain places --range lat=40..60',
    'http https get gets list lists head request costs price money bill cloud expensive',
  ],
  [
    'How much memory does a read need?',
    'explain places',
    'budget ram oom sm.mem.total_budget incomplete buffer 25GB result python arrays size throughput',
  ],
  [
    'How large must the result buffers be?',
    'explain places --full --exact',
    'buffer init_buffer_bytes est_result_size allocate offsets validity incomplete bytes',
  ],
  [
    'Should I consolidate, and what would it bring?',
    'explain places',
    'many small fragments files compact slow advice optimize layout',
  ],
  [
    'Which tiles does a range touch?',
    'rtree places --range lat=40..60',
    'box mbr mbrs bounding rectangles query index r-tree bbox',
  ],
  [
    'What fills the disk?',
    'stats places',
    'size space large big bytes attribute field du unread reclaim biggest huge heavy histogram growth',
  ],
  ['Does compression pay?', 'stats places', 'ratio filter compress zstd'],
  [
    'Do filters round values, and would others?',
    'whatif weather --field temperature',
    'lossy lossless loss rounding rounded scale scaled float scale_float precision digits exact',
  ],
  [
    'Which filters should I choose?',
    'whatif places',
    'best compression compressor faster smaller recommend tune level positive double delta',
  ],
  [
    'How large would it be with other filters?',
    'whatif places --filters zstd:level=19',
    'compress recompress zstd try estimate smaller',
  ],
  ['Are tiles too small or too large?', 'stats places', 'capacity extent tile size padding padded mostly fill huge'],
  [
    'How large would it be with another capacity, tile extent or cell order?',
    'whatif places --capacity 50',
    'hilbert tiles layout',
  ],
  [
    'Is the tile extent or capacity good for the boxes that I read?',
    'explain places --range lat=40..60 --exact',
    'shape',
  ],
  [
    'Why is it still as large after deletes, and how many cells are deleted?',
    'stats --read places',
    'purge big size free space delete conditions gdpr',
  ],
  ['Why is one fragment larger than another?', 'stats places/__1714 weather/__1714', 'compare size'],
  ['What are the minimum, maximum and nulls of each tile?', 'tiles places/__1714', 'min max sum statistics null count'],
  [
    'Which tiles may have values above a number?',
    'tiles places --where "population > 10000000"',
    'maximum over threshold condition above below exceed prune skip',
  ],
  ['Where does a fragment lie in the domain?', 'footer places/__1714', 'bounding box non-empty rectangle'],

  ['What is in this .tdb file?', 'dump places/__1714/a0.tdb', 'hex bytes binary format metadata'],
  ['What does byte N of a file mean?', 'at places/__1714/d0.tdb 100', 'offset position flip'],
  ['What does each filter make of a tile?', 'tile places/__1714 lat 0', 'compression stages chunk raw bytes'],
  [
    'Would my read cost less with other tile extents?',
    'whatif weather --tile-extent day=2 --range day=3..4',
    'extent size shape box slice capacity order',
  ],
  [
    'How do I write this schema as TileDB-Py code?',
    'whatif places --emit python',
    'generate create copy script python',
  ],
  ['How do I make a small array for a test?', 'write-sample my-sample', 'example create generate fixture'],
  ...Object.values(COMMANDS).flatMap(({ question }) => (question ? [question] : [])),
  [
    'What is in this SOMA experiment: measurements, layers, rows?',
    'blood',
    'soma tiledbsoma single cell anndata obs var obsm embedding census dataset summary',
  ],
  [
    'Which releases of tiledbsoma open this experiment, and why not others?',
    'blood',
    'soma encoding version upgrade upgraded compatible old',
  ],
  [
    'Which shape does each layer have, and was it upgraded?',
    'ls --depth all blood',
    'soma shape maxshape resize upgrade current domain matrix X',
  ],
  [
    'Do the matrices agree with obs and var: are there cells without a row?',
    'check --level cells blood',
    'soma joinid join consistent consistency orphan deleted axis duplicate valid validate',
  ],
  [
    'Which cells of a matrix belong to some observations?',
    'read blood --layer RNA/X/data --where-obs "cell_type == \'B cell\'"',
    'soma axis_query query filter layer cell_type obs var joinid',
  ],
  [
    'Which member of a group is the largest, and how large is each array?',
    'ls --depth all --sort size blood',
    'group members largest bytes biggest sum total soma',
  ],
  [
    'Which samples and contigs are in a VCF dataset, and how many records has each?',
    'ls --samples my-vcf',
    'vcf tiledbvcf genomics variants anchors chromosome',
  ],
  [
    'Do the samples of a VCF dataset agree with its data and its statistics?',
    'check --level cells my-vcf',
    'vcf tiledbvcf duplicate header sample_stats stale ingestion',
  ],
  [
    'How many vectors has an index, of how many dimensions, and when was the last ingestion?',
    'my-index',
    'vector search ivf flat vamana pq vectors embedding index_type storage_version updates',
  ],
  [
    'Is an image whole: did the ingestion end, and which levels has it?',
    'my-image',
    'bioimg bioimaging ome tiff pyramid level microscopy valid axes',
  ],
  [
    'Is this GenomicsDB import complete: which samples and intervals are in it?',
    'my-workspace',
    'genomicsdb gatk genomicsdbimport workspace import died crash finished callset contigs samples intervals',
  ],
  [
    'May I resume a GenomicsDB import that crashed, and how do I get back?',
    'check --plan my-workspace',
    'genomicsdb gatk genomicsdbimport incremental died rollback restore fragmentlist callset workspace',
  ],
  [
    'Which calls has a sample in a region of a GenomicsDB workspace?',
    'read my-workspace --range chr1:1-100000 --range sample=NAS001',
    'genomicsdb gatk variants genotypes gvcf contig chromosome interval position',
  ],
  [
    'Which samples of a GenomicsDB workspace have calls, and in how many intervals?',
    'ls my-workspace --samples',
    'genomicsdb gatk genotypegvcfs missing consolidate sample calls',
  ],
  [
    'How many fragments does a query of a GenomicsDB workspace merge?',
    'ls my-workspace',
    'genomicsdb gatk genotypegvcfs slow query batches interval',
  ],
  [
    'Which fragment of a GenomicsDB workspace broke?',
    'check my-workspace',
    'genomicsdb gatk genotypegvcfs damaged corrupt broken unreadable missing calls interval',
  ],
  [
    'Which layers above TileDB are known, and what is checked of them?',
    'check --level structure blood',
    'layer soma vcf vector bioimg gdal raster geotiff pdal point cloud lidar cf xarray netcdf cellarr pandas filestore silvimetric validate',
  ],
]

/** The pages about layers above TileDB in docs/layers, and the words that find each. A test has every page. */
export const LAYER_PAGES: Readonly<Record<string, string>> = {
  soma: 'soma tiledbsoma anndata single cell joinid experiment measurement obs census',
  vcf: 'vcf tiledbvcf genomics variants samples contigs anchors',
  vectors: 'vectors vector search ivf vamana index embedding',
  bioimg: 'bioimg bioimaging image images ome tiff microscopy',
  gdal: 'gdal raster geometry geotransform overviews crs geotiff tif',
  pdal: 'pdal point cloud lidar las',
  silvimetric: 'silvimetric forest shatter',
  cellarr: 'cellarr',
  cf: 'cf xarray netcdf climate',
  filestore: 'filestore mime',
  pandas: 'pandas dataframe frame',
}

/** Words that say nothing about the subject of a question. */
const STOP_WORDS = new Set(
  (
    'a an the is are was were do does did i my me it its of in on at to for and or what which why how when where can may with this that ' +
    'be been there not no any all each by from has have if so as than after get see want should use used array arrays tiledb'
  ).split(' '),
)
/** Largest number of questions, and of commands, in an answer. */
const MAX_ANSWERS = 8

/** The words by which `help` finds a question or a command, from a to z. */
export function knownWords(): readonly string[] {
  const words = [...QUESTIONS.map(textOf).flatMap(wordsOf), ...Object.keys(COMMANDS)]
  return [...new Set(words)].filter((word) => !STOP_WORDS.has(word)).sort()
}

/** The questions and commands that have the words of `help <words>`; undefined if there are none. */
export function answers(asked: readonly string[]): string | undefined {
  // Of groups of values: alone, 'group' means groups of arrays.
  const words = wordsOf(asked.join(' ').replace(/\bgroup(ed)?[ _-]by\b/gi, 'groupby'))
  const subjects = words.filter((word) => !STOP_WORDS.has(word))
  const wanted = subjects.length > 0 ? subjects : words
  // The first of the other words is the subject of the question.
  const questions = best(QUESTIONS, wanted, textOf, ([question, , words = '']) => `${question} ${words.split(' ')[0]}`)
  const commands = best(
    Object.entries(COMMANDS),
    wanted,
    ([name, { summary }]) => `${name} ${summary}`,
    ([name]) => name,
  )
  const pages = Object.entries(LAYER_PAGES).flatMap(([name, of]) =>
    wanted.every((one) => wordsOf(of).some((word) => isLike(one, word))) ? [name] : [],
  )
  if (questions.length + commands.length === 0) return undefined
  const parts = [
    ...questions.map(([question, call]) => `${question}\n  tiledb-inspect ${call}\n`),
    ...pages.map((name) => `docs/layers/${name}.md has more.`),
    ...(commands.length > 0 ? [`Commands: ${commands.map(([name]) => name).join(', ')}`] : []),
    'tiledb-inspect <command> --help has the options of each.\nplaces and weather stand for your array.',
  ]
  return `${parts.join('\n')}\n`
}

/** The message for words that no question has. It suggests a command, or similar words of questions. */
export function noAnswer(asked: readonly string[]): string {
  const subjects = asked.filter((word) => !STOP_WORDS.has(word.toLowerCase()))
  const quoted = (subjects.length > 0 ? subjects : asked).map((word) => JSON.stringify(word)).join(' or ')
  const command = asked.length === 1 ? nearest(asked[0], Object.keys(COMMANDS)) : undefined
  const words = new Set(QUESTIONS.flatMap((question) => wordsOf(textOf(question))))
  for (const word of [...STOP_WORDS, command ?? '']) words.delete(word)
  const near: string[] = []
  for (const word of subjects) {
    for (let like = nearest(word, words); like !== undefined && near.length < MAX_LIKE; like = nearest(word, words)) {
      near.push(like)
      words.delete(like)
    }
  }
  let hint = 'tiledb-inspect --help lists the commands'
  if (near.length > 0) hint = `questions have ${near.join(', ')}`
  if (command !== undefined) hint = `did you mean the command ${command}?`
  return `no question or command has the word ${quoted}; ${hint}`
}

/** Largest number of similar words that are suggested. */
const MAX_LIKE = 3

function textOf([question, call, words = '']: Question): string {
  return `${question} ${words} ${call.split(' ')[0]}`
}

/** Part of the best score that an item must reach to be shown. */
const NEAR_BEST = 0.75

/**
 * The items that have most of the words, the best first. A rare word counts more than one that many items have. Among equals,
 * those whose titles have most of the words come first.
 */
function best<T>(
  items: readonly T[],
  wanted: readonly string[],
  textOf: (item: T) => string,
  titleOf: (item: T) => string,
): T[] {
  const scores = items.map(() => 0)
  const texts = items.map((item) => wordsOf(textOf(item)))
  for (const one of new Set(wanted)) {
    const having = texts.flatMap((words, i) => (words.some((word) => isLike(one, word)) ? [i] : []))
    for (const i of having) scores[i] += Math.log((items.length + 1) / having.length)
  }
  const inTitle = items.map((item) => {
    const words = wordsOf(titleOf(item))
    const alike = wanted.filter((one) => words.some((word) => isLike(one, word))).length
    // The word itself counts more than one that is like it.
    return alike + wanted.filter((one) => words.includes(one)).length
  })
  const least = NEAR_BEST * Math.max(...scores)
  return Array.from(items.keys())
    .filter((i) => scores[i] > 0 && scores[i] >= least)
    .sort((a, b) => scores[b] - scores[a] || inTitle[b] - inTitle[a])
    .slice(0, MAX_ANSWERS)
    .map((i) => items[i])
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\d_]+/gu) ?? []
}

/** Least number of first letters that two different words must share: `vacuumed` is like `vacuum`, `con` is only itself. */
const MIN_ALIKE = 4
/** What two words of one meaning may have after the letters that they share: `consolidate` is like `consolidation`. */
const ENDING =
  /^(?:|'?s|es?|d|ed|ing|st|est|e?rs?|ors?|y|ies|ied|ity|le|ility|al|als|able|ly|ment|ance|age|ive|n|ic|ics|(?:|s|t|at|[sz]at)ions?|[sz](?:e[ds]?|ing))$/

/** Whether two words differ only in their endings, or the word that was asked is the beginning of the other. */
function isLike(asked: string, word: string): boolean {
  if (asked === word) return true
  let same = 0
  while (same < asked.length && asked[same] === word[same]) same++
  if (same < MIN_ALIKE) return false
  // `dropping` has the last letter of `drop` twice.
  const isEnding = (rest: string): boolean =>
    ENDING.test(rest) || (rest[0] === asked[same - 1] && ENDING.test(rest.slice(1)))
  return same === asked.length || (isEnding(asked.slice(same)) && isEnding(word.slice(same)))
}
