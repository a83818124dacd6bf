/**
 * The clouds that have Key Vault: where their vaults are, and who gives tokens for them.
 */

export interface AzureCloud {
  /** Vaults are hosts below it. */
  readonly vaults: string
  readonly authority: string
}

const PUBLIC: AzureCloud = { vaults: 'vault.azure.net', authority: 'https://login.microsoftonline.com' }
const CHINA: AzureCloud = { vaults: 'vault.azure.cn', authority: 'https://login.chinacloudapi.cn' }
const GOVERNMENT: AzureCloud = { vaults: 'vault.usgovcloudapi.net', authority: 'https://login.microsoftonline.us' }

/** By the names that Azure's own tools give them, in lower case, and the default of the endpoint. */
const CLOUDS: ReadonlyMap<string, AzureCloud> = new Map([
  ['cloud', PUBLIC],
  ['azurecloud', PUBLIC],
  ['azurepubliccloud', PUBLIC],
  ['azurechinacloud', CHINA],
  ['azureusgovernment', GOVERNMENT],
  ['azureusgovernmentcloud', GOVERNMENT],
])

export const cloudNamed = (name = 'cloud'): AzureCloud | undefined => CLOUDS.get(name.toLowerCase())

export const isVaultOf = ({ vaults }: AzureCloud, host: string): boolean =>
  host.endsWith(`.${vaults}`) && host.length > vaults.length + 1
