/** Deletes old verdicts. This runs outside commits, so that no commit waits for it. */
import type { EtcdClient } from './client.ts'
import { borderText, endOf, type Layout } from './layout.ts'

/**
 * The number of verdicts that are kept. The storage port requires 1,000. This number covers several seconds of a busy store, enough time to
 * repeat a commit whose answer was lost.
 */
const KEPT = 8192
export const FORGET_EVERY = 4096

const AT_ONCE = 64

/**
 * Deletes the oldest verdicts, but first moves the border past them. If a commit is sent again after its verdict was deleted, etcd refuses
 * it, because its `since` is before the border. Without the border, etcd would carry out the commit a second time.
 */
export async function forgetVerdicts(client: EtcdClient, { verdicts, border }: Layout): Promise<void> {
  const range = { key: verdicts, end: endOf(verdicts) }
  const { count } = await client.range({ ...range, countOnly: true })
  if (count <= KEPT) return
  const { found } = await client.range({ ...range, keysOnly: true, limit: count - KEPT, order: 'oldest first' })
  const value = borderText(found.at(-1)!.modified)
  await client.txn({ compare: [{ key: border, value: 'less', than: value }], success: [{ put: border, value }], failure: [] })
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const some = found.slice(at, at + AT_ONCE)
    await client.txn({ compare: [], success: some.map(({ key }) => ({ remove: key })), failure: [] })
  }
}
