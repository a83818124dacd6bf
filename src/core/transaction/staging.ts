/**
 * Staging: if an operation stores more secrets than one commit can contain, it stores them in earlier commits, and its final commit makes
 * them reachable.
 *
 * No record refers to the owner of the secrets before the final commit, so storing them earlier has no visible effect. The first commit
 * also stores an entry in the due index, which lists background work by its time; the job of this entry deletes all of the secrets. Every
 * later commit expects that the entry is unchanged, and the final commit deletes the entry. So no secret is ever stored without a job that
 * would delete it: after a crash, that job deletes the staged secrets.
 */
import { EMPTY } from '../base/bytes.ts'
import { LANES, type Lane } from '../contract/lane.ts'
import { type SecretKind, withFormat } from '../contract/record-kind.ts'
import { MAX_COMMIT_OPS } from '../storage/max-commit-ops.ts'
import type { Op, Revision } from '../storage/port.ts'
import { dueKey } from './due-entry.ts'
import type { Host } from './host.ts'
import type { Keyspace } from './keyspace.ts'
import { checksOf } from './pending-writes.ts'

/** The maximum number of secrets that the final commit itself may contain, in addition to the operation's other writes. */
export const MAX_UNSTAGED_SECRETS = MAX_COMMIT_OPS / 2

/**
 * The time until the job deletes the secrets: much longer than staging takes on any storage. If staging takes longer, the caller stages the
 * secrets again.
 */
const STAGED_FOR_MS = 3_600_000

/** Secrets that are stored before the commit that makes them reachable. */
export interface Stage {
  /** The storage key of the due entry whose job deletes the staged secrets. */
  readonly entry: string
  /** The storage key of each secret without its version. */
  readonly prefix: string
  readonly format: number
  readonly secrets: ReadonlyMap<number, Uint8Array>
}

/** @param job The scheduled background work that deletes the secrets. `now` is the time when staging begins. */
export function createStage(
  keyspace: Keyspace,
  kind: SecretKind,
  owner: string,
  secrets: ReadonlyMap<number, Uint8Array>,
  { lane, id, now }: { readonly lane: Lane; readonly id: string; readonly now: number },
): Stage {
  const entry = dueKey(keyspace.classOf(LANES[lane].class), lane, now + STAGED_FOR_MS, keyspace.id, id)
  return { entry, prefix: `${keyspace.prefix(kind)}${owner}/`, format: kind.format, secrets }
}

/**
 * Stores the due entry and the secrets, in as many commits as necessary. Returns the version of the due entry, or undefined after a
 * conflict: the keyspace or the due entry no longer exists.
 */
export async function storeStage({ store, clock }: Host, keyspace: Keyspace, stage: Stage): Promise<Revision | undefined> {
  const { entry, prefix, format } = stage
  const limit = Math.min(MAX_COMMIT_OPS, store.storage.caps.maxOps)
  const remaining = [...stage.secrets]
  let staged: Revision | undefined
  while (remaining.length > 0) {
    // Pause, because a storage in memory answers in the same turn of the event loop, so storing thousands of records would block the event
    // loop.
    await clock.sleep(0)
    const ops: Op[] = checksOf(keyspace.fences)
    if (staged === undefined) ops.push(store.encryptedPut(entry, withFormat(1, EMPTY), 0))
    else ops.push({ op: 'check', key: entry, expect: staged })
    for (const [version, bytes] of remaining.splice(0, limit - ops.length)) {
      const stored = withFormat(format, bytes)
      store.checkSize(stored.length)
      ops.push(store.encryptedPut(prefix + version, stored, undefined))
      stored.fill(0)
    }
    const verdict = await store.commit(ops)
    if (!verdict.ok) return undefined
    staged ??= verdict.revision
  }
  await clock.sleep(0)
  return staged
}
