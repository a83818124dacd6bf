/**
 * The store format: the version of the layout of the whole store, and the migration of older layouts. Besides, each record has the format
 * of its record kind, and is converted when it is next written. A migration step does what this conversion cannot do: it moves records to
 * other keys, or adds and removes records.
 *
 * The stamp is in plaintext, so that a newer store is refused before unsealing and before anything is changed.
 *
 * To add a step, append it to STEPS and raise STORE_FORMAT to its `to`:
 *
 *     const salts: FormatStep = {
 *       to: 6,
 *       needs: 'barrier', // or 'nothing', to run before unsealing
 *       async run({ store, commit }) {
 *         const old = await store.list('l/core/salts/') // find in the store what is left to do
 *         for (const page of pages(old)) await commit(moves(page)) // at most MAX_COMMIT_OPS - 1 ops; only for what exceeds one commit
 *         return [{ op: 'del', key: 'l/core/salts', expect: 17 }] // the last writes; they and the stamp are one commit
 *       },
 *     }
 *
 * A step may be interrupted after any of its commits. The process that opens the store next runs the step again from its beginning, and two
 * processes may run it concurrently. A step therefore finds in the store what is left to do, and its ops expect the versions that it has
 * read. Older releases refuse the store after the step's first commit. The stamp is not authenticated: an attacker could restore an older
 * stamp. So a step must do no harm if it runs again on a store that it has already converted.
 */
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { KernelError } from '../base/errors.ts'
import type { Op } from '../storage/port.ts'
import { FORMAT_KEY, unfinishedBy } from '../storage/unfinished-store.ts'
import { classByKey } from './class-by-key.ts'
import type { FormatStep } from './format-step.ts'
import type { Store } from './store.ts'

/** The format that this release writes. */
export const STORE_FORMAT = 5

/** The format stamp: the record that contains the store's format, as JSON in plaintext. */
interface Stamp {
  readonly format: number
  /** The format to which a migration has begun. While it is set, the records of the store match neither format. */
  readonly upgrading?: number
}

/** Up to format 2, the seal record at this key contained the store format. */
const OLD_STAMP_KEY = 'i/core/seal'

const ownStamp: FormatStep = {
  to: 3,
  needs: 'nothing',
  async run({ store }) {
    const [version] = await store.versions([OLD_STAMP_KEY])
    const [text] = await store.storedValues([OLD_STAMP_KEY])
    const { format: _, ...seal } = readObject(text)
    return [{ op: 'put', key: OLD_STAMP_KEY, value: toUtf8(JSON.stringify(seal)), expect: version as number }]
  },
}

/**
 * Renames the seal type `key`, for which the application supplies the key, to `static`. Also adds the number of shares and their threshold
 * to the seal record.
 */
const sharesInSeal: FormatStep = {
  to: 4,
  needs: 'nothing',
  async run({ store }) {
    const [version] = await store.versions([OLD_STAMP_KEY])
    const [text] = await store.storedValues([OLD_STAMP_KEY])
    const { type, ...seal } = readObject(text)
    const value = { type: type === 'key' ? 'static' : type, shares: 1, threshold: 1, epoch: 0, attempts: 0, ...seal }
    return [{ op: 'put', key: OLD_STAMP_KEY, value: toUtf8(JSON.stringify(value)), expect: version as number }]
  },
}

const STEPS: readonly FormatStep[] = [ownStamp, sharesInSeal, classByKey]

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

/** Whether a newer release has written to the store, or has begun to migrate it. This kernel must then stop. */
export async function isNewerFormat(store: Store): Promise<boolean> {
  const found = await readStamp(store)
  return found !== undefined && formatOf(found.stamp) > STORE_FORMAT
}

/**
 * Runs the migration steps that an older store needs. A step that needs the barrier, and all steps after it, run only if the store is
 * unsealed (`open`).
 * @throws KernelError with both formats if a newer release has written the store. Nothing was changed in that case.
 */
export async function upgradeFormat(store: Store, open: boolean, steps: readonly FormatStep[] = STEPS): Promise<void> {
  const newest = steps.at(-1)?.to ?? STORE_FORMAT
  for (let tries = 0; ; ) {
    const found = await readStamp(store)
    if (!found) return
    assertKnownFormat(found.stamp, newest)
    const { format } = found.stamp
    if (format === newest) return
    const step = steps.find(({ to }) => to === format + 1)
    if (!step) throw new KernelError('ERR_INTERNAL', `the store has format ${format}, which no release ever wrote`)
    if (step.needs === 'barrier' && !open) return
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
  let stampVersion = version
  const attempt = async (ops: readonly Op[]): Promise<number> => {
    const verdict = await store.commit(ops)
    // If the conflicting record has version 0, another process that runs this step has already removed it. Each record is removed only
    // once, so the number of such conflicts is limited.
    if (!verdict.ok) throw new StepConflict(verdict.version === 0 ? 'ahead' : 'disturbed')
    return verdict.revision
  }
  try {
    const last = await step.run({
      store,
      async commit(ops) {
        if (stamp.upgrading === step.to || stampVersion !== version)
          await attempt([...ops, { op: 'check', key: FORMAT_KEY, expect: stampVersion }])
        else stampVersion = await attempt([...ops, stampOp({ format: stamp.format, upgrading: step.to }, stampVersion)])
      },
    })
    await attempt([...last, stampOp({ format: step.to }, stampVersion)])
    return 'done'
  } catch (error) {
    if (error instanceof StepConflict) return error.outcome
    throw error
  }
}

interface StoredStamp {
  readonly stamp: Stamp
  readonly version: number
}

/** Returns undefined for a store that was never initialized. */
async function readStamp(store: Store): Promise<StoredStamp | undefined> {
  // Read the version before the value: the version is then never newer than the value, so a commit that depends on an outdated value fails.
  const [version] = await store.versions([FORMAT_KEY])
  const [own, old] = await store.storedValues([FORMAT_KEY, OLD_STAMP_KEY])
  if (!own && !old) return undefined
  const filler = own && unfinishedBy(own)
  if (filler)
    throw new KernelError('ERR_INTERNAL', `the store is an unfinished ${filler}: finish it, or empty the store and start again`)
  const { format, upgrading } = readObject(own ?? old)
  if (!isFormat(format) || !(upgrading === undefined || isFormat(upgrading))) throw damagedStampError()
  return { stamp: upgrading === undefined ? { format } : { format, upgrading }, version: version as number }
}

const isFormat = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

function readObject(text: Uint8Array | undefined): Record<string, unknown> {
  try {
    const value = JSON.parse(fromUtf8(text as Uint8Array)) as unknown
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Ignore the parse error, because it quotes the stored content. The error below does not.
  }
  throw damagedStampError()
}

const damagedStampError = (): KernelError =>
  new KernelError('ERR_INTERNAL', "the stamp with the store's format is damaged or was written by another program")

const formatOf = ({ format, upgrading = format }: Stamp): number => Math.max(format, upgrading)

function assertKnownFormat(stamp: Stamp, newest: number): void {
  const format = formatOf(stamp)
  if (format <= newest) return
  throw new KernelError(
    'ERR_INTERNAL',
    `the store has format ${format}; this release reads formats up to ${newest}: a newer release has written it`,
    { details: { format, newest } },
  )
}
