/**
 * Secrets stored ahead of the commit that makes them known, where one commit could not hold them all.
 *
 * They belong to an owner that nobody can refer to before that commit, so they may be stored at any time before it. The first commit
 * also stores an entry of the due index that clears all of them away; each later commit, and the final one, depends on that entry, and
 * the final one removes it. So after a crash tick removes what is left, and nothing is stored without its clean-up.
 */
import { EMPTY } from '../base/bytes.ts'
import { LANES, type Lane } from '../contract/lane.ts'
import { type SecretKind, withFormat } from '../contract/record-kind.ts'
import { MOST_OPS } from '../storage/most-ops.ts'
import type { Op, Revision } from '../storage/port.ts'
import { dueKey } from './due-entry.ts'
import type { Host } from './host.ts'
import type { Place } from './place.ts'
import { checksOf } from './writes.ts'

/** This many secrets fit into the commit itself, beside the operation's other writes. */
export const MOST_AT_ONCE = MOST_OPS / 2

/** Far longer than any storage needs for staging. A slower caller stages again. */
const STAGED_FOR_MS = 3_600_000

/** Secrets that are stored ahead. */
export interface Stage {
  /** The key of the due entry that clears the stage away. */
  readonly entry: string
  /** The key prefix of the secrets, in front of the version. */
  readonly prefix: string
  readonly format: number
  readonly secrets: ReadonlyMap<number, Uint8Array>
}

/** @param job The work that clears the secrets away; `now` is when staging begins. */
export function stageOf(
  place: Place,
  kind: SecretKind,
  owner: string,
  secrets: ReadonlyMap<number, Uint8Array>,
  { lane, id, now }: { readonly lane: Lane; readonly id: string; readonly now: number },
): Stage {
  const entry = dueKey(place.classOf(LANES[lane].class), lane, now + STAGED_FOR_MS, place.id, id)
  return { entry, prefix: `${place.prefix(kind)}${owner}/`, format: kind.format, secrets }
}

/** Returns the version of the entry; undefined after a conflict: the place or the staged records are gone. */
export async function storeAhead({ store, clock }: Host, place: Place, stage: Stage): Promise<Revision | undefined> {
  const { entry, prefix, format } = stage
  const limit = Math.min(MOST_OPS, store.storage.caps.maxOps)
  const left = [...stage.secrets]
  let staged: Revision | undefined
  while (left.length > 0) {
    // A memory storage answers at once, so storing thousands of records would block the event loop.
    await clock.sleep(0)
    const ops: Op[] = checksOf(place.fences)
    if (staged === undefined) ops.push(store.sealed(entry, withFormat(1, EMPTY), 0))
    else ops.push({ op: 'check', key: entry, expect: staged })
    for (const [version, bytes] of left.splice(0, limit - ops.length)) {
      const stored = withFormat(format, bytes)
      store.checkSize(stored.length)
      ops.push(store.sealed(prefix + version, stored, undefined))
      stored.fill(0)
    }
    const verdict = await store.commit(ops)
    if (!verdict.ok) return undefined
    staged ??= verdict.revision
  }
  await clock.sleep(0)
  return staged
}
