import type { SyncConfig, SyncFieldError } from '../../sys/sync/port.ts'
import { configText } from '../sync/config.ts'
import { cloudNamed, isVaultOf } from './clouds.ts'

export interface AzureSettings {
  /** Scheme, host and port. */
  readonly vault: string
  /** Whether the host is in a Key Vault domain of the cloud. If not, the application has allowed the host. */
  readonly isCloudVault: boolean
  readonly authority: string
  /** The scope that the token is requested for. */
  readonly scope: string
  readonly tenant: string
  readonly client: string
  readonly secret: string
}

export interface AzureChoices {
  readonly authority?: string | undefined
  readonly hosts?: ((name: string) => boolean) | undefined
}

/** A UUID or a domain name. It becomes part of a URL. */
const TENANT = /^[A-Za-z0-9.-]{1,255}$/

function vaultOf(config: SyncConfig): URL | undefined {
  const text = configText(config, 'key_vault_uri')
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined
}

/** @param config A validated configuration. */
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
  if (tenant !== undefined && !TENANT.test(tenant)) refuse('tenant_id', 'must be the ID of a tenant or its domain name')
  const cloud = cloudNamed(configText(config, 'cloud'))
  if (!cloud) refuse('cloud', 'must be AzurePublicCloud, AzureChinaCloud or AzureUSGovernmentCloud')
  if (configText(config, 'key_vault_uri') === undefined) return errors
  const url = vaultOf(config)
  const plain =
    url && url.protocol === 'https:' && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!plain || url.pathname !== '/') refuse('key_vault_uri', 'must be https:// and the host of a vault')
  else if (cloud && !(isVaultOf(cloud, url.hostname) && url.port === '') && hosts?.(url.hostname) !== true)
    refuse('key_vault_uri', `must be a host below ${cloud.vaults}; other hosts need the option hosts of azureSync`)
  return errors
}
