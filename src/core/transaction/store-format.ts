/**
 * Which layout the store as a whole has, and how an older one becomes today's. Single records have formats of their own and move when
 * they are next written; a step here is for what they cannot say: keys that lie elsewhere, records that are new or gone.
 *
 * The stamp lies in the clear, so that a newer store is refused before a seal is asked and before anything is touched.
 *
 * A step looks like this, at the end of STEPS, with STORE_FORMAT raised to its `to`:
 *
 * const salts: FormatStep = { to: 4, needs: 'barrier', // or 'nothing', to run before the seal is asked async run({ store, commit }) {
 * const old = await store.list('l/core/salts/') // what is left to do, found in the store itself for (const page of pages(old)) await
 * commit(moves(page)) // at most MOST_OPS - 1 ops; only for what outgrows one commit return [{ op: 'del', key: 'l/core/salts', expect: 17
 * }] // the last writes: they and the stamp are one commit }, }
 *
 * A step may be cut off behind any of its commits and is run again from its beginning by whoever opens the store next, also by two at
 * once: it finds out from the store what is left, and its ops carry the versions it read as expectations. A release older than the step
 * refuses the store from the step's first commit on. Nothing protects the stamp, so a step does no harm to a store that it has changed
 * before.
 */
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { KernelError } from '../base/errors.ts'
import { FORMAT_KEY, unfinished } from '../storage/filling.ts'
import type { Op } from '../storage/port.ts'
import { classByKey } from './class-by-key.ts'
import type { FormatStep } from './format-step.ts'
import type { Store } from './store.ts'

/** The format that this release writes. */
export const STORE_FORMAT = 5

/** Stored as JSON in the clear. */
interface Stamp {
  readonly format: number
  /** A step to this format has begun, so the store's records match neither format. */
  readonly upgrading?: number
}

/** Until format 2 the number was part of the seal record. */
const OLD_PLACE = 'i/core/seal'

const ownStamp: FormatStep = {
  to: 3,
  needs: 'nothing',
  async run({ store }) {
    const [version] = await store.versions([OLD_PLACE])
    const [text] = await store.plain([OLD_PLACE])
    const { format: _, ...seal } = readObject(text)
    return [{ op: 'put', key: OLD_PLACE, value: toUtf8(JSON.stringify(seal)), expect: version as number }]
  },
}

/** The seal whose key the application holds is called `static`, and the record says how many shares there are. */
const sharesInSeal: FormatStep = {
  to: 4,
  needs: 'nothing',
  async run({ store }) {
    const [version] = await store.versions([OLD_PLACE])
    const [text] = await store.plain([OLD_PLACE])
    const { type, ...seal } = readObject(text)
    const value = { type: type === 'key' ? 'static' : type, shares: 1, threshold: 1, epoch: 0, attempts: 0, ...seal }
    return [{ op: 'put', key: OLD_PLACE, value: toUtf8(JSON.stringify(value)), expect: version as number }]
  },
}

const STEPS: readonly FormatStep[] = [ownStamp, sharesInSeal, classByKey]

/** How often a step starts again because of concurrent writes, other than those of a process that takes the same step. */
const TRIES = 20

/** The attempt from which on a back-off grows no longer. */
const LONGEST_PAUSE = 8

const stampOp = (stamp: Stamp, expect: number): Op => ({
  op: 'put',
  key: FORMAT_KEY,
  value: toUtf8(JSON.stringify(stamp)),
  expect,
})

/** The stamp that a fresh store gets in its first commit. */
export const freshStamp = (): Op => stampOp({ format: STORE_FORMAT }, 0)

/** Whether a newer release writes, or has begun to write, the store: this kernel must then stop. */
export async function isOvertaken(store: Store): Promise<boolean> {
  const found = await readStamp(store)
  return found !== undefined && formatOf(found.stamp) > STORE_FORMAT
}

/**
 * Runs the steps that a store of an older format needs, as far as they can run now: steps that need the barrier, and those behind them,
 * run only once it is `open`.
 * @throws KernelError naming both formats when a newer release has written the store; nothing was touched then.
 */
export async function upgradeFormat(store: Store, open: boolean, steps: readonly FormatStep[] = STEPS): Promise<void> {
  const newest = steps.at(-1)?.to ?? STORE_FORMAT
  for (let tries = 0; ; ) {
    const found = await readStamp(store)
    if (!found) return
    refuse(found.stamp, newest)
    const { format } = found.stamp
    if (format === newest) return
    const step = steps.find(({ to }) => to === format + 1)
    if (!step) throw new KernelError('ERR_INTERNAL', `the store has format ${format}, which no release ever wrote`)
    if (step.needs === 'barrier' && !open) return
    const ended = await take(store, step, found)
    if (ended === 'done') tries = 0
    else if (ended === 'disturbed' && ++tries === TRIES)
      throw new KernelError('ERR_UNAVAILABLE', 'the store could not be upgraded: others keep writing to it')
    else await store.backOff(ended === 'ahead' ? LONGEST_PAUSE : tries)
  }
}

/** `ahead`: another process has done what this one was about to do. `disturbed`: something that the step rests on was written to. */
type Ended = 'done' | 'ahead' | 'disturbed'

/** Ends a step whose expectations no longer hold. */
class Moved extends Error {
  readonly ended: Ended

  constructor(ended: Ended) {
    super()
    this.ended = ended
  }
}

async function take(store: Store, step: FormatStep, { stamp, version }: Found): Promise<Ended> {
  let at = version
  const attempt = async (ops: readonly Op[]): Promise<number> => {
    const verdict = await store.commit(ops)
    // A step takes records away, so there is an end to those that others take away first.
    if (!verdict.ok) throw new Moved(verdict.version === 0 ? 'ahead' : 'disturbed')
    return verdict.revision
  }
  try {
    const last = await step.run({
      store,
      async commit(ops) {
        if (stamp.upgrading === step.to || at !== version) await attempt([...ops, { op: 'check', key: FORMAT_KEY, expect: at }])
        else at = await attempt([...ops, stampOp({ format: stamp.format, upgrading: step.to }, at)])
      },
    })
    await attempt([...last, stampOp({ format: step.to }, at)])
    return 'done'
  } catch (error) {
    if (error instanceof Moved) return error.ended
    throw error
  }
}

interface Found {
  readonly stamp: Stamp
  readonly version: number
}

/** Undefined in a store that nobody has initialised. */
async function readStamp(store: Store): Promise<Found | undefined> {
  // In this order the version is never newer than the value, so a commit that rests on a stale value fails.
  const [version] = await store.versions([FORMAT_KEY])
  const [own, old] = await store.plain([FORMAT_KEY, OLD_PLACE])
  if (!own && !old) return undefined
  const filler = own && unfinished(own)
  if (filler)
    throw new KernelError('ERR_INTERNAL', `the store is an unfinished ${filler}: finish it, or empty the store and begin anew`)
  const { format, upgrading } = readObject(own ?? old)
  if (!isFormat(format) || !(upgrading === undefined || isFormat(upgrading))) throw damaged()
  return { stamp: upgrading === undefined ? { format } : { format, upgrading }, version: version as number }
}

const isFormat = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

function readObject(text: Uint8Array | undefined): Record<string, unknown> {
  try {
    const value = JSON.parse(fromUtf8(text as Uint8Array)) as unknown
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // The error below says it, without quoting the content.
  }
  throw damaged()
}

const damaged = (): KernelError =>
  new KernelError('ERR_INTERNAL', "the stored mark of the store's format is damaged or was put there by somebody else")

const formatOf = ({ format, upgrading = format }: Stamp): number => Math.max(format, upgrading)

function refuse(stamp: Stamp, newest: number): void {
  const format = formatOf(stamp)
  if (format <= newest) return
  throw new KernelError(
    'ERR_INTERNAL',
    `the store has format ${format}; this release reads formats up to ${newest}: a newer release has written it`,
    { details: { format, newest } },
  )
}
