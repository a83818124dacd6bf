/**
 * Structural types for the used parts of `@azure/keyvault-secrets` and `@azure/identity`, so that users who do not install them do not need
 * their types.
 */
import { loadSdk } from '../sync/sdk.ts'

export interface AccessToken {
  readonly token: string
  readonly expiresOnTimestamp: number
}

export interface TokenOptions {
  readonly abortSignal?: AbortSignal
}

export interface TokenCredential {
  getToken(scopes: string | string[], options?: TokenOptions): Promise<AccessToken | null>
}

export interface VaultSecret {
  readonly properties: { readonly version?: string; readonly tags?: Readonly<Record<string, string>> }
}

interface CallOptions {
  readonly abortSignal: AbortSignal
}

export interface VaultClient {
  setSecret(name: string, value: string, options: CallOptions & { readonly tags: object }): Promise<VaultSecret>
  getSecret(name: string, options: CallOptions): Promise<VaultSecret>
  /** Reads a deleted secret that can still be recovered. */
  getDeletedSecret(name: string, options: CallOptions): Promise<VaultSecret>
  beginDeleteSecret(name: string, options: CallOptions): Promise<unknown>
  beginRecoverDeletedSecret(name: string, options: CallOptions): Promise<unknown>
}

export interface PipelineResponse {
  readonly status: number
  readonly headers: { get(name: string): string | undefined }
  bodyAsText?: string | null
}

export interface PipelinePolicy {
  readonly name: string
  sendRequest(request: object, next: (request: object) => Promise<PipelineResponse>): Promise<PipelineResponse>
}

interface VaultSdk {
  readonly SecretClient: new (url: string, credential: TokenCredential, options: object) => VaultClient
}

export interface IdentitySdk {
  readonly ClientSecretCredential: new (tenant: string, client: string, secret: string, options: object) => TokenCredential
}

export async function loadVaultSdk(): Promise<VaultSdk & IdentitySdk> {
  const [vault, identity] = await Promise.all([
    loadSdk<VaultSdk>('@azure/keyvault-secrets'),
    loadSdk<IdentitySdk>('@azure/identity'),
  ])
  return { SecretClient: vault.SecretClient, ClientSecretCredential: identity.ClientSecretCredential }
}
