/**
 * What is used of the package `@google-cloud/secret-manager`, told structurally: users who do not install it do not need its types.
 */
import { loadSdk } from '../sync/sdk.ts'
import type { Answer as HttpAnswer } from './failures.ts'

type Answer<T> = Promise<readonly [T, ...unknown[]]>

export interface Secret {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
}

export interface SecretVersion {
  /** Ends with its number. */
  readonly name?: string
}

export interface ManagerClient {
  readonly auth: { fetch(url: string, options: object): Promise<HttpAnswer> }
  initialize(): Promise<unknown>
  createSecret(request: object): Answer<Secret>
  updateSecret(request: object): Answer<Secret>
  getSecret(request: object): Answer<Secret>
  deleteSecret(request: object): Answer<unknown>
  addSecretVersion(request: object): Answer<SecretVersion>
  getSecretVersion(request: object): Answer<SecretVersion>
  listSecretVersions(request: object, options: { readonly maxResults: number }): Answer<readonly SecretVersion[]>
  destroySecretVersion(request: object): Answer<SecretVersion>
}

interface ManagerSdk {
  readonly SecretManagerServiceClient: new (options: object) => ManagerClient
}

export const loadManagerSdk = (): Promise<ManagerSdk> => loadSdk('@google-cloud/secret-manager')
