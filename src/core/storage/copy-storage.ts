/**
 * Copies a store from one storage to another of any kind, record by record.
 *
 * The only state of a copy is a marker in the target. An interrupted copy starts again at the first key: records that the target already
 * has are compared and not written again. So every pass both copies and verifies, and the last pass is the first one that finds no
 * difference.
 */

import { type Clock, systemClock } from '../base/clock.ts'
import { type Entropy, systemEntropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { readOptions } from '../base/options.ts'
import type { LongWorkOptions, Progress } from '../base/progress.ts'
import { compareKeys } from './order.ts'
import { type KeyPage, pagesOf, valueBytes } from './pages.ts'
import type { Entry, Op, Storage } from './port.ts'
import { type FillOptions, FORMAT_KEY, splitIntoCommits, UnfinishedStore, unfinishedBy } from './unfinished-store.ts'

export interface CopyProgress extends Progress {
  /**
   * The number of records of the source that all passes together have processed. There are at least two passes, one to copy and one to
   * verify.
   */
  readonly done: number
  /** `copy`: missing records are written. `verify`: every record is read back and compared. */
  readonly phase: 'copy' | 'verify'
  /** The number of records processed in this pass, and the bytes of their values. */
  readonly records: number
  readonly bytes: number
  /** The number of records that this call has written or removed so far. */
  readonly changed: number
}

export interface CopyOptions extends LongWorkOptions<CopyProgress> {
  /** Default: the system clock. Its `sleep` is used for pauses between pages, and before a commit of unknown outcome is repeated. */
  readonly clock?: Clock
  /** Default: the system's random generator. Used for commit ids. */
  readonly entropy?: Entropy
}

export interface CopyResult {
  readonly records: number
  readonly bytes: number
  /** The number of records that this call wrote or removed: fewer than `records` if it continued an interrupted copy. */
  readonly changed: number
}

/** Implements `copyStorage`. */
export async function copyRecords(from: Storage, to: Storage, given: CopyOptions): Promise<CopyResult> {
  const options = readOptions('copyStorage', given, { clock: 1, entropy: 1, signal: 1, onProgress: 1 })
  if (from === to) throw new TypeError('copyStorage: from and to must be different storages')
  const copy = new Copy(from, to, options)
  const source = await from.get(FORMAT_KEY)
  if (source && unfinishedBy(source.value))
    throw preconditionError('the store to copy is an unfinished copy or restore: finish the copy or restore first')
  const target = await to.get(FORMAT_KEY)
  const resumes = target && unfinishedBy(target.value) === 'copy'
  if (!resumes && (await to.list('', { limit: 1 })).length > 0) {
    await copy.compare()
    return copy.result()
  }
  const fillOptions: FillOptions = {
    clock: options.clock ?? systemClock,
    entropy: options.entropy ?? systemEntropy(),
    ...(options.signal ? { signal: options.signal } : {}),
  }
  const filling = await UnfinishedStore.begin(to, 'copy', target, fillOptions)
  await copy.fill(filling)
  await filling.finish(source?.value)
  return copy.result(source)
}

class Copy {
  readonly #from: Storage
  readonly #to: Storage
  readonly #options: CopyOptions
  #phase: CopyProgress['phase'] = 'copy'
  #done = 0
  #records = 0
  #bytes = 0
  #changed = 0

  constructor(from: Storage, to: Storage, options: CopyOptions) {
    this.#from = from
    this.#to = to
    this.#options = options
  }

  /**
   * @param stamp The source's format stamp, the record that contains the store's format. It is copied after all other records, so the
   * counters do not include it.
   */
  result(stamp?: Entry): CopyResult {
    return {
      records: this.#records + (stamp ? 1 : 0),
      bytes: this.#bytes + (stamp ? stamp.value.length : 0),
      changed: this.#changed + (stamp ? 1 : 0),
    }
  }

  /** @throws KernelError ERR_PRECONDITION if the records of the target differ from those of the source. */
  async compare(): Promise<void> {
    this.#phase = 'verify'
    const differs = async (): Promise<never> => {
      throw preconditionError('to: must be empty, an unfinished copy, or identical to the source')
    }
    await this.#pass(isAnyKey, differs)
  }

  /**
   * Runs passes until a pass finds no difference. The source may change during the first pass, because a kernel that is closing may still
   * write to it. A change during a later pass ends the copy with an error.
   */
  async fill(filling: UnfinishedStore): Promise<void> {
    const write = async (ops: readonly Op[]): Promise<void> => {
      for (const some of splitIntoCommits(this.#to, ops)) await filling.commit(some)
    }
    let quietRevision: number | undefined
    for (let pass = 1; ; pass++) {
      this.#phase = pass === 1 ? 'copy' : 'verify'
      const revision = await this.#from.revision(true)
      const differences = await this.#pass(isNotStamp, write)
      const quiet = (await this.#from.revision(true)) === revision
      if (!quiet && pass > 1) throw preconditionError('from: is being written to; close its kernels, then call copyStorage again')
      if (quiet && differences === 0 && pass > 1) return
      if (quietRevision === revision && differences > 0)
        throw new KernelError(
          'ERR_INTERNAL',
          `the target of the copy does not return ${differences} of the records that were written to it`,
        )
      quietRevision = quiet ? revision : undefined
    }
  }

  /** Compares source and target once. @returns The number of records that differed. */
  async #pass(wanted: (key: string) => boolean, correct: (ops: readonly Op[]) => Promise<void>): Promise<number> {
    this.#records = 0
    this.#bytes = 0
    let differences = 0
    let after: string | undefined
    for await (const page of pagesOf(this.#from, this.#options.clock ?? systemClock, this.#options.signal)) {
      const entries = page.entries.filter(({ key }) => wanted(key))
      const targetEntries = (await this.#targetEntries(after, page)).filter(({ key }) => wanted(key))
      const ops = corrections(entries, targetEntries)
      if (ops.length > 0) await correct(ops)
      differences += ops.length
      this.#changed += ops.length
      this.#records += entries.length
      this.#bytes += valueBytes(entries)
      this.#done += entries.length
      this.#options.onProgress?.({
        done: this.#done,
        phase: this.#phase,
        records: this.#records,
        bytes: this.#bytes,
        changed: this.#changed,
      })
      after = page.last
    }
    return differences
  }

  /** The target's records in the key range of the page. */
  async #targetEntries(from: string | undefined, { entries, last }: KeyPage): Promise<readonly Entry[]> {
    const targetEntries: Entry[] = []
    const limit = entries.length + 1
    for (let after = from; ; ) {
      const some = await this.#to.scan('', after === undefined ? { limit } : { after, limit })
      const within = last === undefined ? some : some.filter(({ key }) => compareKeys(key, last) <= 0)
      targetEntries.push(...within)
      if (within.length < limit) return targetEntries
      after = some.at(-1)!.key
    }
  }
}

const isNotStamp = (key: string): boolean => key !== FORMAT_KEY
const isAnyKey = (): boolean => true

/** The ops that make the target's entries equal to `entries`. */
function corrections(entries: readonly Entry[], targetEntries: readonly Entry[]): Op[] {
  const extra = new Map(targetEntries.map((entry) => [entry.key, entry]))
  const ops: Op[] = []
  for (const { key, value } of entries) {
    const target = extra.get(key)
    extra.delete(key)
    if (!target || !sameBytes(target.value, value)) ops.push({ op: 'put', key, value, expect: target?.version ?? 0 })
  }
  for (const { key, version } of extra.values()) ops.push({ op: 'del', key, expect: version })
  return ops
}

/** The compared bytes are encrypted, so the time that the comparison takes reveals nothing about the secrets. */
function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

const preconditionError = (message: string): KernelError => new KernelError('ERR_PRECONDITION', message)
