/**
 * Azure Key Vault as a destination of secret sync.
 */
import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination } from '../../sys/sync/port.ts'
import { AZURE_RULES } from './rules.ts'
import { openAzureSession } from './session.ts'
import { azureSettingsOf, validateAzureConfig } from './settings.ts'

export interface AzureSyncOptions {
  /** Who gives tokens, in place of the cloud's own authority: a URL of https. */
  readonly authority?: string
  /**
   * Whether a host that is none of the cloud's vaults may be asked. Whoever may write destinations makes the process send secrets and a token
   * there. Default: none may.
   */
  readonly hosts?: (name: string) => boolean
}

/**
 * Secrets of Azure Key Vault, through the packages `@azure/keyvault-secrets` and `@azure/identity`, version 4, imported at the first push.
 *
 * Permissions: set, get, delete and recover of secrets. What is removed stays recoverable for the vault's own time; a name that is deleted and
 * recoverable is recovered. Connections do not go through a proxy.
 * @throws TypeError for an authority that is no URL of https.
 */
export function azureSync(options: AzureSyncOptions = {}): SyncDestination {
  const { authority, hosts } = readOptions('azureSync', options, { authority: 1, hosts: 1 })
  if (authority !== undefined && !(URL.canParse(authority) && new URL(authority).protocol === 'https:'))
    throw new TypeError('azureSync: authority has to be a URL of https')
  const choices = { authority, hosts }
  return {
    type: 'cloud-b-kv',
    rules: AZURE_RULES,
    validate: (config) => validateAzureConfig(config, choices),
    open: (config) => openAzureSession(azureSettingsOf(config, choices)),
  }
}
