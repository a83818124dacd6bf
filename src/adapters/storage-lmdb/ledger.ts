/**
 * The state of earlier transactions that a write transaction needs: the newest revision and the recent verdicts.
 *
 * On disk, the newest verdicts are in the head, so storing a verdict writes no additional page. When they no longer fit there, they are
 * moved to a slot, which is a separate record. After the last slot, the first one is used again. So the newest verdicts overwrite the
 * oldest ones, and old verdicts need no deletion.
 *
 * The process keeps a copy of the verdicts. The copy is valid while the head on disk is the one that the process last read or wrote.
 */
import type { Commit, Revision } from '../../core/storage/port.ts'
import { REMEMBERED_COMMITS, recentVerdicts } from '../../core/storage/verdicts.ts'
import { ignoreRejection } from './driver.ts'
import type { LmdbEnvironment } from './environment.ts'
import {
  formatVerdict,
  HEAD_KEY,
  headBytes,
  MAX_HEAD_BYTES,
  parseVerdict,
  readHead,
  readRevision,
  type StoredVerdict,
  type StoreHead,
} from './head.ts'

/** Each slot has at least one verdict, so this many slots contain all verdicts that must be remembered. */
const SLOTS = REMEMBERED_COMMITS

const slotKey = (slot: number): Buffer => Buffer.from(`verdict/${slot % SLOTS}`)

export interface Ledger {
  /** The newest revision on disk, as this process sees it. */
  revision(): Revision
  /**
   * Reads what other processes wrote, and returns the newest revision. Must be called first in a write transaction.
   * @throws Error if another process wrote although the store is not shared.
   */
  catchUp(): Revision
  verdict(id: string): Commit | undefined
  /** Stores the verdicts of the transaction. Must be called last in a write transaction. */
  record(decided: readonly StoredVerdict[], revision: Revision): void
  /** Must be called after a failed transaction, because this process may have state that never reached the disk. */
  distrust(): void
}

export function openLedger({ meta, head: table }: LmdbEnvironment, shared: boolean): Ledger {
  const verdicts = recentVerdicts()
  /** The head as this process last read or wrote it; undefined if the head on disk may differ. */
  let known: StoreHead | undefined

  /** Reads the verdicts from the head, and from the slots that were filled since slot `first`. */
  const learn = ({ slots, lines }: StoreHead, first: number): void => {
    const found = [lines.split('\n')]
    let count = 0
    for (let slot = slots - 1; slot >= Math.max(first, slots - SLOTS) && count < REMEMBERED_COMMITS; slot--) {
      const moved = meta.getBinary(slotKey(slot))?.toString('utf8').split('\n') ?? []
      found.push(moved)
      count += moved.length
    }
    for (const some of found.reverse()) for (const line of some) if (line !== '') verdicts.set(...parseVerdict(line))
  }

  return {
    revision: () => readRevision(table),
    catchUp() {
      const head = readHead(table)
      if (known?.transactions === head.transactions) return head.revision
      const isAhead = known !== undefined && head.transactions > known.transactions
      if (isAhead && !shared) {
        throw new Error('another process writes to this store; open it with { shared: true } in all of them')
      }
      if (!isAhead) verdicts.clear()
      learn(head, isAhead ? known!.slots : 0)
      known = head
      return head.revision
    },
    verdict: (id) => verdicts.get(id),
    record(decided, revision) {
      const { transactions, slots, lines } = known ?? readHead(table)
      const added = decided.map(formatVerdict).join('\n')
      const next = { revision, transactions: transactions + 1, slots, lines: lines === '' ? added : `${lines}\n${added}` }
      let bytes = headBytes(next)
      known = next
      if (bytes.length > MAX_HEAD_BYTES) {
        ignoreRejection(meta.put(slotKey(slots), Buffer.from(next.lines)))
        known = { ...next, slots: slots + 1, lines: '' }
        bytes = headBytes(known)
      }
      ignoreRejection(table.put(HEAD_KEY, bytes))
      for (const [id, verdict] of decided) verdicts.set(id, verdict)
    },
    distrust() {
      known = undefined
    },
  }
}
