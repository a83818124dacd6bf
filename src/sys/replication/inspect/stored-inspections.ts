/** The stored progress and results of checks and reindexes. */
import { isDamage } from '../../../core/barrier/is-damage.ts'
import { RecordSlot } from '../state/records.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import type { Finding } from '../tree/check.ts'
import type { RecordFault } from './find-faults.ts'
import type { WalkProgress } from './walk.ts'

/** A check that has not finished. */
export interface StoredCheck extends WalkProgress {
  /** The era of the role when the check began. In a later era, the check starts over, because the cluster may have other records. */
  readonly era: number
  readonly faults: readonly RecordFault[]
  readonly findings: readonly Finding[]
  readonly isRootWrong: boolean
  /** The number of faults and findings that exceed the limit and were dropped. */
  readonly more: number
}

export const checkSlot = ({ inspection }: ReplicationKind): RecordSlot<StoredCheck> => new RecordSlot(`${inspection}check`)

/** A reindex that has not finished. */
export interface StoredReindex extends WalkProgress {
  /** Set if the tree must be rebuilt from the store first. `wanted`: the old tree was not discarded yet. `begun`: it was discarded. */
  readonly rebuild?: 'wanted' | 'begun'
  /** The number of records whose leaf in the tree was corrected. */
  readonly repaired: number
  /** The number of records that cannot be decrypted. */
  readonly unreadable: number
  /** Set if the reindex was stopped. It continues when `reindex` is called. */
  readonly stopped?: true
}

export const reindexSlot = ({ inspection }: ReplicationKind): RecordSlot<StoredReindex> => new RecordSlot(`${inspection}reindex`)

/** The known damage of the store. */
export interface StoredFindings {
  /** The times at which the last check and the last reindex ended, in milliseconds since 1970. */
  readonly checked?: number
  readonly reindexed?: number
  /** Whether damage was found by the last `merkleCheck` or by a background inspection after it. */
  readonly corrupted: boolean
  /**
   * On a cluster that others follow: the number of damaged records. If it is not 0, the cluster reports no Merkle roots, because a secondary
   * that compared its root would find a difference and copy the damaged records.
   */
  readonly faults: number
}

const findingsSlot = ({ inspection }: ReplicationKind): RecordSlot<StoredFindings> => new RecordSlot(`${inspection}found`)

const NOTHING: StoredFindings = { corrupted: false, faults: 0 }

const MAX_TRIES = 20

/** Reads a stored progress or result. If its record is damaged, it is treated as absent. */
export async function readNote<T>(
  { store }: SetHost,
  note: RecordSlot<T>,
): Promise<{ readonly value: T | undefined; readonly version: number }> {
  try {
    return await note.read(store)
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  const [version = 0] = await store.versions([note.key])
  return { value: undefined, version }
}

/** Stores the progress. Returns its new version; undefined if it was stopped, or if another kernel continues the walk. */
export async function storeNote<T>(
  { store }: SetHost,
  note: RecordSlot<T>,
  value: T,
  version: number,
): Promise<number | undefined> {
  const verdict = await store.commit([note.put(store, value, version)])
  return verdict.ok ? verdict.revision : undefined
}

/** Deletes the progress at the end of the walk. Returns false if it was stopped, or if another kernel continues the walk. */
export const endNote = async <T>({ store }: SetHost, { key }: RecordSlot<T>, version: number): Promise<boolean> =>
  (await store.commit([{ op: 'del', key, expect: version }])).ok

export const readFindings = async (host: SetHost): Promise<StoredFindings> =>
  (await readNote(host, findingsSlot(host.kind))).value ?? NOTHING

/** Updates the findings without losing concurrent updates by other kernels. */
export async function updateFindings(host: SetHost, change: (found: StoredFindings) => StoredFindings): Promise<void> {
  const { store } = host
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const { value, version } = await readNote(host, findingsSlot(host.kind))
    const { ok } = await store.commit([findingsSlot(host.kind).put(store, change(value ?? NOTHING), version)])
    if (ok) return
    await store.backOff(Math.min(tries, 6))
  }
}
