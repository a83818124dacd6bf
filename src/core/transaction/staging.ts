/**
 * Secrets stored ahead of the commit that makes them known, where one commit would not hold them all.
 *
 * They belong to an owner that nobody can refer to before that commit, so it does not matter when they come. The first of these commits
 * also stores an entry of the due index that clears all of them away; each later one, and the last, depends on that entry being there,
 * and the last removes it. So whoever dies on the way leaves what tick removes, and nothing is stored that nobody will clear away.
 */
import { EMPTY } from '../base/bytes.ts'
import { LANES, type Lane } from '../contract/lane.ts'
import { type SecretKind, withFormat } from '../contract/record-kind.ts'
import type { Op, Revision } from '../storage/port.ts'
import { dueKey } from './due-entry.ts'
import type { Host } from './host.ts'
import type { Place } from './place.ts'
import { checksOf } from './writes.ts'

/** No operation needs more ops in one commit, whatever a storage takes: CI and the smallest storages take no more. */
const MOST_OPS = 128

/** So many secrets fit into the commit itself, beside what else an operation writes. */
export const MOST_AT_ONCE = MOST_OPS / 2

/** Far longer than any storage needs for what is staged. Whoever takes longer stages again. */
const STAGED_FOR_MS = 3_600_000

/** What is stored ahead. */
export interface Stage {
  /** The key of the entry that clears it away. */
  readonly entry: string
  /** Of the secrets' keys, in front of the version. */
  readonly prefix: string
  readonly format: number
  readonly secrets: ReadonlyMap<number, Uint8Array>
}

/** @param job The work that clears them away, were it to be begun at `now`. */
export function stageOf(
  place: Place,
  kind: SecretKind,
  owner: string,
  secrets: ReadonlyMap<number, Uint8Array>,
  { lane, id, now }: { readonly lane: Lane; readonly id: string; readonly now: number },
): Stage {
  const entry = dueKey(LANES[lane].class, lane, now + STAGED_FOR_MS, place.id, id)
  return { entry, prefix: `${place.prefix(kind)}${owner}/`, format: kind.format, secrets }
}

/** Returns the version of the entry; undefined after a conflict: the place is gone, or what was staged is. */
export async function storeAhead({ store, clock }: Host, place: Place, stage: Stage): Promise<Revision | undefined> {
  const { entry, prefix, format } = stage
  const limit = Math.min(MOST_OPS, store.storage.caps.maxOps)
  const left = [...stage.secrets]
  let staged: Revision | undefined
  while (left.length > 0) {
    // A storage in memory answers at once: thousands of records are long work all the same.
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
