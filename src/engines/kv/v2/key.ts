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
import { keptOn, type Marked, markIn, pagesOf, recentMarks } from './marks.ts'
import { CONFIG, CONFIG_ID, type Config, DATA, dataId, type KeyRecord, type Mark } from './records.ts'
import { DEFAULT_CONFIG, newKey } from './versions.ts'

export interface Found {
  readonly key: KeyRecord
  /** The text of a secret that the upgrade has not reached; the key then has no records in the new form. */
  readonly old?: string
}

const ID_BYTES = 12

export const freshKey = (tx: Tx): KeyRecord => newKey(toHex(tx.env.entropy.bytes(ID_BYTES)), tx.now)

export function findKey(tx: Tx, path: string): Found | undefined {
  const key = tx.get(KEY, path)
  if (key) return { key }
  const { upgraded } = tx.call.mount
  const old = upgraded === undefined ? undefined : tx.get(SECRET, path)
  return old === undefined ? undefined : { key: oldKey(upgraded as number), old }
}

/** A secret of version 1 as a key: it has no id yet. */
const oldKey = (upgraded: number): KeyRecord => ({
  ...newKey('', upgraded),
  current: 1,
  recent: [{ created: upgraded, deletion: null, state: 'kept' }],
})

export const configOf = (tx: Tx): Config => tx.get(CONFIG, CONFIG_ID) ?? DEFAULT_CONFIG

/** The mark of a version; undefined for a version that is not kept. */
export const markOf = (tx: Tx, { key }: Found, version: number): Mark | undefined => markIn(tx, key, version)

export const dataOf = (tx: Tx, { key, old }: Found, version: number): string | undefined =>
  old ?? tx.get(DATA, dataId(key.id, version))

/** The marks of all kept versions, in order. */
export const marksOf = (tx: Tx, { key }: Found): readonly Marked[] => [
  ...gather(pagesOf(key), (page) => keptOn(tx, key, page)).flat(),
  ...recentMarks(key),
]

/** The key in the new form, ready for a change: an old record is converted. */
export function converted(tx: Tx, path: string, { key, old }: Found): KeyRecord {
  if (old === undefined) return key
  const { id } = freshKey(tx)
  const own = { ...key, id }
  tx.put(KEY, path, own)
  tx.put(DATA, dataId(id, 1), old)
  tx.delete(SECRET, path)
  return own
}
