import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination, SyncRules } from '../../sys/sync/port.ts'
import { openAzureSession } from './session.ts'
import { azureSettingsOf, validateAzureConfig } from './settings.ts'

const AZURE_RULES: SyncRules = {
  maxNameLength: 127,
  maxValueBytes: 25_600,
  granularityDefault: 'secret-path',
  tags: true,
  normalizeName: (raw) => raw.replace(/[^0-9A-Za-z-]/gu, '-'),
  foldName: (name) => name.toLowerCase(),
}

export interface AzureSyncOptions {
  /** The token authority, an https URL. Default: the authority of the cloud. */
  readonly authority?: string
  /**
   * Allows hosts outside the Key Vault domains of the cloud. Anyone who may write destinations can make the process send secrets and a
   * token to such a host. Default: none.
   */
  readonly hosts?: (name: string) => boolean
}

/**
 * Azure Key Vault as a destination of secret sync, through the packages `@azure/keyvault-secrets` and `@azure/identity`, version 4, which
 * are imported at the first push.
 *
 * Required permissions: set, get, delete and recover secrets. A removed secret can be recovered for the retention time of the vault;
 * pushing to a deleted name recovers it first. Connections do not use a proxy.
 * @throws TypeError for an authority that is not an https URL.
 */
export function azureSync(options: AzureSyncOptions = {}): SyncDestination {
  const { authority, hosts } = readOptions('azureSync', options, { authority: 1, hosts: 1 })
  if (authority !== undefined && !(URL.canParse(authority) && new URL(authority).protocol === 'https:'))
    throw new TypeError('azureSync: authority: must be an https URL')
  const choices = { authority, hosts }
  return {
    type: 'cloud-b-kv',
    rules: AZURE_RULES,
    validate: (config) => validateAzureConfig(config, choices),
    open: (config) => openAzureSession(azureSettingsOf(config, choices)),
  }
}
