/** The metadata of a secret of KV version 2. */
import { type Caller, pathOf } from './party.ts'

export type VersionState = 'live' | 'deleted' | 'destroyed'

export interface SecretMetadata {
  readonly current: number
  /** The oldest version that exists; 1 if no version was removed. */
  readonly oldest: number
  /** Whether the secret has had as many versions as its limit, so that its `oldest_version` is shown. */
  readonly hasReachedLimit: boolean
  readonly versions: ReadonlyMap<number, VersionState>
  readonly settings: SecretSettings
}

/** The settings of one secret, as they are written. */
export interface SecretSettings {
  readonly max_versions: number
  readonly cas_required: boolean
  readonly delete_version_after: string
  readonly custom_metadata: unknown
}

interface ShownVersion {
  readonly deletion_time?: string
  readonly destroyed?: boolean
}

/** Undefined if the secret does not exist. */
export async function readMetadata(caller: Caller, mount: string, name: string): Promise<SecretMetadata | undefined> {
  const { data } = await caller.call('GET', `${pathOf(mount)}metadata/${pathOf(name)}`)
  if (!data) return undefined
  const shown = Object.entries((data['versions'] ?? {}) as Record<string, ShownVersion>)
  return {
    current: Number(data['current_version'] ?? 0),
    oldest: Math.max(1, Number(data['oldest_version'] ?? 0)),
    hasReachedLimit: Number(data['oldest_version'] ?? 0) > 0,
    versions: new Map(shown.map(([version, state]) => [Number(version), stateOf(state)])),
    settings: {
      max_versions: Number(data['max_versions'] ?? 0),
      cas_required: data['cas_required'] === true,
      delete_version_after: String(data['delete_version_after'] ?? '0s'),
      custom_metadata: data['custom_metadata'] ?? null,
    },
  }
}

/** A deletion time in the future means that the version is deleted then. */
function stateOf({ destroyed, deletion_time = '' }: ShownVersion): VersionState {
  if (destroyed) return 'destroyed'
  return deletion_time !== '' && Date.parse(deletion_time) <= Date.now() ? 'deleted' : 'live'
}
