import { describe, expect, it } from 'vitest'
import { azureSync } from '../../../src/adapters/sync-azure/index.ts'
import { nameLaws } from '../../fixtures/sync/names.ts'

const destination = azureSync()
const CONFIG = {
  key_vault_uri: 'https://kv-1234.vault.azure.net',
  client_id: 'client',
  client_secret: 'ShOwN-secret',
  tenant_id: 'c0ffee00-0000-4000-8000-00000000cafe',
  cloud: 'cloud',
}
const fields = (config: object, hosts?: (name: string) => boolean) =>
  azureSync(hosts && { hosts })
    .validate({ ...CONFIG, ...config })
    .map(({ field }) => field)

describe('names normalized by azureSync', () => {
  nameLaws(destination, /^[0-9A-Za-z-]$/)

  it('are compared without regard to case, and have dashes in place of invalid characters', () => {
    const { rules } = destination
    expect(rules.normalizeName('vault/kv_1234/my secret')).toBe('vault-kv-1234-my-secret')
    expect(rules.foldName('App')).toBe(rules.foldName('aPP'))
    expect(rules).toMatchObject({ maxNameLength: 127, maxValueBytes: 25_600, granularityDefault: 'secret-path', tags: true })
  })
})

describe('azureSync validate', () => {
  it.each(['key_vault_uri', 'client_id', 'client_secret', 'tenant_id'])('requires %s', (field) => {
    expect(fields({ [field]: '' })).toEqual([field])
    expect(fields({ [field]: undefined })).toEqual([field])
  })

  it.each([
    ['https://kv-1234.vault.azure.net', undefined],
    ['https://kv-1234.vault.azure.net/', undefined],
    ['https://KV-1234.VAULT.azure.net/', 'AzurePublicCloud'],
    ['https://kv-1234.vault.azure.cn', 'AzureChinaCloud'],
    ['https://kv-1234.vault.usgovcloudapi.net', 'AzureUSGovernmentCloud'],
  ])('accepts the vault %s of the cloud %s', (key_vault_uri, cloud) => {
    expect(fields({ key_vault_uri, cloud })).toEqual([])
  })

  it.each([
    'http://kv-1234.vault.azure.net',
    'https://vault.azure.net',
    'https://.vault.azure.net',
    'https://kv.vault.azure.net.evil.example',
    'https://evilvault.azure.net',
    'https://kv.vault.azure.cn',
    'https://kv.vault.azure.net:8443',
    'https://kv.vault.azure.net@evil.example',
    'https://user:pass@kv.vault.azure.net',
    'https://kv.vault.azure.net/path',
    'https://kv.vault.azure.net/?query',
    'https://kv.vault.azure.net/#hash',
    'https://kv.vault.azure.net.',
    'https://169.254.169.254',
    'https://127.0.0.1',
    'https://[::1]',
    'https://localhost',
    'kv-1234',
    'https://',
  ])('refuses the vault %s', (key_vault_uri) => {
    expect(fields({ key_vault_uri })).toEqual(['key_vault_uri'])
  })

  it('calls the configured hosts function only for hosts that are not Azure’s own', () => {
    const requestedHosts: string[] = []
    const hosts = (name: string) => {
      requestedHosts.push(name)
      return name === 'kv.private.example'
    }
    expect(fields({ key_vault_uri: 'https://kv.private.example:8443' }, hosts)).toEqual([])
    expect(fields({ key_vault_uri: 'https://other.example' }, hosts)).toEqual(['key_vault_uri'])
    expect(fields({ key_vault_uri: 'http://kv.private.example' }, hosts)).toEqual(['key_vault_uri'])
    expect(fields({}, hosts)).toEqual([])
    expect(requestedHosts).toEqual(['kv.private.example', 'other.example'])
    const late = (async () => false) as unknown as (name: string) => boolean
    expect(fields({ key_vault_uri: 'https://other.example' }, late)).toEqual(['key_vault_uri'])
  })

  it('refuses unknown clouds and invalid tenants', () => {
    expect(fields({ cloud: 'nimbus' })).toEqual(['cloud'])
    expect(fields({ tenant_id: '../other' })).toEqual(['tenant_id'])
  })

  it('returns errors that contain no configured value', () => {
    const errors = destination.validate({
      ...CONFIG,
      key_vault_uri: 'https://shown.example',
      cloud: 'ShOwN',
      tenant_id: 'sHoWn/',
    })
    expect(errors).toHaveLength(2)
    expect(JSON.stringify(errors)).not.toMatch(/shown/i)
  })
})
