/**
 * Members of a set report to each other how many times keys were used. Each hello contains one page of the counts; the next hello contains
 * the next page. All reported counts are stored in one folder, so that reporting them does not require a scan of the counters.
 */
import { decodeRecord, withFormat } from '../../core/contract/record-kind.ts'
import type { Op } from '../../core/storage/port.ts'
import { coreRecordKey } from '../../core/transaction/core-key.ts'
import { SHARED_COUNT, sharedCountKey } from '../../core/transaction/shared-count.ts'
import type { DecryptedRecord } from '../../core/transaction/store.ts'
import type { Membership } from './membership.ts'
import { countsToReport, mergeCounts } from './merge-counts.ts'
import { DR } from './state/replication-kind.ts'
import type { SetHost } from './state/set-host.ts'
import { isReportable, MAX_REPORTED_COUNTS, type ReportedCount } from './wire/reported-counts.ts'

const FOLDER = coreRecordKey(SHARED_COUNT, '')

/** The number of counts per commit. For each count, the commit contains two operations: a write and a check. */
const PER_COMMIT = 50

export interface CountsPage {
  readonly counts: readonly ReportedCount[]
  /**
   * The name of the count record after which the next page begins; empty after the last page, so that the next page is the first one again.
   */
  readonly next: string
}

export interface CountsParts {
  readonly host: SetHost
  readonly membership: Membership
}

const parentOf = (of: string): string => `r/${of}`

/**
 * Returns a page of this cluster's counts. The page begins after the count record with the name `after`. Also deletes stored counts whose
 * key no longer exists.
 */
export async function reportedCountsPage({ host, membership }: CountsParts, after: string): Promise<CountsPage> {
  // A DR secondary reports no counts, because it copies the counter records themselves.
  if (host.kind === DR) return { counts: [], next: '' }
  const { store } = host
  const found = await store.page(
    FOLDER,
    after === '' ? { limit: MAX_REPORTED_COUNTS } : { after: FOLDER + after, limit: MAX_REPORTED_COUNTS },
  )
  if (found.length === 0) return { counts: [], next: '' }
  const names = found.map(({ key }) => key.slice(FOLDER.length))
  const parents = await store.versions(names.map(parentOf))
  const { name } = (await membership.member()).relation
  const counts: ReportedCount[] = []
  const gone: Op[] = []
  for (const [at, opened] of (await store.decryptAll(found)).entries()) {
    const of = names[at] as string
    if (parents[at] === 0) gone.push({ op: 'del', key: FOLDER + of, expect: (opened as DecryptedRecord).version }, absent(of))
    else if (isReportable(of))
      counts.push({ of, by: countsToReport(decodeRecord(SHARED_COUNT, (opened as DecryptedRecord).value), name) })
  }
  await commitPairs(host, gone)
  return { counts, next: found.length < MAX_REPORTED_COUNTS ? '' : (names.at(-1) as string) }
}

/**
 * Stores the counts that another cluster reported for existing keys. If a commit conflicts, its counts are not stored; the other cluster
 * reports them again later.
 */
export async function storeReportedCounts({ host, membership }: CountsParts, reported: readonly ReportedCount[]): Promise<void> {
  if (reported.length === 0 || host.kind === DR) return
  const { store } = host
  const { name } = (await membership.member()).relation
  const known = await store.getMany(reported.map(({ of }) => sharedCountKey(parentOf(of))))
  const news = reported.flatMap(({ of, by }, at) => {
    const next = mergeCounts(known[at] && decodeRecord(SHARED_COUNT, known[at].value), by, name)
    return next ? [{ of, next, version: known[at]?.version ?? 0 }] : []
  })
  const parents = news.length > 0 ? await store.versions(news.map(({ of }) => parentOf(of))) : []
  const ops = news.flatMap(({ of, next, version }, at): Op[] => {
    const expect = parents[at] ?? 0
    if (expect === 0) return []
    const stored = withFormat(SHARED_COUNT.format, SHARED_COUNT.encode(next))
    return [store.encryptedPut(FOLDER + of, stored, version), { op: 'check', key: parentOf(of), expect }]
  })
  await commitPairs(host, ops)
}

const absent = (of: string): Op => ({ op: 'check', key: parentOf(of), expect: 0 })

/** @param ops Pairs of operations; both operations of a pair must be in the same commit. */
async function commitPairs({ store }: SetHost, ops: readonly Op[]): Promise<void> {
  for (let at = 0; at < ops.length; at += 2 * PER_COMMIT) await store.commit(ops.slice(at, at + 2 * PER_COMMIT))
}
