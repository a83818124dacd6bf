/**
 * The walk over the store that the check, the reindex and the background inspection share. It inspects the store in small parts, and pauses
 * after each part. The caller acts on the results and stores the progress, from which a later walk continues.
 */
import type { Membership, SetMember } from '../membership.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn } from '../state/tree-store.ts'
import { isDamaged } from '../tree/check.ts'
import { rootName } from '../tree/geometry.ts'
import { readTreeRoot } from '../tree/page-records.ts'
import { BEGINNING, type Inspection, type InspectionCursor, type InspectionResult } from './inspection.ts'

const ROOTS_PER_READ = 64

/** The pause after a part, as a multiple of the time that the part took. */
const PAUSE_FACTOR = 8

const MAX_PAUSE_MS = 100

/** The progress of a walk over the whole store. */
export interface WalkProgress {
  /** Milliseconds. */
  readonly startedAt: number
  readonly at: InspectionCursor
  /** Keys inspected so far. */
  readonly done: number
  /** An estimate; null if unknown. */
  readonly total: number | null
}

export interface InspectionProgress {
  /** Keys inspected so far. */
  readonly done: number
  /** The estimated total; null if it is unknown. */
  readonly total: number | null
}

/** The store that is inspected. */
interface WalkedStore {
  readonly inspection: Inspection
  readonly parts: { readonly host: SetHost; readonly membership: Membership }
}

export interface WalkOptions {
  /** The maximum number of parts. */
  readonly parts: number
  /**
   * Whether to rest after each part in proportion to its duration. Without pauses, a concurrent write could be delayed by several parts, once
   * for each asynchronous call in the write. Otherwise the pause only lets other work run.
   */
  readonly mayRest: () => boolean
}

export interface InspectedPart {
  readonly found: InspectionResult
  readonly member: SetMember
}

/**
 * Inspects parts from a position on. Ends after the last part of the store, and if the cluster leaves its set.
 *
 * @throws KernelError 503 if the tree is being built, or other kernels keep changing it.
 */
export async function* walkParts(
  { inspection, parts: { host, membership } }: WalkedStore,
  from: InspectionCursor,
  { parts, mayRest }: WalkOptions,
): AsyncGenerator<InspectedPart, void, void> {
  const { clock, env } = host
  for (let [at, count]: [InspectionCursor | undefined, number] = [from, 0]; at && count < parts; count++) {
    env.closing.throwIfAborted()
    const began = clock.now()
    const member = await membership.current()
    if (!member) return
    const found = await inspection.inspectPart(at, member)
    yield { found, member }
    at = found.next
    const took = Math.max(1, clock.now() - began)
    if (at) await clock.sleep(mayRest() ? Math.min(PAUSE_FACTOR * took, MAX_PAUSE_MS) : 0)
  }
}

export const newWalk = async (host: SetHost): Promise<WalkProgress> => ({
  startedAt: host.clock.now(),
  at: BEGINNING,
  done: 0,
  total: await estimateTotal(host),
})

/** Returns the progress after a part. */
export const advanced = <P extends WalkProgress>(progress: P, { next, inspectedKeys }: InspectionResult): P => ({
  ...progress,
  at: next ?? progress.at,
  done: progress.done + inspectedKeys,
})

/** Returns the progress as it is reported. The estimated total is never below the number of inspected keys. */
export const shownProgress = ({ done, total }: WalkProgress): InspectionProgress => ({
  done,
  total: total === null ? null : Math.max(total, done),
})

/** The estimated number of keys that a complete inspection covers; null if the tree is damaged. */
async function estimateTotal(host: SetHost): Promise<number | null> {
  const tree = treeIn(host)
  const domains = await tree.domains()
  let keys = 0
  try {
    for (let from = 0; from < domains.length; from += ROOTS_PER_READ) {
      const some = domains.slice(from, from + ROOTS_PER_READ)
      const records = await tree.read(some.map(rootName))
      for (const [at, domain] of some.entries()) keys += readTreeRoot(records[at], domain).keys
      await tree.clock.sleep(0)
    }
  } catch (error) {
    if (isDamaged(error)) return null
    throw error
  }
  // Each key is inspected twice: in the tree and in the store.
  return keys * 2
}
