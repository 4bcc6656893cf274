import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'

/** Region and endpoint from a profile of the AWS configuration. */
export interface S3Profile {
  region: string | undefined
  endpoint: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** Settings of a section. A setting with indented settings below it is a map of these. */
type Section = Map<string, string | Map<string, string>>

/**
 * `region` and `endpoint_url` of the profile in `AWS_PROFILE`, or of `default`. As in the AWS tools, an endpoint for S3
 * has priority over the profile's endpoint for all services.
 */
export function s3Profile(env: Environment): S3Profile {
  const sections = configuration(env)
  const name = env.AWS_PROFILE || 'default'
  const profile = sections.get(`profile ${name}`) ?? (name === 'default' ? sections.get('default') : undefined)
  const text = (value: string | Map<string, string> | undefined): string | undefined =>
    typeof value === 'string' && value !== '' ? value : undefined
  const region = text(profile?.get('region'))
  if (/^true$/i.test(env.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS ?? '')) return { region, endpoint: undefined }
  const services = text(profile?.get('services'))
  const s3 = services === undefined ? undefined : sections.get(`services ${services}`)?.get('s3')
  const own = s3 instanceof Map ? s3.get('endpoint_url') : undefined
  return { region, endpoint: own ?? text(profile?.get('endpoint_url')) }
}

function configuration(env: Environment): Map<string, Section> {
  const file = env.AWS_CONFIG_FILE || `${env.HOME || homedir()}/.aws/config`
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch {
    // A file that is missing or cannot be read means no profiles.
    return new Map()
  }
}

function parse(text: string): Map<string, Section> {
  const sections = new Map<string, Section>()
  let section: Section | undefined
  let inner: Map<string, string> | undefined
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;].*)?$/.test(line)) continue
    const head = /^\[\s*(.+?)\s*\]/.exec(line)?.[1].replace(/\s+/g, ' ')
    if (head !== undefined) {
      section = sections.get(head) ?? new Map()
      sections.set(head, section)
      inner = undefined
      continue
    }
    const [, indent, key, given] = /^(\s*)([^=]+?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (section === undefined || key === undefined) continue
    const value = given.replace(/\s[#;].*$/, '')
    if (indent !== '' && inner) inner.set(key, value)
    else if (value === '') {
      inner = new Map()
      section.set(key, inner)
    } else {
      inner = undefined
      section.set(key, value)
    }
  }
  return sections
}
