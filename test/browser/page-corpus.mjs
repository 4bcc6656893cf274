import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { relativePath } from '../../src/base/paths.ts'
import { ERROR_TITLES } from '../../src/page/error-titles.ts'
import { shortCell } from '../../src/page/short-cell.ts'
import { escapeText, shortValue } from '../../src/render/units.ts'
import { measuredText, partName } from '../../src/render/views/wording.ts'
import { archiveNames, casesIn, unpacked } from '../helpers/corpus.ts'
import { parseJson } from '../helpers/json.ts'
import { Random } from '../helpers/random.ts'
import { run } from '../helpers/run.ts'
import { describe, test } from './in-turn.mjs'
import { emptyFolder, follow, NOW, open, rowsOf, SEED, turn } from './opened-page.mjs'
import { withoutOptions } from './without-options.mjs'

/**
 * Reports of arrays of every format version, some with damage. The arrays come from the fixtures and, if it exists, the large corpus. The
 * tests compare the tree with `dump`, the cells with `read` and the findings with `check`. `TEST_SEED` chooses the arrays, files and damage.
 */

const FOLDER = emptyFolder('page-corpus')
const FIXTURES = 'test/fixtures'
/** Size in bytes of the largest file whose tree is compared. */
const LONGEST = 20_000
/** Number of rows of the largest tree that is compared. */
const ROWS = 1500
/** Longest list without groups: MOST in src/page/bytes/nodes.ts. */
const GROUP = 100

const random = new Random(SEED)

const versions = readdirSync(FIXTURES)
  .filter((name) => /^\d+$/.test(name))
  .sort((a, b) => a - b)

/** Groups and encrypted arrays have tests of their own. */
function arraysOf(cases) {
  return cases.filter((path) => {
    const expected = readFileSync(`${path}.expected.json`, 'utf8')
    return ['__schema', '__array_schema.tdb'].some((name) => existsSync(join(path, name))) && !/"key": "/.test(expected)
  })
}

/** Arrays with codecs that a report contains only if it needs them. */
const CODECS = ['filter_webp', 'filter_bzip2'].map((name) => join(FIXTURES, '22', name))

const archives = archiveNames()
const targets = versions.flatMap((version) => {
  const fixture = random.pick(arraysOf(casesIn(join(FIXTURES, version))))
  if (!archives.includes(version)) return [fixture]
  return [fixture, random.pick(arraysOf(casesIn(unpacked(version))))]
})

/** The document of a command as the page has it, with exact numbers. */
async function documentOf(...args) {
  const { code, text, stderr } = await run([...args, '--json', '--quiet'], { env: { TILEDB_INSPECT_NOW: NOW } })
  assert.ok(code <= 3 && text !== '', `${args.join(' ')}: exit ${code}, ${stderr}`)
  return asInPage(parseJson(text))
}

/** Turns the JSON forms of bytes and special floats into bytes and numbers. */
function asInPage(value) {
  if (Array.isArray(value)) return value.map(asInPage)
  if (typeof value !== 'object' || value === null) return /^(NaN|-?Infinity)$/.test(value) ? Number(value) : value
  const { base64 } = value
  if (typeof base64 === 'string' && Object.keys(value).length === 1)
    return new Uint8Array(Buffer.from(base64, 'base64'))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asInPage(one)]))
}

const alerts = (page) =>
  page.evaluate(() => [...document.querySelectorAll('main [role=alert]')].map((one) => one.textContent))

/** A cell's value as a table shows it. */
function cellText(value) {
  const { text, more } = shortCell(value)
  return escapeText(text) + (more ? ` ${more}` : '')
}

async function compareCells(page, target) {
  for (const [link, ...options] of [[{ x: '' }], [{ x: 'p' }, '--provenance']]) {
    await follow(page, { v: 'cells', ...link })
    const { error } = await documentOf('read', target, '--limit', '200', ...options)
    const told = await alerts(page)
    if (error) {
      for (const part of [
        ERROR_TITLES[error.code],
        escapeText(error.file ?? ''),
        escapeText(withoutOptions(error.message)),
      ])
        assert.ok(told[0]?.includes(part), `${told[0]}: ${part}`)
      continue
    }
    assert.deepEqual(told, [])
    const labelled = await documentOf('read', target, '--limit', '200', '--labels', ...options)
    assert.deepEqual(
      ((await rowsOf(page, 'Cells')) ?? []).map((row) => row.slice(0, -1)),
      labelled.cells.map((cell) => Object.values(cell).map(cellText)),
    )
  }
}

async function compareFindings(page, target) {
  await follow(page, { v: 'findings' })
  const { findings, not_examined } = await documentOf('check', target)
  const shown = (await rowsOf(page, 'Findings')) ?? []
  assert.deepEqual(
    shown.map(([severity, , ...rest]) => [severity, ...rest]),
    findings.map(({ severity, code, file, offset, field, message, meaning, tile }) =>
      [
        severity,
        tile ?? '-',
        code,
        message,
        meaning,
        relativePath(file, target) || file,
        offset ?? '-',
        field ?? '-',
      ].map((one) => escapeText(String(one))),
    ),
  )
  const text = await page.textContent('main')
  for (const { code, message } of not_examined)
    assert.ok(text.includes(ERROR_TITLES[code]) && text.includes(withoutOptions(message)), message)
}

/**
 * Rows of an open tree as the page shows them: values without names are rows, and long lists have groups. Each row has two forms, with
 * and without the meaning of its bytes. The meaning of every field of a kind stands below the tree.
 */
function treeRows(node, level = 1, listName = '', rows = []) {
  const { name, type, value, unit, meaning, stored_value: stored, verdict, error, children } = node
  const elements = children === undefined ? elementsOf(node) : undefined
  const measured = () => measuredText(value, unit, /^\d+$/.test(name) ? listName : name, shortValue(value, 60))
  const about = (meant) =>
    [
      value === undefined || elements ? undefined : measured(),
      stored === undefined ? undefined : `(${stored})`,
      meant === undefined ? undefined : withoutOptions(meant),
      verdict === 'invalid' ? 'invalid' : undefined,
      error && error.message !== meant ? `${ERROR_TITLES[error.code]}: ${withoutOptions(error.message)}` : undefined,
    ]
      .filter((one) => one !== undefined)
      .join(' · ')
  const forms = [meaning, undefined].map((meant) => `${partName(node)} ${type} ${escapeText(about(meant))}`)
  rows.push({ level, forms })
  addKids(children ?? elements ?? [], level + 1, name, rows, 0)
  return rows
}

function addKids(list, level, listName, rows, first) {
  let size = 1
  while (list.length / size > GROUP) size *= GROUP
  for (let at = 0; at < list.length; at += size) {
    if (size === 1) treeRows(list[at], level, listName, rows)
    else {
      const part = list.slice(at, at + size)
      rows.push({ level, forms: [`[${first + at}..${first + at + part.length - 1}]`] })
      addKids(part, level + 1, listName, rows, first + at)
    }
  }
}

/** The values of a run of values. Undefined for a single value, which may be a list itself: `UINT16[3]`. */
function elementsOf({ value, type, unit }) {
  if (!Array.isArray(value)) return undefined
  const isPlain = (one) => (typeof one === 'string' ? /TIME/.test(type) : typeof one !== 'object')
  const isOne = /\[(\d+|var)\]$/.test(type) && value.every(isPlain)
  if (isOne) return undefined
  return value.map((one, i) => ({ name: String(i), type: type.replace(/\[\]$/, ''), value: one, unit }))
}

/** Opens the tree, makes it so tall that all rows are in sight, and returns them. */
async function shownRows(page, count) {
  await page.focus('[role=tree]')
  await page.keyboard.press('Home')
  await page.keyboard.press('*')
  await page.evaluate(() => {
    document.querySelector('[role=tree]').style.height = '40000px'
  })
  const isOpen = (wanted) => document.querySelectorAll('[role=treeitem]').length === wanted
  await page.waitForFunction(isOpen, count, { timeout: 30_000 }).catch(() => {})
  return page.evaluate(() =>
    [...document.querySelectorAll('[role=treeitem]')].map((row) => [
      Number(row.ariaLevel),
      row.textContent.replace(/^\S?\s+/, ''),
    ]),
  )
}

/** Small files of an array, one of each kind: a schema, metadata of a fragment, data. */
function filesOf(target) {
  const all = readdirSync(target, { recursive: true }).filter((path) => {
    const { size } = statSync(join(target, path))
    return statSync(join(target, path)).isFile() && size > 0 && size <= LONGEST && !path.startsWith('__labels')
  })
  const kinds = [/schema/, /__fragment_metadata\.tdb$/, /\/[^_/][^/]*\.tdb$|__coords.tdb$/]
  return kinds
    .map((kind) => all.filter((path) => kind.test(path)))
    .filter((paths) => paths.length > 0)
    .map((paths) => random.pick(paths))
}

async function compareTrees(page, target, files) {
  for (const file of files) {
    const expected = treeRows(await documentOf('dump', join(target, file)))
    if (expected.length > ROWS) continue
    await follow(page, { v: 'files', p: file })
    const isThere = (name) => document.querySelector('.hex [aria-label]')?.ariaLabel.startsWith(name)
    await page.waitForFunction(isThere, basename(file))
    const shown = await shownRows(page, expected.length)
    const wanted = expected.map(({ level, forms }, i) => [
      level,
      forms.find((form) => form === shown[i]?.[1]) ?? forms[0],
    ])
    // Shows only the first rows that differ, because two long lists are hard to compare.
    const first = wanted.findIndex((row, i) => !isDeepStrictEqual(row, shown[i]))
    if (first >= 0)
      assert.deepEqual(shown.slice(first, first + 3), wanted.slice(first, first + 3), `${file}, row ${first}`)
    assert.equal(shown.length, wanted.length, file)
  }
}

async function compare(target, files) {
  const report = join(FOLDER, 'report.html')
  const { code, stderr } = await run(['page', '-o', report, '--quiet', target], { env: { TILEDB_INSPECT_NOW: NOW } })
  assert.equal(code, 0, stderr)
  const { page, wrong } = await open(pathToFileURL(report).href)
  try {
    await compareFindings(page, target)
    await compareCells(page, target)
    await compareTrees(page, target, files)
    assert.deepEqual(wrong, [])
  } finally {
    await page.close()
  }
}

/** Makes a copy with a flipped bit, or with a file that is cut short. @returns the damage as text, and its file */
function damage(target, copy) {
  cpSync(target, copy, { recursive: true })
  const files = readdirSync(copy, { recursive: true }).filter((path) => /\.tdb$/.test(path))
  const full = files.filter((path) => statSync(join(copy, path)).size > 0)
  if (full.length === 0) return undefined
  const file = random.pick(full)
  const bytes = readFileSync(join(copy, file))
  const at = random.below(bytes.length)
  const isCut = random.below(4) === 0
  if (!isCut) bytes[at] ^= 1 << random.below(8)
  writeFileSync(join(copy, file), isCut ? bytes.subarray(0, at) : bytes)
  return { file, done: `${isCut ? 'cut' : 'flipped'} at byte ${at} of ${file}` }
}

describe('a report of', () => {
  for (const [i, target] of turn([...targets, ...CODECS], 9).entries()) {
    const name = target.split('/').slice(-3).join('/')
    test(`${name} shows what the command line prints`, () => compare(target, filesOf(target)))

    // Every third array, so that both fixtures and corpus are tested.
    const copy = join(FOLDER, `${i}-${basename(target)}`)
    const damaged = i % 3 === 0 ? damage(target, copy) : undefined
    if (damaged)
      test(`${name}, ${damaged.done}, shows what the command line prints`, () => compare(copy, [damaged.file]))
  }
})
