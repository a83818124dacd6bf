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
import {
  CONFIG,
  CONFIG_ID,
  type Config,
  DATA,
  dataId,
  KEY,
  type KeyRecord,
  type Mark,
  PAGE,
  type Page,
  pageId,
  pageOf,
} from './records.ts'
import { DEFAULT_CONFIG, floorOf, isKept, newKey } from './versions.ts'

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
  return old === undefined ? undefined : { key: { ...newKey('', upgraded as number), current: 1 }, old }
}

export const configOf = (tx: Tx): Config => tx.get(CONFIG, CONFIG_ID) ?? DEFAULT_CONFIG

/** The mark of a version; undefined for a version that is not kept. */
export function markOf(tx: Tx, { key, old }: Found, version: number): Mark | undefined {
  if (!isKept(key, version)) return undefined
  return old === undefined ? tx.get(PAGE, pageId(key.id, pageOf(version)))?.[version] : firstMark(key)
}

const firstMark = ({ created }: KeyRecord): Mark => ({ created, deletion: null, state: 'kept' })

export const dataOf = (tx: Tx, { key, old }: Found, version: number): string | undefined =>
  old ?? tx.get(DATA, dataId(key.id, version))

/** The marks of all kept versions, in order. */
export function marksOf(tx: Tx, { key, old }: Found): readonly (readonly [number, Mark])[] {
  if (old !== undefined) return [[1, firstMark(key)]]
  if (key.current === 0) return []
  const numbers: number[] = []
  for (let page = pageOf(floorOf(key)); page <= pageOf(key.current); page++) numbers.push(page)
  const pages = gather(numbers, (page) => tx.get(PAGE, pageId(key.id, page)) ?? NO_MARKS)
  return pages.flatMap((page) =>
    Object.entries(page)
      .map(([version, mark]) => [Number(version), mark] as const)
      .filter(([version]) => isKept(key, version)),
  )
}

export const NO_MARKS: Page = Object.freeze({})

/** The key in the new form, ready for a change: an old record is converted. */
export function converted(tx: Tx, path: string, { key, old }: Found): KeyRecord {
  if (old === undefined) return key
  const { id } = freshKey(tx)
  const own = { ...key, id }
  tx.put(KEY, path, own)
  tx.put(PAGE, pageId(id, 0), { 1: firstMark(own) })
  tx.put(DATA, dataId(id, 1), old)
  tx.delete(SECRET, path)
  return own
}
