import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chdir, cwd } from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { COMMANDS, OVERVIEW } from '../../src/cli/commands.ts'
import { LAYER_PAGES, QUESTIONS } from '../../src/cli/questions.ts'
import { LAYERS } from '../../src/layers/layers.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { unpackWorkspace } from '../helpers/genomicsdb.ts'
import { quickTrials } from '../helpers/quick-trials.ts'
import { run } from '../helpers/run.ts'
import { words } from '../helpers/sessions.ts'
import { datasetOf } from '../layers/datasets.ts'
import { dataset, writeFiles } from '../layers/parts.ts'
import { image } from '../layers/specs.ts'

quickTrials()

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(`${ROOT}/docs/questions.md`, 'utf8')
const folder = temporaryFolder()
const before = cwd()

/** Calls name the arrays as a reader would who stands beside them, and his own things. */
beforeAll(async () => {
  for (const name of ['places', 'weather', 'blood'])
    cpSync(`${ROOT}/examples/arrays/${name}`, `${folder}/${name}`, { recursive: true })
  cpSync(`${folder}/places`, `${folder}/my-folder/places`, { recursive: true })
  cpSync(`${folder}/places`, `${folder}/my-copy`, { recursive: true })
  cpSync(`${ROOT}/test/fixtures/22/group`, `${folder}/my-group`, { recursive: true })
  cpSync(`${ROOT}/test/fixtures/22/dimension_labels`, `${folder}/my-labels`, { recursive: true })
  writeFiles(await datasetOf('vcf'), `${folder}/my-vcf`)
  writeFiles(await datasetOf('vectorIndex'), `${folder}/my-index`)
  writeFiles(await dataset(image()), `${folder}/my-image`)
  cpSync(unpackWorkspace('301', `${folder}/unpacked`), `${folder}/my-workspace`, { recursive: true })
  writeFileSync(`${folder}/my.key`, '0123456789abcdef0123456789abcdef')
  chdir(folder)
})

afterAll(() => chdir(before))

test('there are 40 questions or more, each once, and the page has them all', () => {
  expect(QUESTIONS.length).toBeGreaterThanOrEqual(40)
  expect(new Set(QUESTIONS.map(([question]) => question)).size).toBe(QUESTIONS.length)
  const rows = Array.from(PAGE.matchAll(/^\| (.+?) \| `tiledb-inspect (.+?)` \|$/gm), ([, question, call]) => [
    question,
    call,
  ])
  expect(rows).toEqual(QUESTIONS.map(([question, call]) => [question, call]))
})

/** The command of a question's call; undefined if there is none of that name. */
function commandOf(call: string): string | undefined {
  const [first] = call.split(' ')
  if (/^(?:places|blood|my-(?:group|index|image|workspace))/.test(first)) return OVERVIEW
  return Object.hasOwn(COMMANDS, first) ? first : undefined
}

describe('each is answered', () => {
  test.each(QUESTIONS.map(([question, call]) => [question, call]))('%s %s', async (_, call) => {
    expect(commandOf(call)).toBeDefined()
    const { code, stderr, text } = await run(words(call))
    expect({ call, code, stderr }).toMatchObject({ call, code: 0, stderr: expect.not.stringContaining('error') })
    if (!/ -o /.test(call)) expect(text).not.toBe('')
  })

  test('and every command answers one', () => {
    const answering = new Set(QUESTIONS.map(([, call]) => commandOf(call)))
    expect(Object.keys(COMMANDS).filter((name) => !answering.has(name))).toEqual(['completion'])
  })
})

test('each layer has a page with a session, and help names each page', () => {
  const pages = readdirSync(`${ROOT}/docs/layers`).map((name) => name.slice(0, -'.md'.length))
  expect(pages.sort()).toEqual(Object.keys(LAYER_PAGES).sort())
  for (const page of pages)
    expect(readFileSync(`${ROOT}/docs/layers/${page}.md`, 'utf8')).toMatch(/^\$ tiledb-inspect /m)
  for (const name of Object.keys(LAYERS)) {
    const page = { gdalMultidim: 'gdal', vectorSearch: 'vectors' }[name] ?? name
    expect(pages).toContain(page)
  }
})

test('the question that has the word itself comes first', async () => {
  const { text } = await run(['help', 'largest'])
  expect(text).toMatch(/^Which member of a group is the largest/)
})

describe('help with a word', () => {
  test.each([
    [['vacuum'], 'tiledb-inspect ls places\n'],
    [['which', 'fragment', 'would', 'vacuuming', 'remove?'], 'tiledb-inspect ls places\n'],
    [['slow'], 'tiledb-inspect explain places'],
    [['relocate'], 'tiledb-inspect check --level structure my-group'],
    [['visible'], 'Why do readers not see a fragment?'],
    [['kept'], 'Which fragments would vacuum remove?'],
    [['ndjson'], 'read places -o places.csv'],
    [['write', 'back'], 'tiledb-inspect check --plan places'],
    [['changed', 'between'], 'tiledb-inspect diff --read places my-copy'],
    [['Tuesday'], '--as-of'],
    [['corrupted'], 'tiledb-inspect check places\n'],
    [['key'], '--key-file'],
    [['pandas'], 'read places -o places.csv'],
    [['consolidate'], 'tiledb-inspect commits places\n'],
    [['R-tree'], 'tiledb-inspect rtree'],
    [['consolidate', 'does', 'nothing'], 'Why does consolidation do nothing, and which settings does it need?'],
    [['step_min_frags'], 'tiledb-inspect explain places'],
    [['how', 'many', 'cells', 'are', 'there', 'after', 'deletes'], 'tiledb-inspect explain places --exact'],
    [['duplicate', 'rows'], 'Why do reads give a cell twice?'],
    [['label', 'values'], 'tiledb-inspect read my-labels/__labels/l0'],
    [['expand'], 'how far can it be expanded?'],
    [['s3'], 'How many requests and bytes does a read cost on S3?'],
    [['price'], 'How many requests and bytes does a read cost on S3?'],
    [['requests'], 'How many requests and bytes does a read cost on S3?'],
    [['LIST', 'GET'], 'How many requests and bytes does a read cost on S3?'],
    [['cost'], 'How many requests and bytes does a read cost on S3?'],
    [['nonempty'], 'tiledb-inspect places\n'],
    [['unwritten'], 'tiledb-inspect stats --read weather\n'],
    [['unwritten'], 'Why does a cell have a fill value'],
    [['time', 'travel', 'after', 'vacuum'], 'What can I still read of earlier times after vacuum?'],
    [['distinct', 'states'], 'tiledb-inspect commits places\n'],
    [['when', 'was', 'metadata', 'written'], 'tiledb-inspect metadata weather\n'],
    [['python'], 'tiledb-inspect whatif places --emit python'],
    [['numpy'], 'How do I get it into pandas'],
    [['npy'], 'How do I get it into pandas'],
    [['upgrade'], 'Which TileDB version wrote it'],
    [['erase'], 'Which delete conditions are there?'],
    [['unique'], 'Why do reads give a cell twice?'],
    [['concurrent'], 'Which of two writes at the same time wins?'],
    [['same', 'time'], 'Which of two writes at the same time wins?'],
    [['http'], 'How many requests and bytes does a read cost on S3?'],
    [['rename'], 'How did the schema change?'],
    [['positive'], 'Which filters should I choose?'],
    [['open'], 'What does opening the array cost'],
    [['duplicates'], 'Are there duplicate coordinates, how many, and where?'],
    [['gap'], 'tiledb-inspect stats --read weather\n'],
    [['sum'], 'stats --read weather --field rain_mm\n'],
    [['minimum'], 'stats --read weather --field rain_mm\n'],
    [['delete'], 'How many cells did each delete condition remove?'],
    [['enumeration'], 'Which values of an enumeration are used, how often, and which never?'],
    [['how', 'many', 'cells', 'did', 'a', 'delete', 'remove'], 'tiledb-inspect stats --read places\n'],
    [['longest', 'string'], 'tiledb-inspect stats --read weather --field rain_mm\n'],
    [['length'], 'tiledb-inspect stats --read weather --field rain_mm\n'],
    [['mean'], 'tiledb-inspect stats --read weather --field rain_mm\n'],
    [['never', 'written'], 'tiledb-inspect read weather --provenance\n'],
    [['reclaim'], 'Which fragments would vacuum remove?'],
    [['unread'], 'Which fragments would vacuum remove?'],
    [['expensive'], 'Why is my read slow?'],
    [['backup'], 'tiledb-inspect diff --read places my-copy\n'],
    [['uri'], 'How do I name an array on S3 or by URI'],
    [['s3'], 'How do I name an array on S3 or by URI'],
    [['dataframe'], 'How do I get it into pandas'],
    [['metadata', 'versions'], 'tiledb-inspect metadata --all weather\n'],
    [['soma'], 'docs/layers/soma.md has more.'],
    [['soma'], 'read blood --layer RNA/X/data'],
    [['vcf'], 'docs/layers/vcf.md has more.'],
    [['vectors'], 'docs/layers/vectors.md has more.'],
    [['image'], 'docs/layers/bioimg.md has more.'],
    [['xarray'], 'docs/layers/cf.md has more.'],
  ])('%j', async (asked, answer) => {
    const { code, text, stderr } = await run(['help', ...asked])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(text).toContain(answer)
    expect(text.split('\n').length).toBeLessThanOrEqual(30)
    expect(text.trimEnd().split('\n').at(-1)?.length).toBeLessThanOrEqual(80)
  })

  test('finds each question by its own words', async () => {
    for (const [question, call] of QUESTIONS) {
      const { text } = await run(['help', ...question.split(' ')])
      // If others come first, the text shows them: rarer words help.
      expect([question, text]).toEqual([question, expect.stringContaining(`  tiledb-inspect ${call}\n`)])
    }
  })

  test.each([
    [['lss'], '"lss"; did you mean the command ls?'],
    [['quartz'], '"quartz"; tiledb-inspect --help lists the commands'],
    [['nothingxyz'], '"nothingxyz"; questions have nothing'],
    [['the', 'vaccuum'], '"vaccuum"; questions have vacuum'],
  ])('%j that nothing has: says so, with what is like it', async (asked, said) => {
    const stderr = `error: no question or command has the word ${said}\n`
    expect(await run(['help', ...asked])).toMatchObject({ code: 2, text: '', stderr })
  })

  test('that is a command of another tool says what to use', async () => {
    expect(await run(['help', 'xxd'])).toMatchObject({ code: 2, stderr: expect.stringContaining('dump shows') })
  })

  test('of several words is a question, also if the first is a command', async () => {
    const { code, text } = await run(['help', 'why', 'are', 'reads', 'slow'])
    expect(code).toBe(0)
    expect(text.split('\n', 1)).toEqual(['Why is my read slow?'])
  })

  test.each([
    [['duplicates'], 'Are there duplicate coordinates, how many, and where?'],
    [['checksums'], 'Do the checksums fit?'],
  ])(
    '%j begins with the question that has it, not with one that has it among its other words',
    async (asked, first) => {
      expect((await run(['help', ...asked])).text.split('\n', 1)).toEqual([first])
    },
  )

  test('prefers rare words, and takes other endings', async () => {
    const { text } = await run(['help', 'did', 'consolidating', 'the', 'fragments', 'of', 'an', 'array', 'work?'])
    expect(text.split('\n', 1)).toEqual(['Did consolidation work, and what is left of it?'])
  })
})

test('the help of the program fits 80 columns, and its questions name commands', async () => {
  const { text } = await run(['--help'])
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  const [, list] = text.split('\nQuestions:\n')
  const named = Array.from(list.matchAll(/^ {2}\S.*? {2,}(\S+)/gm), ([, name]) => name)
  expect(named.length).toBeGreaterThan(5)
  for (const name of named) expect(name === 'the' || Object.hasOwn(COMMANDS, name)).toBe(true)
})

test.each(['s3', 'region', 'aws'])('help %s leads to a text that says where S3 is, and who asks', async (word) => {
  expect((await run(['help', word])).text).toContain('  tiledb-inspect ls --help\n')
  const text = (await run(['ls', '--help'])).text.replace(/\s+/g, ' ')
  for (const told of ['s3://bucket/path', 'AWS_REGION', 'AWS_ENDPOINT_URL', 'AWS_ACCESS_KEY_ID', 'AWS_PROFILE'])
    expect(text).toContain(told)
})

test('help schema missing leads to why it does not open', async () => {
  expect((await run(['help', 'schema', 'missing'])).text).toContain('Why does TileDB fail to open it?')
})

/** Words of users, each with the command or option of a call that answers it. */
const CALL_OF_WORD =
  'nnz:places biggest:stats padding:stats dead:ls huge:stats soma:blood move:diff slow:explain delete:why merge:explain schema:schema ' +
  'null:stats travel:ls timetravel:ls restore:check undo:check rollback:check encryption:--key-file key:--key-file password:--key-file ' +
  's3:ls corrupt:check broken:check checksum:verify-checksums size:stats disk:stats space:ls filter:tile compression:stats ratio:stats ' +
  'duplicate:stats string:schema enum:schema category:schema dataframe:read pandas:read export:read csv:read parquet:read sql:read ' +
  'image:my-image map:page plot:page notebook:page jupyter:page vscode:page agent:mcp llm:mcp cleanup:ls clean:ls vacuum:ls ' +
  'consolidate:commits commits:commits lock:why memory:explain version:places crash:check json:read gdpr:stats holes:stats ci:check ' +
  'permission:check histogram:stats sync:diff threads:ls spark:read latest:ls cache:explain'

test.each(CALL_OF_WORD.split(' ').map((pair) => pair.split(':') as [string, string]))(
  'help %s finds a call of %s',
  async (word, call) => {
    const { text, code } = await run(['help', word])
    expect(code).toBe(0)
    const calls = Array.from(text.matchAll(/tiledb-inspect (.*)/g), ([, one]) => one.split(' ')).slice(0, 3)
    expect(calls.flat()).toContain(call)
  },
)

/** Words that users have typed, or would: names of other tools and formats, of parts of arrays, of troubles. */
const USER_WORDS =
  'nnz biggest padding dead huge soma move slow size corrupt broken recover repair fix lost missing delete deleted undo rollback ' +
  'vacuum consolidate merge cells values rows columns attribute dimension domain extent compress ratio encrypt key password s3 ' +
  'cloud url http csv arrow parquet pandas sql json jq export convert filter zstd checksum md5 verify validate ci memory ram oom ' +
  'crash time version old upgrade schema enum category label nullable fill nan min max sum count duplicate disk space bytes hex ' +
  'offset header footer rtree mbr hilbert order sort plot heatmap browser html share compare copy sample test group members ' +
  'genomicsdb gatk interval metadata anndata vcf vector gdal raster xarray geotiff lidar'

test.each(USER_WORDS.split(' '))('the word %s finds something', async (word) => {
  const { code, text } = await run(['help', word])
  expect(code).toBe(0)
  expect(text).toContain('tiledb-inspect ')
})

test('"group by" means groups of values, "group" those of arrays', async () => {
  for (const asked of [['group by'], ['group', 'by'], ['grouped', 'by', 'day']])
    expect((await run(['help', ...asked])).text).toMatch(/^What are the sum and mean of a field by another/)
  expect((await run(['help', 'group'])).text).toMatch(/^What is in a group/)
})
