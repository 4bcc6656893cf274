import type { Prose } from '../../base/prose.ts'
import type { Output } from '../../base/result.ts'
import { walk } from '../../base/walk.ts'
import { escapeText } from '../units.ts'
import { findingText, notExaminedText, placeText, type Reporter } from './reporter.ts'

/**
 * Reports findings as JUnit XML for Jenkins, GitLab and Azure DevOps, with a suite for each target. Each finding is a test case,
 * which fails if its severity counts (`--fail-on`). What could not be examined is an error. A target without either has one test
 * case that passes.
 */
export function junitReporter(out: Output): Reporter {
  let begun = false
  const begin = async () => {
    if (!begun) await out.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="tiledb-inspect">\n')
    begun = true
  }
  const suite = async (name: string, cases: readonly TestCase[]) => {
    await begin()
    const count = (tag: TestCase['tag']) => cases.filter((one) => one.tag === tag).length
    const counts = { tests: cases.length, failures: count('failure'), errors: count('error'), skipped: 0 }
    await out.write(`  <testsuite${attributes({ name, ...counts, time: 0 })}>\n`)
    for (const { name: title, tag, type, message, text } of cases) {
      const inside = tag === 'system-out' ? `<${tag}>` : `<${tag}${attributes({ type, message })}>`
      const body = text === '' ? '' : `\n      ${inside}${escapeXml(text)}</${tag}>\n    `
      await out.write(`    <testcase${attributes({ classname: name, name: title, time: 0 })}>${body}</testcase>\n`)
    }
    await out.write('  </testsuite>\n')
  }
  const errorCase = (fault: Parameters<typeof notExaminedText>[0]): TestCase => ({
    name: fault.file === undefined ? fault.code : `${fault.code} ${fault.file}`,
    tag: 'error',
    type: fault.code,
    message: fault.message,
    text: notExaminedText(fault),
  })
  return {
    async target({ path, findings, fails }) {
      const cases: TestCase[] = []
      const { not_examined } = await walk(findings, (finding) => {
        const { code, severity } = finding
        const tag = fails(severity) ? 'failure' : 'system-out'
        const text = `${severity}: ${findingText(finding)}`
        cases.push({ name: `${code} ${placeText(finding)}`, tag, type: code, message: finding.message, text })
      })
      cases.push(...not_examined.map(errorCase))
      await suite(path, cases.length > 0 ? cases : [PASSED])
    },
    failure: (error) => suite(error.file ?? 'tiledb-inspect', [errorCase(error)]),
    async end() {
      await begin()
      await out.write('</testsuites>\n')
    },
  }
}

/** Test case of a target without findings. */
const PASSED: TestCase = { name: 'check', tag: 'system-out', type: '', message: '', text: '' }

interface TestCase {
  name: string
  /** Element inside the test case. With `system-out` the case passes. */
  tag: 'failure' | 'error' | 'system-out'
  type: string
  message: Prose
  /** Text of the element; if it is empty, there is no element. */
  text: string
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('')
}

/** Characters that `escapeText` leaves, and XML 1.0 cannot hold. */
const NOT_XML = /[\ufffe\uffff]/g

/** Escapes text for XML. All of it is for people, so it is escaped as in tables before. */
function escapeXml(text: string): string {
  return escapeText(text)
    .replace(NOT_XML, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
