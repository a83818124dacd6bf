/**
 * Work on a tree that nobody changes meanwhile. Room: log; whoever looks at the tree uses it.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { TreeProgress } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { isDamaged } from '../tree/check.ts'
import type { TreeMaintainer } from './tree-maintainer.ts'

export interface StableTreeParts {
  readonly host: SetHost
  readonly treeMaintainer: TreeMaintainer
}

/** The tree has to be brought up to the log first. */
export const TREE_BEHIND_LOG = Symbol('behind')

const MAX_TRIES = 100

/**
 * What work comes to on the tree as of one version of the record that says how far it is. What looks damaged while another kernel changes
 * the tree need not be.
 * @throws KernelError 503 where the tree is being made, or others keep changing it; what `work` throws.
 */
export async function retryUntilStable<T>(
  { host, treeMaintainer }: StableTreeParts,
  work: (folded: TreeProgress, version: number) => Promise<T | typeof TREE_BEHIND_LOG>,
): Promise<T> {
  const { store, kind } = host
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    host.env.closing.throwIfAborted()
    const done = await treeMaintainer.withTreePaused(async () => {
      const { value, version } = await kind.treeProgress.read(store)
      if (!value || value.building) return undefined
      const came = await outcomeOf(work(value, version))
      const [now] = await store.versions([kind.treeProgress.key])
      return now === version && !('value' in came && came.value === TREE_BEHIND_LOG) ? came : undefined
    })
    if (done && 'damage' in done) throw done.damage
    if (done) return done.value as T
    // Another kernel that changes the tree is given time.
    if (!(await treeMaintainer.run())) await store.backOff(Math.min(tries, 6))
  }
  throw new KernelError('ERR_UNAVAILABLE', 'the tree is being made, or others keep changing it: try again')
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
