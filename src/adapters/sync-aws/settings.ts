/** Credentials and region: from the configuration, or else from the application's environment, or else from the SDK. */
import type { SyncConfig, SyncFieldError } from '../../sys/sync/port.ts'
import { configText } from '../sync/config.ts'

/** The environment variables that are read. */
export interface AwsSyncEnvironment {
  readonly AWS_ACCESS_KEY_ID?: string | undefined
  readonly AWS_SECRET_ACCESS_KEY?: string | undefined
  readonly AWS_SESSION_TOKEN?: string | undefined
  readonly AWS_REGION?: string | undefined
}

interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** The SDK's provider chain provides absent members. */
export interface AwsSettings {
  readonly credentials?: Credentials
  readonly region?: string
}

/** Restricted, because the region becomes part of a host name. */
const REGION = /^[a-z0-9]+(-[a-z0-9]+)*$/
/** Restricted, because the key ID is sent in a header. */
const KEY_ID = /^\w{1,128}$/
const MAX_REGION_CHARACTERS = 63

export function awsSettingsOf(config: SyncConfig, environment: AwsSyncEnvironment | undefined): AwsSettings {
  const region = configText(config, 'region') ?? environment?.AWS_REGION
  const credentials = configuredCredentials(config) ?? (environment && environmentCredentials(environment))
  return { ...(region && { region }), ...(credentials && { credentials }) }
}

function configuredCredentials(config: SyncConfig): Credentials | undefined {
  const accessKeyId = configText(config, 'access_key_id')
  const secretAccessKey = configText(config, 'secret_access_key')
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined
}

function environmentCredentials(environment: AwsSyncEnvironment): Credentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = environment
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, ...(token && { sessionToken: token }) } : undefined
}

export function validateAwsConfig(config: SyncConfig, environment: AwsSyncEnvironment | undefined): readonly SyncFieldError[] {
  const errors: SyncFieldError[] = []
  const refuse = (field: string, rule: string): void => void errors.push({ field, rule })
  const id = configText(config, 'access_key_id')
  const secret = configText(config, 'secret_access_key')
  if (id !== undefined && !KEY_ID.test(id))
    refuse('access_key_id', 'must be the ID of an access key: 1 to 128 letters, digits and underscores')
  if (id && !secret) refuse('secret_access_key', 'is required with access_key_id')
  if (secret && !id) refuse('access_key_id', 'is required with secret_access_key')
  const { region, credentials } = awsSettingsOf(config, environment)
  if (region !== undefined && (region.length > MAX_REGION_CHARACTERS || !REGION.test(region)))
    refuse('region', 'must be the name of a region')
  // Without `environment`, the SDK's provider chain supplies missing values at the first push, so they cannot be checked here.
  if (environment && region === undefined) refuse('region', 'is required, because the environment does not provide it')
  if (environment && !credentials && !id && !secret)
    refuse('access_key_id', 'is required, because the environment does not provide it')
  return errors
}
