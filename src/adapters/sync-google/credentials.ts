/**
 * The key of a service account: who asks, and in which project.
 */
import { createPrivateKey } from 'node:crypto'
import type { SyncConfig, SyncFieldError } from '../../sys/sync/port.ts'
import { configText } from '../sync/config.ts'

export interface GoogleServiceAccount {
  readonly email: string
  readonly privateKey: string
  readonly keyId?: string
  /** Undefined where the key does not tell it. */
  readonly project: string | undefined
}

const UNIVERSE = 'googleapis.com'
const PROJECT = /^[a-z0-9][a-z0-9.:-]{0,100}$/
/** A key with its JSON around it has some 2,400 characters. */
const MAX_CREDENTIALS_CHARACTERS = 32_768

/** Google's have 2048. The SDK signs in one piece, and longer keys would keep everybody else waiting. */
const MAX_RSA_BITS = 4096

/** @returns The account, or what is wrong. */
export function accountIn(config: SyncConfig): GoogleServiceAccount | string {
  const text = configText(config, 'credentials')
  if (text === undefined) return 'is required'
  const json = text.length <= MAX_CREDENTIALS_CHARACTERS ? parsed(text) : undefined
  if (!json) return 'has to be the JSON of a service account`s key'
  // Other kinds name addresses and programs that the SDK would ask for a token.
  if (json['type'] !== undefined && json['type'] !== 'service_account') return 'has to be of type service_account'
  const { client_email: email, private_key: privateKey, private_key_id: keyId, project_id: project } = json
  if (typeof email !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(email)) return 'has to have a client_email'
  if (typeof privateKey !== 'string' || !isRsaKey(privateKey))
    return `has to have a private_key that is an RSA key in PEM, of at most ${MAX_RSA_BITS} bits`
  return {
    email,
    privateKey,
    ...(typeof keyId === 'string' && { keyId }),
    project: typeof project === 'string' && PROJECT.test(project) ? project : projectOf(email),
  }
}

/** Accounts that users make are named after their project. */
const projectOf = (email: string): string | undefined => /@([a-z0-9-]+)\.iam\.gserviceaccount\.com$/.exec(email)?.[1]

/** @param anywhere The application says where the store is. */
export function validateGoogleConfig(config: SyncConfig, anywhere: boolean): readonly SyncFieldError[] {
  const account = accountIn(config)
  if (typeof account === 'string') return [{ field: 'credentials', rule: account }]
  const universe = parsed(configText(config, 'credentials')!)?.['universe_domain']
  if (universe !== undefined && universe !== UNIVERSE && !anywhere)
    return [{ field: 'credentials', rule: `has to be of ${UNIVERSE}; others need the option endpoint of googleSync` }]
  return account.project === undefined ? [{ field: 'credentials', rule: 'has to have a project_id' }] : []
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
