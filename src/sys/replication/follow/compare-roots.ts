/**
 * Roots are compared at equal positions; where they differ, everything is compared at the next turn.
 */
import type { Center } from '../center.ts'
import { originAt } from '../state/history.ts'
import type { SetHost } from '../state/set-host.ts'
import { isClear } from './received.ts'
import type { Standing } from './standing.ts'

export async function compareRoots({ host, follower, upkeep }: Center): Promise<void> {
  const { heard } = follower
  const found = heard?.standing.checkpoint
  if (!found || !(await isHeldAsHeard(host, heard.standing))) return
  if (await upkeep.differsAt({ ...found, origin: originAt(heard.standing.history, found.index) })) {
    host.events.say('replication.diverged', { kind: host.kind.name, lost: 0 })
    follower.lastError = 'what is held differs from the primary’s records: it is compared and put right'
    await upkeep.mustCompare()
  }
}

/**
 * A root without what a filter leaves out is as of the mounts that the primary had when it said so: whoever has not heard of all of them
 * has another one.
 */
async function isHeldAsHeard({ kind, store }: SetHost, { view, partial, head }: Standing): Promise<boolean> {
  const { value } = await kind.following.read(store)
  return value !== undefined && (value.view ?? '') === view && (!partial || (isClear(value) && value.applied >= head))
}
