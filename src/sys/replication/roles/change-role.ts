/** Runs role changes one at a time, so that each change sees the role that the previous change stored. */

import { RoleConflict } from '../membership.ts'
import { REPLICATION, type ReplicationContext } from '../replication-context.ts'

const MAX_TRIES = 5

const lastChanges = new WeakMap<object, Promise<unknown>>()

/** @param work Must begin by checking the role, because it runs again if another process has changed the role. */
export function changeRole<T>({ host }: Pick<ReplicationContext, 'host'>, work: () => Promise<T>): Promise<T> {
  const { env, store } = host
  // Use one queue for both kinds of replication, because they share the role record.
  const both = REPLICATION.of({ env })
  const once = async (): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof RoleConflict) || tries === MAX_TRIES) throw error
        for (const { membership } of [both.performance, both.dr]) membership.invalidate()
        await store.backOff(tries)
      }
    }
  }
  const done = (lastChanges.get(both) ?? Promise.resolve()).then(once, once)
  lastChanges.set(both, done)
  return done
}
