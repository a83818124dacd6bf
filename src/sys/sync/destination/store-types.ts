/** Describes the configuration parameters of each type of external store. */
import type { SyncType } from '../types.ts'

export interface StoreType {
  readonly required: readonly string[]
  /** The default values of parameters, keyed by parameter. */
  readonly defaults: Readonly<Record<string, string>>
  /** The parameters that are credentials. Their values are never shown. */
  readonly masked: readonly string[]
  /**
   * The limits for custom tags: the number of tags, and the lengths of names and values in characters. Absent if the external store has no
   * tags. `most` is one less than the store allows, because the ownership mark is also a tag.
   */
  readonly tags?: { readonly most: number; readonly name: number; readonly value: number }
}

export const STORE_TYPES: Readonly<Record<SyncType, StoreType>> = {
  'cloud-a-sm': {
    required: [],
    defaults: { access_key_id: '', secret_access_key: '', region: '' },
    masked: ['access_key_id', 'secret_access_key'],
    tags: { most: 49, name: 128, value: 256 },
  },
  'cloud-b-kv': {
    required: ['key_vault_uri', 'client_id', 'client_secret', 'tenant_id'],
    defaults: { cloud: 'cloud' },
    masked: ['client_secret'],
    tags: { most: 14, name: 512, value: 256 },
  },
  'cloud-c-sm': {
    required: ['credentials'],
    defaults: {},
    masked: ['credentials'],
    tags: { most: 63, name: 63, value: 63 },
  },
  repohost: {
    required: ['access_token', 'repository_owner', 'repository_name'],
    defaults: {},
    masked: ['access_token'],
  },
  'webhost-project': {
    required: ['access_token', 'project_id', 'deployment_environments'],
    defaults: { team_id: '' },
    masked: ['access_token'],
  },
}

/** The text that is shown instead of a credential. Its fixed length does not reveal the length of the credential. */
export const MASK = '*****'
