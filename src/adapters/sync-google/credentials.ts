/** The key of a service account. */
import { createPrivateKey } from 'node:crypto'
import type { SyncConfig, SyncFieldError } from '../../sys/sync/port.ts'
import { configText } from '../sync/config.ts'

export interface GoogleServiceAccount {
  readonly email: string
  readonly privateKey: string
  readonly keyId?: string
  /** Undefined if neither the key nor the email address names the project. */
  readonly project: string | undefined
}

const UNIVERSE = 'googleapis.com'
const PROJECT = /^[a-z0-9][a-z0-9.:-]{0,100}$/
/** The maximum length of a key in JSON, which usually has about 2,400 characters. */
const MAX_CREDENTIALS_CHARACTERS = 32_768

/** The maximum size of a key. Google's keys have 2048 bits. The SDK signs synchronously, and longer keys would block the event loop. */
const MAX_RSA_BITS = 4096

/** @returns The account, or an error message. */
export function accountIn(config: SyncConfig): GoogleServiceAccount | string {
  const text = configText(config, 'credentials')
  if (text === undefined) return 'is required'
  const json = text.length <= MAX_CREDENTIALS_CHARACTERS ? parsed(text) : undefined
  if (!json) return 'must be the JSON of a service account key'
  // Credentials of other types can name URLs and programs from which the SDK would request a token.
  if (json['type'] !== undefined && json['type'] !== 'service_account') return 'must have the type service_account'
  const { client_email: email, private_key: privateKey, private_key_id: keyId, project_id: project } = json
  if (typeof email !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(email)) return 'must have a client_email'
  if (typeof privateKey !== 'string' || !isRsaKey(privateKey))
    return `must have a private_key: an RSA key in PEM, of at most ${MAX_RSA_BITS} bits`
  return {
    email,
    privateKey,
    ...(typeof keyId === 'string' && { keyId }),
    project: typeof project === 'string' && PROJECT.test(project) ? project : projectOf(email),
  }
}

/** The email address of a service account that users create contains the project. */
const projectOf = (email: string): string | undefined => /@([a-z0-9-]+)\.iam\.gserviceaccount\.com$/.exec(email)?.[1]

/** @param anywhere Whether the application has configured an endpoint. The key may then have any `universe_domain`. */
export function validateGoogleConfig(config: SyncConfig, anywhere: boolean): readonly SyncFieldError[] {
  const account = accountIn(config)
  if (typeof account === 'string') return [{ field: 'credentials', rule: account }]
  const universe = parsed(configText(config, 'credentials')!)?.['universe_domain']
  if (universe !== undefined && universe !== UNIVERSE && !anywhere)
    return [
      {
        field: 'credentials',
        rule: `must have the universe_domain ${UNIVERSE}; other domains need the option endpoint of googleSync`,
      },
    ]
  return account.project === undefined ? [{ field: 'credentials', rule: 'must have a project_id' }] : []
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function isRsaKey(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) <= MAX_RSA_BITS
  } catch {
    return false
  }
}
