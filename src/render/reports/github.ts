import type { Output } from '../../base/result.ts'
import { walk } from '../../base/walk.ts'
import type { Severity } from '../../documents/common.ts'
import { escapeText } from '../units.ts'
import { findingText, notExaminedText, pathInRepository, type Reporter } from './reporter.ts'

/** Names of severities in GitHub's workflow commands. */
const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' }

/** Reports findings as workflow commands of GitHub Actions. Each line creates an annotation of a file. */
export function githubReporter(out: Output, folder: string): Reporter {
  const annotate = async (command: string, properties: Readonly<Record<string, string>>, text: string) => {
    const listed = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`)
    await out.write(`::${command} ${listed.join(',')}::${escapeData(escapeText(text))}\n`)
  }
  // GitHub finds the file by its path. A terminal must not get the characters that control it.
  const file = (path: string) => {
    const found = decodeURIComponent(pathInRepository(path, folder))
    return out.columns === undefined ? found : escapeText(found)
  }
  return {
    async target({ findings }) {
      const { not_examined } = await walk(findings, async (finding) => {
        const place = { file: file(finding.file), title: finding.code }
        await annotate(COMMANDS[finding.severity], place, findingText(finding))
      })
      for (const fault of not_examined) await annotate('error', { title: fault.code }, notExaminedText(fault))
    },
    failure: (error) => annotate('error', { title: error.code }, notExaminedText(error)),
    async end() {},
  }
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
