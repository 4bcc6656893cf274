import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { attempt } from '../../base/errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Settings of a section. A setting that is indented below another one has the name `other.name`. */
type Section = Map<string, string>

/**
 * `region` and `endpoint_url` of the profile in `AWS_PROFILE`, or of `default`. As in the AWS tools, an endpoint for S3
 * has priority over the profile's endpoint for all services.
 */
export function s3Profile(env: Environment): { region: string | undefined; endpoint: string | undefined } {
  const sections = configuration(env)
  const name = env.AWS_PROFILE || 'default'
  const profile = sections.get(`profile ${name}`) ?? (name === 'default' ? sections.get('default') : undefined)
  const region = profile?.get('region')
  if (/^true$/i.test(env.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS ?? '')) return { region, endpoint: undefined }
  const forS3 = sections.get(`services ${profile?.get('services')}`)?.get('s3.endpoint_url')
  return { region, endpoint: forS3 ?? profile?.get('endpoint_url') }
}

/** The sections of the configuration file; none if the file is missing or cannot be read. */
function configuration(env: Environment): Map<string, Section> {
  const file = env.AWS_CONFIG_FILE || `${env.HOME || homedir()}/.aws/config`
  const text = attempt(() => readFileSync(file, 'utf8'))
  return text === undefined ? new Map() : parse(text)
}

function parse(text: string): Map<string, Section> {
  const sections = new Map<string, Section>()
  let section: Section | undefined
  let outer = ''
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;].*)?$/.test(line)) continue
    const head = /^\[\s*(.+?)\s*\]/.exec(line)?.[1]?.replace(/\s+/g, ' ')
    if (head !== undefined) {
      section = sections.get(head) ?? new Map()
      sections.set(head, section)
      outer = ''
      continue
    }
    const [, indent, key, given = ''] = /^(\s*)([^=]+?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (section === undefined || key === undefined) continue
    const value = given.replace(/\s[#;].*$/, '')
    if (indent === '') outer = ''
    if (value === '' && outer === '') outer = `${key}.`
    else section.set(outer + key, value)
  }
  return sections
}
