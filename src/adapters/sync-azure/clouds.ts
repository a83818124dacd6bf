/** The Azure clouds with Key Vault: the domains of their vaults, and their token authorities. */

export interface AzureCloud {
  /** The parent domain of the vaults. */
  readonly vaults: string
  readonly authority: string
}

const PUBLIC: AzureCloud = { vaults: 'vault.azure.net', authority: 'https://login.microsoftonline.com' }
const CHINA: AzureCloud = { vaults: 'vault.azure.cn', authority: 'https://login.chinacloudapi.cn' }
const GOVERNMENT: AzureCloud = { vaults: 'vault.usgovcloudapi.net', authority: 'https://login.microsoftonline.us' }

/** The clouds by name, in lower case: the names that Azure's own tools use, and `cloud`, the default of the configuration field. */
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
