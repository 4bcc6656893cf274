import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { UNSAFE } from '../../src/base/unsafe-text.ts'
import { FINDING_CODES } from '../../src/check/codes.ts'
import { githubReporter } from '../../src/render/reports/github.ts'
import { junitReporter } from '../../src/render/reports/junit.ts'
import { pathInRepository } from '../../src/render/reports/reporter.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { type RunOptions, run } from '../helpers/run.ts'

const folder = temporaryFolder()
/** An array with two short data files, under a name that needs escapes everywhere. */
const SHORT = join(folder, 'a "b" & <c> #1:2,3%')
const MISSING = join(folder, 'missing')
const WHOLE = `${FIXTURES}/22/filter_sha256`

beforeAll(async () => {
  const made = await run(['write-sample', SHORT, '--damage', 'FILE_SHORT'])
  expect(made.stderr).toBe('')
  const [fragment = ''] = fragmentNames(SHORT)
  truncateSync(join(SHORT, '__fragments', fragment, 'a0.tdb'), 0)
})

interface Sarif {
  version: string
  runs: {
    tool: { driver: { name: string; rules: { id: string; fullDescription: { text: string } }[] } }
    results: {
      ruleId: string
      ruleIndex: number
      level: string
      message: { text: string }
      locations: {
        physicalLocation: {
          artifactLocation: { uri: string; uriBaseId: string }
          region: { startLine: number; byteOffset?: number }
        }
        logicalLocations: { fullyQualifiedName: string }[]
      }[]
      partialFingerprints: { primaryLocationLineHash: string }
    }[]
    invocations: { executionSuccessful: boolean; toolExecutionNotifications: { message: { text: string } }[] }[]
  }[]
}

describe('SARIF', () => {
  test('one run for all targets: results, their rules, and what was not examined', async () => {
    const { code, text, stderr } = await run(['check', SHORT, MISSING, WHOLE, '--format', 'sarif'])
    expect(code).toBe(1)
    expect(stderr).toBe(`error: ${MISSING}: no such file or folder\n`)
    const { version, runs } = JSON.parse(text) as Sarif
    expect([version, runs.length]).toEqual(['2.1.0', 1])
    const [{ tool, results, invocations }] = runs
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['FILE_SHORT', 'error'],
      ['FILE_SHORT', 'error'],
    ])
    for (const { ruleId, ruleIndex, locations, message } of results) {
      expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
      const [{ physicalLocation }] = locations
      expect(physicalLocation.region.startLine).toBe(1)
      expect(physicalLocation.artifactLocation.uriBaseId).toBe('%SRCROOT%')
      const path = decodeURIComponent(physicalLocation.artifactLocation.uri)
      expect(existsSync(`/${path}`) || existsSync(path)).toBe(true)
      expect(message.text).toMatch(/: expected .*, found .*\.$/)
    }
    expect(tool.driver.rules[0].fullDescription.text.toLowerCase()).toContain(FINDING_CODES.FILE_SHORT.meaning)
    // Without a fingerprint of its own, code scanning takes all results of a rule in a binary file for one.
    expect(
      new Set(results.map(({ partialFingerprints: { primaryLocationLineHash } }) => primaryLocationLineHash)).size,
    ).toBe(2)
    expect(invocations[0].executionSuccessful).toBe(false)
    expect(invocations[0].toolExecutionNotifications.map(({ message }) => message.text)).toEqual([
      `Not examined: ${MISSING}: no such file or folder (NOT_FOUND).`,
    ])
  })

  test('the same call writes the same bytes, in a file, too', async () => {
    const file = join(folder, 'report.sarif')
    const { code, text } = await run(['check', SHORT, MISSING, '--format', 'sarif'])
    expect((await run(['check', SHORT, MISSING, '-o', file])).code).toBe(code)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('a whole array gives a run without results', async () => {
    const { code, text } = await run(['check', WHOLE, '--format', 'sarif'])
    expect(code).toBe(0)
    const [{ results, invocations }] = (JSON.parse(text) as Sarif).runs
    expect(results).toEqual([])
    expect(invocations).toEqual([{ executionSuccessful: true, toolExecutionNotifications: [] }])
  })
})

test.each([
  ['data/a b/#1.tdb', 'data/a%20b/%231.tdb'],
  ['./x/../y/100%.tdb', 'y/100%25.tdb'],
  ['/repo/tree/y/z.tdb', 'y/z.tdb'],
  ['/elsewhere/y.tdb', 'elsewhere/y.tdb'],
  ['../beside/y.tdb', 'repo/beside/y.tdb'],
  ['file:///repo/tree/y', 'y'],
  ['//repo/tree/a/b.tdb', 'a/b.tdb'],
  ['file://localhost/repo/tree/a/b.tdb', 'a/b.tdb'],
  ['s3://bucket/a/b.tdb', 'bucket/a/b.tdb'],
  ['https://example.org/a b.tdb', 'example.org/a%20b.tdb'],
])('%s lies in the repository at %s', (path, found) => {
  expect(pathInRepository(path, '/repo/tree')).toBe(found)
})

/** An output that keeps what is written. */
function collected() {
  const parts: (string | Uint8Array)[] = []
  const write = (part: string | Uint8Array): void => {
    parts.push(part)
  }
  return { collect: { write, color: false, columns: undefined }, text: () => parts.join('') }
}

describe('JUnit', () => {
  test('findings that count fail, what was not examined is an error, a whole target passes', async () => {
    const file = join(folder, 'report.xml')
    const { code } = await run(['check', SHORT, MISSING, WHOLE, '-o', file])
    expect(code).toBe(1)
    const text = readFileSync(file, 'utf8')
    expect(text.match(/<testsuite .*>/g)?.map((suite) => / tests=.* skipped="0"/.exec(suite)?.[0])).toEqual([
      ' tests="2" failures="2" errors="0" skipped="0"',
      ' tests="1" failures="0" errors="1" skipped="0"',
      ' tests="1" failures="0" errors="0" skipped="0"',
    ])
    expect(text).toContain('<failure type="FILE_SHORT" message="expected ')
    expect(text).toContain('<error type="NOT_FOUND" message="no such file or folder">')
    expect(text).toContain(`<testsuite name="${folder}/a &quot;b&quot; &amp; &lt;c&gt; #1:2,3%"`)
    // Nothing is left of markup once the tags are taken away.
    expect(text.replace(/<\/?[a-z?][^<>]*>/g, '')).not.toMatch(/[<>]/)
  })

  test('findings below --fail-on pass, and are told', async () => {
    const array = join(folder, 'noted')
    await run(['write-sample', array, '--damage', 'ARRAY_UNKNOWN_ENTRY'])
    const failures = async (severity: string) => {
      const { code, text } = await run(['check', array, '--format', 'junit', '--fail-on', severity])
      expect(text).toContain('ARRAY_UNKNOWN_ENTRY')
      return [code, / failures="(\d+)"/.exec(text)?.[1], text.includes('<system-out>note: ')]
    }
    expect(await failures('warning')).toEqual([0, '0', true])
    expect(await failures('note')).toEqual([1, '1', false])
  })

  test('characters that XML cannot hold are escaped as in tables, or replaced', async () => {
    const { collect, text } = collected()
    const reporter = junitReporter(collect)
    await reporter.failure({ code: 'IO', message: 'a\u0000b\u{1F600}\uD800\n\uFFFE', file: 'x' })
    await reporter.end()
    expect(text()).toContain('message="a\\x00b\u{1F600}\\ud800\\n\uFFFD"')
  })
})

describe('GitHub', () => {
  test('a line of annotation each, with escapes', async () => {
    const { code, text } = await run(['check', SHORT, MISSING, '--format', 'github'])
    expect(code).toBe(1)
    const lines = text.trimEnd().split('\n')
    const [, file] = /^::error file=(.*),title=FILE_SHORT::/.exec(lines[0]) ?? []
    expect(lines.length).toBe(3)
    expect(file).toContain('a "b" & <c> #1%3A2%2C3%25/__fragments/')
    expect(lines[2]).toBe(`::error title=NOT_FOUND::not examined: ${MISSING}: no such file or folder (NOT_FOUND)`)
  })

  test('a line end in a name ends no annotation', async () => {
    const { collect, text } = collected()
    const reporter = githubReporter(collect, '/repo')
    await reporter.failure({ code: 'IO', message: 'a\n::error::b', file: 'x' })
    expect(text()).toBe('::error title=IO::not examined: x: a\\n::error::b (IO)\n')
  })
})

describe('a name with characters that reorder text or control a terminal', () => {
  const NAME = 'a\u202Eb\x1Bc\u{E0041}d'
  const SHOWN = 'a\\u202eb\\x1bc\\u{e0041}d'
  const array = join(folder, NAME)
  const stray = join(array, '__fragments', NAME)

  beforeAll(async () => {
    expect((await run(['write-sample', array])).code).toBe(0)
    writeFileSync(stray, '')
  })

  async function report(format: string, options: RunOptions = {}): Promise<string> {
    const { code, text } = await run(['check', array, `${array}.gone`, '--format', format], options)
    expect(code).toBe(3)
    return text
  }

  test('SARIF: texts show it escaped, paths are true, and the bytes are safe on a terminal', async () => {
    const text = await report('sarif')
    expect(text.replaceAll('\n', '')).not.toMatch(UNSAFE)
    const [{ results, invocations }] = (JSON.parse(text) as Sarif).runs
    const [{ message, locations }] = results
    const [{ physicalLocation, logicalLocations }] = locations
    expect(`/${decodeURIComponent(physicalLocation.artifactLocation.uri)}`).toBe(stray)
    expect(logicalLocations).toEqual([{ fullyQualifiedName: stray }])
    for (const shown of [message, invocations[0].toolExecutionNotifications[0].message]) {
      expect(shown.text).not.toMatch(UNSAFE)
      expect(shown.text).toContain(SHOWN)
    }
  })

  test('JUnit: all text is for people', async () => {
    const text = await report('junit')
    expect(text.replaceAll('\n', '')).not.toMatch(UNSAFE)
    expect(text).toContain(`${SHOWN}/__fragments/${SHOWN}`)
  })

  test('GitHub: only the path of the file is true, and on a terminal not even that', async () => {
    const [found, fault] = (await report('github')).split('\n')
    const [, file, shown] = /^::notice file=(.*?),(title=.*)$/.exec(found) ?? []
    expect(file).toBe(stray.slice(1))
    expect(shown).toContain(`::${folder}/${SHOWN}/__fragments/${SHOWN}: `)
    for (const text of [shown, fault, ...(await report('github', { columns: 80 })).split('\n')])
      expect(text).not.toMatch(UNSAFE)
  })

  test('an error as a document on stderr parses to it, and is safe on a terminal', async () => {
    const { stderr } = await run(['ls', `${array}.gone`], { env: { TILEDB_INSPECT_ERRORS: 'json' } })
    expect(stderr.trimEnd()).not.toMatch(UNSAFE)
    expect(JSON.parse(stderr)).toMatchObject({ error: { file: `${array}.gone` } })
  })
})

test('formats of findings are for findings', async () => {
  const plan = await run(['check', SHORT, '--plan', '--format', 'sarif'])
  expect([plan.code, plan.stderr]).toEqual([
    2,
    'error: --format sarif holds findings, not a plan: choose table or json\n',
  ])
  const ls = await run(['ls', WHOLE, '-o', join(folder, 'x.sarif')])
  expect([ls.code, existsSync(join(folder, 'x.sarif'))]).toEqual([2, false])
  expect(ls.stderr).toContain('not sarif')
})
