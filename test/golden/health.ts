import { get, type Json } from '../helpers/json.ts'
import { runJson } from '../helpers/run.ts'
import { readExpected } from './expected.ts'

/** What `check --level cells` says against an array that TileDB wrote and reads: each error and warning in a line. */
export async function accusations(path: string): Promise<string[]> {
  const { key } = readExpected(`${path}.expected.json`)
  const { documents, stderr } = await runJson(['check', '--level', 'cells', ...(key ? ['--key', key] : []), path])
  const [document] = documents
  if (document === undefined || get(document, 'findings') === undefined) return [`check: ${stderr.trim()}`]
  const findings = get(document, 'findings') as readonly Json[]
  const said = findings.filter((one) => get(one, 'severity') !== 'note')
  const lines = said.map((one) =>
    ['severity', 'code', 'file', 'field', 'tile', 'message'].map((name) => String(get(one, name) ?? '')).join(' '),
  )
  const left = get(document, 'not_examined') as readonly Json[]
  return [...lines, ...left.map((one) => `not examined: ${JSON.stringify(one)}`)].map((line) => `check: ${line}`)
}
