/**
 * Structural types for the used parts of `@google-cloud/secret-manager`, so that users who do not install the package do not need its
 * types.
 */
import { loadSdk } from '../sync/sdk.ts'
import type { GoogleResponse as HttpAnswer } from './failures.ts'

type Answer<T> = Promise<readonly [T, ...unknown[]]>

export interface GoogleSecret {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
}

export interface GoogleSecretVersion {
  /** Ends with the version number. */
  readonly name?: string
}

export interface ManagerClient {
  readonly auth: { fetch(url: string, options: object): Promise<HttpAnswer> }
  initialize(): Promise<unknown>
  createSecret(request: object): Answer<GoogleSecret>
  updateSecret(request: object): Answer<GoogleSecret>
  getSecret(request: object): Answer<GoogleSecret>
  deleteSecret(request: object): Answer<unknown>
  addSecretVersion(request: object): Answer<GoogleSecretVersion>
  getSecretVersion(request: object): Answer<GoogleSecretVersion>
  listSecretVersions(request: object, options: { readonly maxResults: number }): Answer<readonly GoogleSecretVersion[]>
  destroySecretVersion(request: object): Answer<GoogleSecretVersion>
}

interface ManagerSdk {
  readonly SecretManagerServiceClient: new (options: object) => ManagerClient
}

export const loadManagerSdk = (): Promise<ManagerSdk> => loadSdk('@google-cloud/secret-manager')
