/**
 * Structural types for the used parts of `@aws-sdk/client-secrets-manager`, so that users who do not install the package do not need its
 * types.
 */
import { loadSdk } from '../sync/sdk.ts'

export interface Command {
  readonly input: object
}

type CommandClass = new (input: object) => Command

export interface SecretsClient {
  send(command: Command, options: { readonly abortSignal: AbortSignal }): Promise<unknown>
  destroy(): void
}

export interface SecretsSdk {
  readonly SecretsManagerClient: new (config: object) => SecretsClient
  readonly CreateSecretCommand: CommandClass
  readonly UpdateSecretCommand: CommandClass
  readonly RestoreSecretCommand: CommandClass
  readonly TagResourceCommand: CommandClass
  readonly UntagResourceCommand: CommandClass
  readonly DeleteSecretCommand: CommandClass
  readonly DescribeSecretCommand: CommandClass
}

export const loadSecretsSdk = (): Promise<SecretsSdk> => loadSdk('@aws-sdk/client-secrets-manager')

/** The response of `CreateSecret` and `UpdateSecret`. */
export interface WriteResult {
  readonly VersionId?: string
}

export interface Tag {
  readonly Key?: string
  readonly Value?: string
}

export interface DescribeResult {
  readonly DeletedDate?: Date
  readonly Tags?: readonly Tag[]
  readonly VersionIdsToStages?: Readonly<Record<string, readonly string[]>>
}
