/**
 * Who asks, and in which region: from the configuration, else from the environment that the application gave, else as the SDK finds it.
 */
import type { SyncConfig, SyncFieldError } from '../../sys/sync/port.ts'
import { configText } from '../sync/config.ts'

/** The variables that are read; any others may be there. */
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

/** Absent members: the SDK's own chain. */
export interface AwsSettings {
  readonly credentials?: Credentials
  readonly region?: string
}

/** The region becomes part of a host's name. */
const REGION = /^[a-z0-9]+(-[a-z0-9]+)*$/
/** It is sent in a header. */
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
    refuse('access_key_id', 'has to be the id of a key: 1 to 128 letters, digits and underscores')
  if (id && !secret) refuse('secret_access_key', 'is needed beside access_key_id')
  if (secret && !id) refuse('access_key_id', 'is needed beside secret_access_key')
  const { region, credentials } = awsSettingsOf(config, environment)
  if (region !== undefined && (region.length > MAX_REGION_CHARACTERS || !REGION.test(region)))
    refuse('region', 'has to be the name of a region')
  // Without an environment the SDK's own chain is asked, at the first push.
  if (environment && region === undefined) refuse('region', 'is needed: the environment has none')
  if (environment && !credentials && !id && !secret) refuse('access_key_id', 'is needed: the environment has none')
  return errors
}
