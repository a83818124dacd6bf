/**
 * What is kept of checks and of reindexes: how far one has come, so that it goes on there, and what was found.
 */
import { isDamage } from '../../../core/barrier/is-damage.ts'
import { RecordSlot } from '../state/records.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import type { Finding } from '../tree/check.ts'
import type { RecordFault } from './find-faults.ts'
import type { InspectionCursor } from './inspection.ts'

/** A check that has not come to its end. */
export interface StoredCheck {
  /** Of the role that it began under: another one may hold other records. */
  readonly era: number
  /** Milliseconds. */
  readonly startedAt: number
  readonly at: InspectionCursor
  /** Keys that were looked at. */
  readonly done: number
  /** An estimate; null where nobody knows. */
  readonly total: number | null
  readonly faults: readonly RecordFault[]
  readonly findings: readonly Finding[]
  readonly isRootWrong: boolean
  /** What was found beyond what is kept. */
  readonly more: number
}

export const checkSlot = ({ inspection }: ReplicationKind): RecordSlot<StoredCheck> => new RecordSlot(`${inspection}check`)

/** A reindex that has not come to its end. */
export interface StoredReindex {
  /** Milliseconds. */
  readonly startedAt: number
  /** The tree is made of what is stored before anything is looked at: it is yet to be thrown away, or was. */
  readonly rebuild?: 'wanted' | 'begun'
  readonly at: InspectionCursor
  readonly done: number
  readonly total: number | null
  /** Records that the tree had otherwise. */
  readonly repaired: number
  /** Records that cannot be opened. */
  readonly unreadable: number
  /** It waits until somebody asks for it again. */
  readonly stopped?: true
}

export const reindexSlot = ({ inspection }: ReplicationKind): RecordSlot<StoredReindex> => new RecordSlot(`${inspection}reindex`)

/** What is known of what is stored. */
export interface StoredFindings {
  /** Milliseconds: when the last check ended, and the last reindex. */
  readonly checked?: number
  readonly reindexed?: number
  /** The last check, or whatever looked since, found something wrong. */
  readonly corrupted: boolean
  /**
   * Of a cluster that others follow: records of the store that nobody wrote like that. Its roots are told to nobody as long as there are any, so that nobody
   * takes such records over.
   */
  readonly faults: number
}

const findingsSlot = ({ inspection }: ReplicationKind): RecordSlot<StoredFindings> => new RecordSlot(`${inspection}found`)

const NOTHING: StoredFindings = { corrupted: false, faults: 0 }

const MAX_TRIES = 20

/** A note that is damaged says nothing. */
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

export const readFindings = async (host: SetHost): Promise<StoredFindings> =>
  (await readNote(host, findingsSlot(host.kind))).value ?? NOTHING

/** Notes what was found; what somebody else notes at the same time stays. */
export async function updateFindings(host: SetHost, change: (found: StoredFindings) => StoredFindings): Promise<void> {
  const { store } = host
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const { value, version } = await readNote(host, findingsSlot(host.kind))
    const { ok } = await store.commit([findingsSlot(host.kind).put(store, change(value ?? NOTHING), version)])
    if (ok) return
    await store.backOff(Math.min(tries, 6))
  }
}
