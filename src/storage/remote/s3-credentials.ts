import { InspectError } from '../../base/errors.ts'

/** Credentials to sign S3 requests with. */
interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  expiration?: Date | undefined
}

/** Returns the credentials for a request; undefined for a request that is not signed. */
export type CredentialsProvider = () => Promise<S3Credentials | undefined>

type Environment = Readonly<Record<string, string | undefined>>

/** Time in milliseconds before credentials expire at which they are renewed. */
const BEFORE_EXPIRY = 5 * 60_000

/**
 * The usual chain of AWS credentials: environment, shared files, SSO, web identity, process, container, instance. Only
 * the environment is read here. `@aws-sdk/credential-provider-node` finds the others; it takes 0.2 s to load.
 */
export function credentialChain(env: Environment, warn: (text: string) => void): CredentialsProvider {
  const fromEnvironment = environmentCredentials(env)
  if (fromEnvironment) return async () => fromEnvironment
  let known: ReturnType<CredentialsProvider> | undefined
  let expires = Number.POSITIVE_INFINITY
  const ask = async (): Promise<S3Credentials | undefined> => {
    const found = await chainOfSdk(warn)
    if (found?.expiration) expires = found.expiration.getTime() - BEFORE_EXPIRY
    return found
  }
  return () => {
    if (!known || Date.now() > expires) {
      expires = Number.POSITIVE_INFINITY
      known = ask()
    }
    return known
  }
}

/** Undefined if AWS_PROFILE is set: as in the SDK, it has priority over keys in the environment. */
function environmentCredentials(env: Environment): S3Credentials | undefined {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE } = env
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY || AWS_PROFILE) return undefined
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN || undefined,
  }
}

/** The credentials that the SDK finds; undefined, with a warning, if there are none. */
async function chainOfSdk(warn: (text: string) => void): Promise<S3Credentials | undefined> {
  let sdk: typeof import('@aws-sdk/credential-provider-node')
  try {
    sdk = await import('@aws-sdk/credential-provider-node')
  } catch (cause) {
    throw new InspectError(
      'NO_PERMISSION',
      'expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, --no-sign-request, or the optional package @aws-sdk/credential-provider-node, which finds credentials elsewhere; found none of them',
      {},
      { cause },
    )
  }
  try {
    return await sdk.defaultProvider({ logger: QUIET })()
  } catch (cause) {
    const isOfSdk = cause instanceof Error && cause.name === 'CredentialsProviderError'
    // Prose: the SDK has one name for all errors. Another message means that something is configured wrongly.
    if (isOfSdk && cause.message === 'Could not load credentials from any providers') {
      warn('no AWS credentials were found: requests are not signed (--no-sign-request says so without looking)')
      return undefined
    }
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new InspectError('NO_PERMISSION', `expected AWS credentials, found: ${why}`, {}, { cause })
  }
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {}, trace() {} }
