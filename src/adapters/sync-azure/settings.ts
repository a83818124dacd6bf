/**
 * Which vault is asked, and by whom.
 */
import type { SyncConfig, SyncFieldError } from '../../sys/sync/port.ts'
import { configText } from '../sync/config.ts'
import { cloudNamed, isVaultOf } from './clouds.ts'

export interface AzureSettings {
  /** Scheme, host and port. */
  readonly vault: string
  /** The host is one of the cloud's own, and not only of those that the application vouches for. */
  readonly isCloudVault: boolean
  readonly authority: string
  /** What the token is for. */
  readonly scope: string
  readonly tenant: string
  readonly client: string
  readonly secret: string
}

export interface AzureChoices {
  readonly authority?: string | undefined
  readonly hosts?: ((name: string) => boolean) | undefined
}

/** Tenants are UUIDs or names of domains; they become part of a URL. */
const TENANT = /^[A-Za-z0-9.-]{1,255}$/

function vaultOf(config: SyncConfig): URL | undefined {
  const text = configText(config, 'key_vault_uri')
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined
}

/** For a configuration that was found good. */
export function azureSettingsOf(config: SyncConfig, { authority }: AzureChoices): AzureSettings {
  const cloud = cloudNamed(configText(config, 'cloud'))!
  const url = vaultOf(config)!
  return {
    vault: url.origin,
    isCloudVault: isVaultOf(cloud, url.hostname),
    authority: authority ?? cloud.authority,
    scope: `https://${cloud.vaults}/.default`,
    tenant: configText(config, 'tenant_id')!,
    client: configText(config, 'client_id')!,
    secret: configText(config, 'client_secret')!,
  }
}

export function validateAzureConfig(config: SyncConfig, { hosts }: AzureChoices): readonly SyncFieldError[] {
  const errors: SyncFieldError[] = []
  const refuse = (field: string, rule: string): void => void errors.push({ field, rule })
  for (const field of ['key_vault_uri', 'client_id', 'client_secret', 'tenant_id'])
    if (configText(config, field) === undefined) refuse(field, 'is required')
  const tenant = configText(config, 'tenant_id')
  if (tenant !== undefined && !TENANT.test(tenant)) refuse('tenant_id', 'has to be the id of a tenant or the name of its domain')
  const cloud = cloudNamed(configText(config, 'cloud'))
  if (!cloud) refuse('cloud', 'has to be AzurePublicCloud, AzureChinaCloud or AzureUSGovernmentCloud')
  if (configText(config, 'key_vault_uri') === undefined) return errors
  const url = vaultOf(config)
  const plain =
    url && url.protocol === 'https:' && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!plain || url.pathname !== '/') refuse('key_vault_uri', 'has to be https:// and the host of a vault')
  else if (cloud && !(isVaultOf(cloud, url.hostname) && url.port === '') && hosts?.(url.hostname) !== true)
    refuse('key_vault_uri', `has to name a host below ${cloud.vaults}; others need the option hosts of azureSync`)
  return errors
}
