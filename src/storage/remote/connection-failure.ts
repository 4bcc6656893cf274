import { env } from 'node:process'
import type { Failure } from './client.ts'

/** Error codes for a certificate that is expired, is not signed by a known authority, or is for another host. */
const CERTIFICATE_FAULTS = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** Error codes that another try would give, too. */
const LASTING = new Set(['ENOTFOUND', 'ECONNREFUSED', 'ERR_INVALID_URL', ...CERTIFICATE_FAULTS])

/** What an error of Node's `fetch` means. @param url of the request; only its port is used */
export function connectionFailure(cause: unknown, url: string): Failure {
  const code = codeBelow(cause)
  if (code === 'bad port') {
    const failure = `a port that is reserved for another protocol, which HTTP clients do not connect to (${new URL(url).port})`
    return { failure, canRetry: false, cause }
  }
  if (code === 'ENOTFOUND') return { failure: `no such host${proxyNote()}`, canRetry: false, cause }
  if (code === 'ECONNREFUSED') return { failure: 'that nobody listens there (ECONNREFUSED)', canRetry: false, cause }
  return { failure: `a broken connection (${code})${noteOn(code)}`, canRetry: !LASTING.has(code), cause }
}

function noteOn(code: string): string {
  if (CERTIFICATE_FAULTS.has(code)) return certificateNote(env)
  return code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ENETUNREACH' || code === 'EHOSTUNREACH' ? proxyNote() : ''
}

/** A hint for {@link CERTIFICATE_FAULTS}. Node reads extra certificates only at its start, so they cannot be set here. */
export function certificateNote({
  AWS_CA_BUNDLE,
  NODE_EXTRA_CA_CERTS,
}: Readonly<Record<string, string | undefined>>): string {
  return AWS_CA_BUNDLE && !NODE_EXTRA_CA_CERTS
    ? '; AWS_CA_BUNDLE is not read: give its file in NODE_EXTRA_CA_CERTS'
    : '; NODE_EXTRA_CA_CERTS names a file of further certificates to trust'
}

/** A hint that a proxy may be needed. Node uses the proxy variables since version 24, and only with NODE_USE_ENV_PROXY. */
function proxyNote(): string {
  const { HTTPS_PROXY, https_proxy, HTTP_PROXY, http_proxy, NODE_USE_ENV_PROXY } = env
  const named = HTTPS_PROXY || https_proxy || HTTP_PROXY || http_proxy
  return named && !NODE_USE_ENV_PROXY
    ? '; a proxy is named in the environment: Node 24 uses it with NODE_USE_ENV_PROXY=1'
    : ''
}

/** The first error code among the causes of an error of fetch; without a code, the message of the last cause. */
function codeBelow(error: unknown): string {
  let deepest = error
  for (let at = error; typeof at === 'object' && at !== null; at = 'cause' in at ? at.cause : undefined) {
    if ('code' in at && typeof at.code === 'string') return at.code
    if ('errors' in at && Array.isArray(at.errors) && at.errors.length > 0) return codeBelow(at.errors[0])
    deepest = at
  }
  return deepest instanceof Error ? deepest.message : String(deepest)
}
