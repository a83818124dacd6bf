/**
 * A key as an operation finds it, in the old or the new form, and the first steps of every change to it.
 *
 * In an upgraded mount a key may still be in the form of version 1: that secret is its version 1, made when the mount was
 * upgraded.
 */
import { toHex } from '../../../core/base/identifiers.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { gather } from '../../../core/transaction/gather.ts'
import { SECRET } from '../v1/secret.ts'
import { KEY } from './key-record.ts'
import { CONFIG, CONFIG_ID, DATA, dataId, type KeyRecord, type MountConfig, type VersionInfo } from './records.ts'
import { keptVersionsOn, type NumberedVersion, pagesOf, recentVersions, versionInfoIn } from './version-pages.ts'
import { DEFAULT_CONFIG, newKey } from './versions.ts'

export interface FoundKey {
  readonly key: KeyRecord
  /** The text of a secret that the upgrade has not reached; the key then has no records in the new form. */
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

/** A secret of version 1 as a key: it has no id yet. */
const keyOfOldSecret = (upgraded: number): KeyRecord => ({
  ...newKey('', upgraded),
  current: 1,
  recent: [{ created: upgraded, deletion: null, state: 'kept' }],
})

export const configOf = (tx: Tx): MountConfig => tx.get(CONFIG, CONFIG_ID) ?? DEFAULT_CONFIG

/** The mark of a version; undefined for a version that is not kept. */
export const versionInfoOf = (tx: Tx, { key }: FoundKey, version: number): VersionInfo | undefined =>
  versionInfoIn(tx, key, version)

export const dataOf = (tx: Tx, { key, old }: FoundKey, version: number): string | undefined =>
  old ?? tx.get(DATA, dataId(key.id, version))

/** The marks of all kept versions, in order. */
export const keptVersionsOf = (tx: Tx, { key }: FoundKey): readonly NumberedVersion[] => [
  ...gather(pagesOf(key), (page) => keptVersionsOn(tx, key, page)).flat(),
  ...recentVersions(key),
]

/** The key in the new form, ready for a change: an old record is converted. */
export function ensureConverted(tx: Tx, path: string, { key, old }: FoundKey): KeyRecord {
  if (old === undefined) return key
  const { id } = freshKey(tx)
  const own = { ...key, id }
  tx.put(KEY, path, own)
  tx.put(DATA, dataId(id, 1), old)
  tx.delete(SECRET, path)
  return own
}
