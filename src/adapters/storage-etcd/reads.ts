/** Reads of records and names. All reads are linearizable. */
import { listName } from '../../core/storage/list-name.ts'
import { isKey } from '../../core/storage/ops.ts'
import { compareKeys } from '../../core/storage/order.ts'
import type { Entry, Page, Revision } from '../../core/storage/port.ts'
import type { EtcdClient } from './client.ts'
import { isCompacted } from './failures.ts'
import { endOf, keyAfter, type Layout, revisionOf, VALUE_AT } from './layout.ts'
import type { KeyValue, RangeAnswer } from './messages.ts'

/** The number of ranges per transaction, unless the cluster's limit of operations is lower. */
const KEYS_AT_ONCE = 64

/**
 * The sizes of the values are unknown before a scan. So the first page is short. The length of each later page is computed from the average
 * size of the records read so far, so that the page takes about `PAGE_BYTES`.
 */
const FIRST_PAGE = 32
const PAGE_BYTES = 2 * 1024 * 1024
const MAX_PAGE_RECORDS = 4096
const NAMES_AT_ONCE = 1000

export const etcdEntryOf = (layout: Layout, { key, value, modified }: KeyValue): Entry => ({
  key: layout.keyOf(key),
  value: new Uint8Array(value.subarray(VALUE_AT)),
  version: revisionOf(modified, value[0] ?? 0),
})

export async function readEntry(client: EtcdClient, layout: Layout, key: string): Promise<Entry | undefined> {
  if (!isKey(key)) return undefined
  const [found] = (await client.range({ key: layout.record(key) })).found
  return found && etcdEntryOf(layout, found)
}

export async function readEntries(
  client: EtcdClient,
  layout: Layout,
  keys: readonly string[],
  most: number,
): Promise<(Entry | undefined)[]> {
  const entries: (Entry | undefined)[] = []
  const step = Math.min(most, KEYS_AT_ONCE)
  for (let at = 0; at < keys.length; at += step) {
    const some = keys.slice(at, at + step)
    const asked = some.filter(isKey).map((key) => ({ range: { key: layout.record(key) } }))
    const { answers } = asked.length > 0 ? await client.txn({ compare: [], success: asked, failure: [] }) : { answers: [] }
    let next = 0
    for (const key of some) {
      const answer = isKey(key) ? answers[next++] : undefined
      const found = answer && 'range' in answer ? answer.range.found[0] : undefined
      entries.push(found && etcdEntryOf(layout, found))
    }
  }
  return entries
}

const laterOf = (a: Buffer, b: Buffer): Buffer => (Buffer.compare(a, b) > 0 ? a : b)

/**
 * Repeats a read that takes several pages. All pages are read at one cluster revision, and if the cluster compacts that revision in
 * between, the read starts again.
 */
async function retryAfterCompaction<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isCompacted(error)) throw error
    }
  }
}

const atLeastOne = (limit: number | undefined): number => (limit === undefined ? Number.POSITIVE_INFINITY : Math.ceil(limit))

export async function scanEntries(client: EtcdClient, layout: Layout, prefix: string, page: Page): Promise<Entry[]> {
  const { after } = page
  const most = atLeastOne(page.limit)
  if (most <= 0 || (prefix !== '' && !isKey(prefix))) return []
  const end = endOf(layout.record(prefix))
  const first = after ? laterOf(layout.record(prefix), keyAfter(layout.record(after))) : layout.record(prefix)
  if (Buffer.compare(first, end) >= 0) return []
  return retryAfterCompaction(async () => {
    const entries: Entry[] = []
    let [key, revision, size, bytes] = [first, 0, FIRST_PAGE, 0]
    for (;;) {
      const limit = Math.min(size, most - entries.length)
      const { found, header }: RangeAnswer = await client.range({ key, end, limit, revision })
      for (const one of found) {
        entries.push(etcdEntryOf(layout, one))
        bytes += one.value.length
      }
      if (found.length < limit || entries.length >= most) return entries
      key = keyAfter(found.at(-1)!.key)
      revision ||= header.revision
      size = Math.max(1, Math.min(MAX_PAGE_RECORDS, Math.floor((PAGE_BYTES * entries.length) / (bytes + entries.length))))
    }
  })
}

export async function listNames(
  client: EtcdClient,
  layout: Layout,
  prefix: string,
  options: Page & { readonly delimiter?: string },
): Promise<string[]> {
  const { after = '', delimiter } = options
  const most = atLeastOne(options.limit)
  if (most <= 0 || (prefix !== '' && !isKey(prefix))) return []
  const end = endOf(layout.record(prefix))
  const behindFolder = Boolean(delimiter && after.endsWith(delimiter))
  // A key that equals the prefix is not below it. So even without `after`, start after the prefix.
  const first = behindFolder ? endOf(layout.record(prefix + after)) : keyAfter(layout.record(prefix + after))
  return retryAfterCompaction(async () => {
    const names: string[] = []
    let [key, revision, size] = [first, 0, FIRST_PAGE]
    while (Buffer.compare(key, end) < 0) {
      const limit = delimiter ? size : Math.min(size, most - names.length)
      const { found, header }: RangeAnswer = await client.range({ key, end, limit, revision, keysOnly: true })
      let last = ''
      for (const one of found) {
        last = listName(layout.keyOf(one.key).slice(prefix.length), delimiter)
        if (last !== names.at(-1) && compareKeys(last, after) > 0) names.push(last)
        if (names.length >= most) return names
      }
      if (found.length < limit) return names
      // Skip a folder in one step, however many keys it contains.
      const folder = delimiter && last.endsWith(delimiter) && layout.keyOf(found.at(-1)!.key).length > prefix.length + last.length
      key = folder ? endOf(layout.record(prefix + last)) : keyAfter(found.at(-1)!.key)
      revision ||= header.revision
      size = NAMES_AT_ONCE
    }
    return names
  })
}

/** The newest revision of the store, and the cluster revision at which it was read. */
export async function readRevision(
  client: EtcdClient,
  layout: Layout,
): Promise<{ readonly revision: Revision; readonly cluster: number }> {
  const { found, header } = await client.range({ key: layout.heads, end: endOf(layout.heads), keysOnly: true })
  const revisions = found.map(({ key, modified }) => revisionOf(modified, layout.slotOfHead(key)))
  return { revision: Math.max(0, ...revisions), cluster: header.revision }
}
