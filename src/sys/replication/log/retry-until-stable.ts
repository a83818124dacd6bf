/** Runs work on a tree, and repeats the work if the tree changed during the run. */
import { KernelError } from '../../../core/base/errors.ts'
import type { TreeProgress } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { isDamaged } from '../tree/check.ts'
import type { TreeMaintainer } from './tree-maintainer.ts'

export interface StableTreeParts {
  readonly host: SetHost
  readonly treeMaintainer: TreeMaintainer
}

/** The result of `work` if the log entries must be applied to the tree first. */
export const TREE_BEHIND_LOG = Symbol('behind')

const MAX_TRIES = 100

/**
 * Repeats `work` until the tree did not change during a run. While another kernel changes the tree, the tree may look damaged. An error about
 * damage is therefore thrown only if the tree did not change during the run.
 *
 * @throws KernelError 503 if the tree is being built, or if other kernels keep changing it. Also throws the errors of `work`.
 */
export async function retryUntilStable<T>(
  { host, treeMaintainer }: StableTreeParts,
  work: (treeProgress: TreeProgress, version: number) => Promise<T | typeof TREE_BEHIND_LOG>,
): Promise<T> {
  const { store, kind } = host
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    host.env.closing.throwIfAborted()
    const done = await treeMaintainer.withTreePaused(async () => {
      const { value, version } = await kind.treeProgress.read(store)
      if (!value || value.building) return undefined
      const outcome = await outcomeOf(work(value, version))
      const [now] = await store.versions([kind.treeProgress.key])
      return now === version && !('value' in outcome && outcome.value === TREE_BEHIND_LOG) ? outcome : undefined
    })
    if (done && 'damage' in done) throw done.damage
    if (done) return done.value as T
    // Give the other kernel time to finish.
    if (!(await treeMaintainer.run())) await store.backOff(Math.min(tries, 6))
  }
  throw new KernelError('ERR_UNAVAILABLE', 'the Merkle tree is being built or changed by another kernel; retry')
}

type Outcome<T> = { readonly value: T } | { readonly damage: unknown }

async function outcomeOf<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work }
  } catch (damage) {
    if (!isDamaged(damage)) throw damage
    return { damage }
  }
}
