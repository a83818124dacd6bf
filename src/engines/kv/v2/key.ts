/**
 * Finds the key record of a secret, which has the settings of the secret and the metadata of its versions.
 *
 * In an upgraded mount, a secret may still be stored in the layout of engine version 1, without a key record. Such a secret counts as a
 * secret with one version, created when the mount was upgraded. It is converted before it is changed.
 */
import { toHex } from '../../../core/base/identifiers.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import { SECRET } from '../v1/secret.ts'
import { KEY } from './key-record.ts'
import {
  dataId,
  type KeyRecord,
  KV_CONFIG,
  KV_CONFIG_ID,
  type KvConfig,
  type SecretVersionInfo,
  VERSION_DATA,
} from './records.ts'
import { keptVersionsOn, type NumberedVersion, recentVersions, versionInfoIn, versionPagesOf } from './version-pages.ts'
import { DEFAULT_CONFIG, newKey } from './versions.ts'

export interface FoundKey {
  readonly key: KeyRecord
  /** The JSON text of the secret if it has not been converted yet. Such a secret has no records in the layout of engine version 2. */
  readonly old?: string
}

const ID_BYTES = 12

export const freshKey = (tx: Tx): KeyRecord => newKey(toHex(tx.env.entropy.bytes(ID_BYTES)), tx.now)

export function findKey(tx: Tx, path: string): FoundKey | undefined {
  const key = tx.get(KEY, path)
  if (key) return { key }
  const { upgraded } = tx.call.mount
  const old = upgraded === undefined ? undefined : tx.get(SECRET, path)
  return old === undefined ? undefined : { key: keyOfOldSecret(upgraded as number), old }
}

/** Represents a secret in the layout of engine version 1 by a key record that has no id yet. */
const keyOfOldSecret = (upgraded: number): KeyRecord => ({
  ...newKey('', upgraded),
  current: 1,
  recent: [{ created: upgraded, deletion: null, state: 'kept' }],
})

export const configOf = (tx: Tx): KvConfig => tx.get(KV_CONFIG, KV_CONFIG_ID) ?? DEFAULT_CONFIG

/** Returns undefined for a version that is no longer kept. */
export const versionInfoOf = (tx: Tx, { key }: FoundKey, version: number): SecretVersionInfo | undefined =>
  versionInfoIn(tx, key, version)

export const dataOf = (tx: Tx, { key, old }: FoundKey, version: number): string | undefined =>
  old ?? tx.get(VERSION_DATA, dataId(key.id, version))

/** Returns all kept versions in ascending order. */
export const keptVersionsOf = (tx: Tx, { key }: FoundKey): readonly NumberedVersion[] => [
  ...loadAll(versionPagesOf(key), (page) => keptVersionsOn(tx, key, page)).flat(),
  ...recentVersions(key),
]

/** Returns the key record of a secret. If the secret is still in the layout of engine version 1, converts it first. */
export function ensureConverted(tx: Tx, path: string, { key, old }: FoundKey): KeyRecord {
  if (old === undefined) return key
  const { id } = freshKey(tx)
  const own = { ...key, id }
  tx.put(KEY, path, own)
  tx.put(VERSION_DATA, dataId(id, 1), old)
  tx.delete(SECRET, path)
  return own
}
