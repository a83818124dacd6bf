/**
 * What a write transaction has to know about those before it: the newest revision and the recent verdicts. Room:
 * adapters/storage-lmdb.
 *
 * On disk this is one head record (revision and number of verdicts so far) and a ring of verdicts, so that remembering one costs
 * one write and forgetting costs none. This process keeps a copy, trusted as long as the head on disk is the one it knows.
 */
import type { Commit, Revision } from '../../core/storage/port.ts'
import { REMEMBERED_COMMITS, recentVerdicts } from '../../core/storage/verdicts.ts'
import { numberBytes, readNumber } from './bytes.ts'
import type { Environment } from './environment.ts'

const HEAD_KEY = Buffer.from('head')
const slotKey = (count: number): Buffer => Buffer.from(`verdict/${count % REMEMBERED_COMMITS}`)

export interface Ledger {
  /** The newest revision on disk, as this process sees it at the moment. */
  revision(): Revision
  /** To be called first in a write transaction. @throws Error when another process wrote although the store is not shared. */
  catchUp(): Revision
  verdict(id: string): Commit | undefined
  /** To be called last in a write transaction. */
  record(id: string, verdict: Commit, revision: Revision): void
  /** After a failed transaction: what this process remembers may never have reached the disk. */
  distrust(): void
}

export function openLedger({ meta }: Environment, shared: boolean): Ledger {
  /** As text: most are never asked for again. */
  const verdicts = recentVerdicts<string>()
  let revision: Revision = 0
  /** Verdicts recorded ever. */
  let count = 0
  let trusted = false

  const load = (target: number): void => {
    if (!trusted || target < count) {
      verdicts.clear()
      count = 0
    }
    for (let next = Math.max(count, target - REMEMBERED_COMMITS); next < target; next++) {
      const slot = meta.getBinary(slotKey(next))?.toString('utf8')
      if (slot) verdicts.set(slot.slice(slot.indexOf('\n') + 1), slot.slice(0, slot.indexOf('\n')))
    }
  }

  const readHead = (): { revision: Revision; count: number } => {
    const head = meta.getBinary(HEAD_KEY)
    return head ? { revision: readNumber(head), count: readNumber(head, 8) } : { revision: 0, count: 0 }
  }

  return {
    revision: () => readHead().revision,
    catchUp() {
      const head = readHead()
      if (trusted && head.count === count) return revision
      if (trusted && head.count > count && !shared) {
        throw new Error('another process writes to this store; open it with { shared: true } in all of them')
      }
      load(head.count)
      ;({ revision, count } = head)
      trusted = true
      return revision
    },
    verdict(id) {
      const text = verdicts.get(id)
      return text === undefined ? undefined : (JSON.parse(text) as Commit)
    },
    record(id, verdict, newest) {
      const text = JSON.stringify(verdict)
      void meta.put(slotKey(count), Buffer.from(`${text}\n${id}`))
      void meta.put(HEAD_KEY, numberBytes(newest, count + 1))
      verdicts.set(id, text)
      revision = newest
      count++
    },
    distrust() {
      trusted = false
    },
  }
}
