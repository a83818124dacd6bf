/**
 * Reads of records and names.
 */
import { listName } from '../../core/storage/list-name.ts'
import { isKey } from '../../core/storage/ops.ts'
import type { Entry, Page } from '../../core/storage/port.ts'
import { endOfPrefix, keyAfter, keyBytes, toEntry } from './bytes.ts'
import type { Table } from './driver.ts'

export function readEntry(data: Table, key: string): Entry | undefined {
  // LMDB throws for keys that it cannot store.
  if (!isKey(key)) return undefined
  const record = data.getBinaryFast(keyBytes(key))
  return record && toEntry(key, record)
}

/** LMDB cannot seek to an empty key, so begin at the smallest possible key, the byte 0. */
const firstUnder = (prefix: string): Buffer => (prefix === '' ? Buffer.from([0]) : keyBytes(prefix))

const laterOf = (a: Buffer, b: Buffer): Buffer => (Buffer.compare(a, b) > 0 ? a : b)

export function scanEntries(data: Table, prefix: string, { after, limit = Number.POSITIVE_INFINITY }: Page): Entry[] {
  const entries: Entry[] = []
  if (limit <= 0 || (prefix !== '' && !isKey(prefix))) return entries
  const start = after ? laterOf(firstUnder(prefix), keyAfter(after)) : firstUnder(prefix)
  for (const { key, value } of data.getRange({ start, end: endOfPrefix(prefix) })) {
    entries.push(toEntry(key.toString('utf8'), value))
    if (entries.length >= limit) break
  }
  return entries
}

/** Lists the names below a prefix. Each folder is skipped in one step, so a folder costs the same however many keys it contains. */
export function listNames(data: Table, prefix: string, options: Page & { readonly delimiter?: string }): string[] {
  const { after = '', limit = Number.POSITIVE_INFINITY, delimiter } = options
  const names: string[] = []
  if (limit <= 0 || (prefix !== '' && !isKey(prefix))) return names
  const end = endOfPrefix(prefix)
  const afterBytes = keyBytes(after)
  const isFolder = (name: string): boolean => Boolean(delimiter && name.endsWith(delimiter))
  // A key that equals the prefix is not below it. So even without `after`, start after the prefix.
  let start: Buffer | undefined = isFolder(after) ? endOfPrefix(prefix + after) : keyAfter(prefix + after)
  while (start && names.length < limit) {
    let next: Buffer | undefined
    for (const key of data.getKeys({ start, end })) {
      const name = listName(key.toString('utf8').slice(prefix.length), delimiter)
      // If `after` is inside a folder, the folder's own name sorts before `after` and must not be listed.
      if (Buffer.compare(keyBytes(name), afterBytes) > 0) names.push(name)
      if (isFolder(name)) next = endOfPrefix(prefix + name)
      if (next || names.length >= limit) break
    }
    start = next
  }
  return names
}
