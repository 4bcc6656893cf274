import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Output } from '../../base/result.ts'
import { safeJson } from '../../base/unsafe-text.ts'
import { walk } from '../../base/walk.ts'
import { FINDING_CODES, type FindingCode } from '../../check/codes.ts'
import type { CheckFinding } from '../../documents/check.ts'
import { escapeText } from '../units.ts'
import { findingText, notExaminedText, pathInRepository, type Reporter, sentence } from './reporter.ts'

/**
 * Reports findings as SARIF 2.1.0, with one run for all targets. Results are written as they are found. The rules and the faults
 * follow after them, as the order of keys has no meaning.
 *
 * GitHub's code scanning requires more than the standard. Each result needs a line of a file in the repository, and a fingerprint:
 * without one, all results of a rule in one file would be the same result, as binary files have only line 1.
 *
 * Messages are for people, so their text is escaped as in tables. Paths and names in other keys are for programs, and stay as they are.
 */
export function sarifReporter(out: Output, folder: string, version: string): Reporter {
  const rules = new Map<FindingCode, number>()
  const faults: string[] = []
  let begun = false
  const begin = async () => {
    if (!begun)
      await out.write(
        '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"columnKind":"utf16CodeUnits","results":[',
      )
    begun = true
  }
  let separator = '\n'
  const result = (finding: CheckFinding) => {
    const { code, severity, file, offset, space, field, tile, chunk, position } = finding
    if (!rules.has(code)) rules.set(code, rules.size)
    const bytes = offset === null || space !== undefined ? {} : { byteOffset: offset, byteLength: 0 }
    return {
      ruleId: code,
      ruleIndex: rules.get(code),
      level: severity,
      message: { text: escapeText(findingText(finding)) },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: pathInRepository(file, folder), uriBaseId: '%SRCROOT%' },
            region: { startLine: 1, ...bytes },
          },
          logicalLocations: [{ fullyQualifiedName: [file, field, tile, chunk, position].filter(isGiven).join('#') }],
        },
      ],
      partialFingerprints: { primaryLocationLineHash: fingerprint([code, file, field, tile, chunk, position, offset]) },
    }
  }
  return {
    async target({ findings }) {
      const { not_examined } = await walk(findings, async (finding) => {
        await begin()
        await out.write(`${separator}${safeJson(result(finding))}`)
        separator = ',\n'
      })
      await begin()
      faults.push(...not_examined.map(notExaminedText))
    },
    async failure(error) {
      await begin()
      faults.push(notExaminedText(error))
    },
    async end() {
      await begin()
      const driver = {
        name: 'tiledb-inspect',
        version,
        rules: Array.from(rules.keys(), rule),
      }
      const notifications = faults.map((text) => ({ level: 'error', message: { text: escapeText(sentence(text)) } }))
      const invocation = { executionSuccessful: faults.length === 0, toolExecutionNotifications: notifications }
      const rest = safeJson({ tool: { driver }, invocations: [invocation] })
      await out.write(`\n],${rest.slice(1)}]}\n`)
    },
  }
}

function rule(id: FindingCode) {
  const meaning = sentence(FINDING_CODES[id].meaning)
  const name = id.replace(
    /(?:^|_)([A-Z0-9])([A-Z0-9]*)/g,
    (_, first: string, more: string) => first + more.toLowerCase(),
  )
  const short = sentence(id.replaceAll('_', ' ').toLowerCase())
  const text = `${meaning} docs/check.md of the program has all codes.`
  return { id, name, shortDescription: { text: short }, fullDescription: { text: meaning }, help: { text } }
}

function isGiven(part: string | number | null | undefined): boolean {
  return part !== null && part !== undefined
}

/** Returns a fingerprint that is the same for a finding in each run. */
function fingerprint(parts: readonly (string | number | null | undefined)[]): string {
  return `${bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts).toWellFormed()))).slice(0, 16)}:1`
}
