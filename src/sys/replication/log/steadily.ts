/**
 * Work on a tree that nobody changes meanwhile. Room: log; whoever looks at the tree uses it.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { Folded } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { isDamaged } from '../tree/check.ts'
import type { Upkeep } from './upkeep.ts'

export interface SteadyParts {
  readonly host: SetHost
  readonly upkeep: Upkeep
}

/** The tree has to be brought up to the log first. */
export const BEHIND = Symbol('behind')

const MOST_TRIES = 100

/**
 * What work comes to on the tree as of one version of the record that says how far it is. What looks damaged while another kernel changes
 * the tree need not be.
 * @throws KernelError 503 where the tree is being made, or others keep changing it; what `work` throws.
 */
export async function steadily<T>(
  { host, upkeep }: SteadyParts,
  work: (folded: Folded, version: number) => Promise<T | typeof BEHIND>,
): Promise<T> {
  const { store, kind } = host
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    host.env.closing.throwIfAborted()
    const done = await upkeep.still(async () => {
      const { value, version } = await kind.folded.read(store)
      if (!value || value.building) return undefined
      const came = await outcomeOf(work(value, version))
      const [now] = await store.versions([kind.folded.key])
      return now === version && !('value' in came && came.value === BEHIND) ? came : undefined
    })
    if (done && 'damage' in done) throw done.damage
    if (done) return done.value as T
    // Another kernel that changes the tree is given time.
    if (!(await upkeep.run())) await store.backOff(Math.min(tries, 6))
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
