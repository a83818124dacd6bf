/**
 * The state that a write transaction needs of earlier ones: the newest revision and the recent verdicts.
 *
 * On disk this is one head record (revision and number of write transactions so far) and a ring of their verdicts, so that
 * remembering a transaction's verdicts costs one write and forgetting costs none. This process keeps a copy, trusted as long as
 * the head on disk is the one it knows.
 */
import type { Commit, Revision } from '../../core/storage/port.ts'
import { REMEMBERED_COMMITS, recentVerdicts } from '../../core/storage/verdicts.ts'
import { numberBytes, readNumber } from './bytes.ts'
import { unheeded } from './driver.ts'
import type { Environment } from './environment.ts'

const HEAD_KEY = Buffer.from('head')
/** A commit's id and its verdict. */
export type Judged = readonly [id: string, verdict: Commit]

const slotKey = (count: number): Buffer => Buffer.from(`verdict/${count % REMEMBERED_COMMITS}`)

export interface Ledger {
  /** The newest revision on disk, as this process sees it. */
  revision(): Revision
  /** To be called first in a write transaction. @throws Error when another process wrote although the store is not shared. */
  catchUp(): Revision
  verdict(id: string): Commit | undefined
  /** To be called last in a write transaction. */
  record(judged: readonly Judged[], revision: Revision): void
  /** To be called after a failed transaction: this process may remember state that never reached the disk. */
  distrust(): void
}

/** Most verdicts are only a revision, and every commit writes one: those are not worth JSON. */
function line([id, verdict]: Judged): string {
  const plain = verdict.ok && verdict.appended.length === 0 && !id.includes('\n')
  return plain ? `${verdict.revision} ${id}` : JSON.stringify([id, verdict])
}

function readLine(text: string): Judged {
  if (text.startsWith('[')) return JSON.parse(text) as Judged
  const space = text.indexOf(' ')
  return [text.slice(space + 1), { ok: true, revision: Number(text.slice(0, space)), appended: [] }]
}

export function openLedger({ meta }: Environment, shared: boolean): Ledger {
  const verdicts = recentVerdicts()
  let revision: Revision = 0
  /** The number of all transactions recorded so far. */
  let count = 0
  let trusted = false

  const load = (target: number): void => {
    if (!trusted || target < count) {
      verdicts.clear()
      count = 0
    }
    for (let next = Math.max(count, target - REMEMBERED_COMMITS); next < target; next++) {
      const slot = meta.getBinary(slotKey(next))?.toString('utf8')
      for (const line of slot?.split('\n') ?? []) verdicts.set(...readLine(line))
    }
  }

  const readHead = (): { revision: Revision; count: number } => {
    const head = meta.getBinaryFast(HEAD_KEY)
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
    verdict: (id) => verdicts.get(id),
    record(judged, newest) {
      unheeded(meta.put(slotKey(count), Buffer.from(judged.map(line).join('\n'))))
      unheeded(meta.put(HEAD_KEY, numberBytes(newest, count + 1)))
      for (const [id, verdict] of judged) verdicts.set(id, verdict)
      revision = newest
      count++
    },
    distrust() {
      trusted = false
    },
  }
}
