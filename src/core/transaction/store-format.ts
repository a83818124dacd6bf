/**
 * The store format: the version of the layout of the whole store, and the steps that convert a store to the next version. The format is 1,
 * and there is no step yet.
 *
 * The stamp is in plaintext, so that a newer store is refused before unsealing and before anything is changed.
 *
 * To change the layout, append a step to STEPS. The first step converts format 1 to format 2, and so on. For example:
 *
 *     const salts: FormatStep = async ({ store, commit }) => {
 *       const old = await store.list('l/core/salts/') // find in the store what is left to do
 *       for (const page of pages(old)) await commit(moves(page)) // at most MAX_COMMIT_OPS - 1 ops; only for what exceeds one commit
 *       return [{ op: 'del', key: 'l/core/salts', expect: 17 }] // the last writes; they and the stamp are one commit
 *     }
 *
 * Steps run after unsealing. A step may be interrupted after any of its commits. The process that opens the store next runs the step again
 * from its beginning, and two processes may run it concurrently. A step therefore finds in the store what is left to do, and its ops expect
 * the versions that it has read. Releases without the step refuse the store after the step's first commit. The stamp is not authenticated:
 * an attacker could restore an older stamp. So a step must do no harm if it runs again on a store that it has already converted.
 */
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { KernelError } from '../base/errors.ts'
import type { Op } from '../storage/port.ts'
import { FORMAT_KEY, unfinishedBy } from '../storage/unfinished-store.ts'
import type { Store } from './store.ts'

/**
 * Converts a store to the next format. Returns the operations of the step's last commit. Neither these operations nor those of earlier
 * commits may write the stamp: the caller adds that write.
 */
export type FormatStep = (upgrade: Upgrade) => Promise<readonly Op[]>

export interface Upgrade {
  readonly store: Store
  /**
   * Commits operations of the step, together with a write to the stamp or a check of it. Throws on a conflict. The step is then run again
   * from its beginning.
   */
  commit(ops: readonly Op[]): Promise<void>
}

const STEPS: readonly FormatStep[] = []

const newestFormat = (steps: readonly FormatStep[]): number => steps.length + 1

/** The format that this release writes. */
export const STORE_FORMAT = newestFormat(STEPS)

/** The format stamp: the record that contains the store's format, as JSON in plaintext. */
interface Stamp {
  readonly format: number
  /** The format to which a step has begun to convert the store. While it is set, the records of the store match neither format. */
  readonly upgrading?: number
}

interface StoredStamp {
  readonly stamp: Stamp
  readonly version: number
}

/**
 * The storage key of the seal record. The commit that creates a store writes this record and the stamp, so a store that has only this
 * record has lost its stamp.
 */
const SEAL_KEY = 'i/core/seal'

/** The maximum number of times that a step starts again because of concurrent writes by processes that do not run the same step. */
const MAX_TRIES = 20

/** The back-off does not grow after this attempt. */
const MAX_BACK_OFF_ATTEMPT = 8

const stampOp = (stamp: Stamp, expect: number): Op => ({
  op: 'put',
  key: FORMAT_KEY,
  value: toUtf8(JSON.stringify(stamp)),
  expect,
})

/** The stamp that a new store gets in its first commit. */
export const freshStamp = (): Op => stampOp({ format: STORE_FORMAT }, 0)

/** Whether a newer release has written to the store, or has begun to convert it. This kernel must then stop. */
export async function isNewerFormat(store: Store): Promise<boolean> {
  const found = await readStamp(store)
  return found !== undefined && formatOf(found.stamp) > STORE_FORMAT
}

/** Changes nothing. @throws KernelError with both formats if a newer release has written the store. */
export async function checkFormat(store: Store): Promise<void> {
  const found = await readStamp(store)
  if (found) assertKnownFormat(found.stamp, STORE_FORMAT)
}

/** Runs the steps that an older store needs. The store must be unsealed. @throws KernelError as {@link checkFormat}. */
export async function upgradeFormat(store: Store, steps: readonly FormatStep[] = STEPS): Promise<void> {
  for (let tries = 0; ; ) {
    const found = await readStamp(store)
    if (!found) return
    assertKnownFormat(found.stamp, newestFormat(steps))
    const step = steps[found.stamp.format - 1]
    if (!step) return
    const outcome = await runStep(store, step, found)
    if (outcome === 'done') tries = 0
    else if (outcome === 'disturbed' && ++tries === MAX_TRIES)
      throw new KernelError(
        'ERR_UNAVAILABLE',
        'the store could not be upgraded because other processes keep writing to it; stop them and open it again',
      )
    else await store.backOff(outcome === 'ahead' ? MAX_BACK_OFF_ATTEMPT : tries)
  }
}

/**
 * `ahead`: another process has already done the work of this commit. `disturbed`: a concurrent write changed a record on which the step
 * depends.
 */
type StepOutcome = 'done' | 'ahead' | 'disturbed'

/** Thrown when an expectation of a step's commit fails. */
class StepConflict extends Error {
  readonly outcome: StepOutcome

  constructor(outcome: StepOutcome) {
    super()
    this.outcome = outcome
  }
}

async function runStep(store: Store, step: FormatStep, { stamp, version }: StoredStamp): Promise<StepOutcome> {
  const { format } = stamp
  let stampVersion = version
  let isMarked = stamp.upgrading !== undefined
  const attempt = async (ops: readonly Op[]): Promise<number> => {
    const verdict = await store.commit(ops)
    // If the conflicting record has version 0, another process that runs this step has already removed it. Each record is removed only
    // once, so the number of such conflicts is limited.
    if (!verdict.ok) throw new StepConflict(verdict.version === 0 ? 'ahead' : 'disturbed')
    return verdict.revision
  }
  try {
    const last = await step({
      store,
      async commit(ops) {
        if (isMarked) await attempt([...ops, { op: 'check', key: FORMAT_KEY, expect: stampVersion }])
        else stampVersion = await attempt([...ops, stampOp({ format, upgrading: format + 1 }, stampVersion)])
        isMarked = true
      },
    })
    await attempt([...last, stampOp({ format: format + 1 }, stampVersion)])
    return 'done'
  } catch (error) {
    if (error instanceof StepConflict) return error.outcome
    throw error
  }
}

/** Returns undefined for a store that was never initialized. */
async function readStamp(store: Store): Promise<StoredStamp | undefined> {
  // Read the version before the value: the version is then never newer than the value, so a commit that depends on an outdated value fails.
  const [version] = await store.versions([FORMAT_KEY])
  const [stored, seal] = await store.storedValues([FORMAT_KEY, SEAL_KEY])
  if (!stored && !seal) return undefined
  const filler = stored && unfinishedBy(stored)
  if (filler)
    throw new KernelError('ERR_INTERNAL', `the store is an unfinished ${filler}: finish it, or empty the store and start again`)
  return { stamp: parseStamp(stored), version: version as number }
}

/** @throws KernelError ERR_INTERNAL if the bytes are missing or are not a stamp. */
function parseStamp(stored: Uint8Array | undefined): Stamp {
  let value: Partial<Stamp> | null = null
  try {
    value = stored ? JSON.parse(fromUtf8(stored)) : null
  } catch {
    // Ignore the parse error, because it quotes the stored content. The error below does not.
  }
  const { format, upgrading } = value ?? {}
  if (isFormat(format) && (upgrading === undefined || upgrading === format + 1))
    return upgrading === undefined ? { format } : { format, upgrading }
  throw new KernelError('ERR_INTERNAL', "the stamp with the store's format is damaged or was written by another program")
}

const isFormat = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

const formatOf = ({ format, upgrading = format }: Stamp): number => upgrading

function assertKnownFormat(stamp: Stamp, newest: number): void {
  const format = formatOf(stamp)
  if (format <= newest) return
  throw new KernelError(
    'ERR_INTERNAL',
    `the store has format ${format}; this release reads formats up to ${newest}: a newer release has written it`,
    { details: { format, newest } },
  )
}
