/** One tick: does the background work of a kernel that is due. */
import type { EventPlace } from './core/contract/event.ts'
import { type FailedItem, failedItem, reportItem } from './core/due/failed-item.ts'
import { type TickOptions, type TickResult, tick } from './core/due/tick.ts'
import type { KernelInternals } from './core/kernel/assemble.ts'
import type { KeyUseReporter } from './core/seal/key-use-reporter.ts'
import { workerOf } from './due-workers.ts'

/** @param keyUses Stores the number of encryptions with the barrier key. */
export async function runTick(internals: KernelInternals, keyUses: KeyUseReporter, options: TickOptions): Promise<TickResult> {
  const { host, claims } = internals
  const parts = { host, claims, worker: workerOf(internals), eventPlaceOf: (mount: string) => placeOf(internals, mount) }
  await internals.topology.fresh()
  const failed: FailedItem[] = []
  const attempt = async (lane: string, id: string, work: () => Promise<unknown>): Promise<void> => {
    // Work that has failed is not tried again in this tick.
    if (failed.some((item) => item.lane === lane && item.id === id)) return
    try {
      await work()
      host.failures.done(lane, '', id)
    } catch (error) {
      const item = failedItem(lane, id, error)
      failed.push(item)
      reportItem(host, item, { namespace: '', mount: '' })
    }
  }
  await attempt('housekeeping', 'encryptions', () => keyUses.run())
  const { commits } = host.store
  // A DR secondary does not answer the calls that the tick tasks make, so it skips these tasks.
  const runTickTasks = async () => {
    if (commits.isMirror) return
    await Promise.all([...internals.tickTasks].map((work, at) => attempt('credential-source', `${at + 1}`, work)))
  }
  // Run the tick tasks before the tick, to renew leases before expired leases are revoked. Run them again afterwards, to react to
  // changes that the tick has made.
  await runTickTasks()
  for (const { tick: work } of internals.backgroundServices) if (work) await attempt(work.lane, work.id, work.run)
  const result = await tick(parts, options)
  await runTickTasks()
  await internals.audit.anchor()
  return failed.length > 0 ? { ...result, failed: [...failed, ...result.failed] } : result
}

function placeOf({ topology }: KernelInternals, mount: string): EventPlace {
  const record = topology.holder(mount)?.record
  return { namespace: (record && topology.namespaces.byUuid(record.namespace)?.path) ?? '', mount: record?.path ?? '' }
}
