/** Group commit: waiting commits of this process share a cluster transaction, and each has its own conditions. */
import { CommitQueue } from '../../core/storage/commit-queue.ts'
import { type Commit, type Op, OutcomeUnknown, type Revision } from '../../core/storage/port.ts'
import { Attempts, ClusterUnavailable } from './attempts.ts'
import { type EtcdClient, pauseMs, sleep } from './client.ts'
import {
  type CommitUnit,
  conflictOf,
  conflictUnit,
  dividedTxn,
  expectationsOf,
  type LogEndsByName,
  logsOf,
  outcomeOf,
  requestBytesOf,
  sharedTxn,
  type UnitAnswer,
  unitAnswerOf,
  unitOf,
  unitSizeOf,
} from './commit-unit.ts'
import { EtcdError, isFull, tookForbiddenBranch } from './failures.ts'
import { CommitGrouping, type Waiting } from './grouping.ts'
import { type Layout, revisionOf } from './layout.ts'
import type { LogEnds } from './logs.ts'
import { readEntries } from './reads.ts'
import { UnresolvedCommits } from './unresolved-commits.ts'
import { readVerdict } from './verdict.ts'

/** The maximum number of transactions in flight. While the cluster replicates one, the next ones are sent. */
const MAX_TRANSACTIONS = 3

/** After this many attempts that failed because another commit had appended to the same log, a commit pauses before the next attempt. */
const RETRIES_BEFORE_PAUSE = 3

export interface EtcdCommitterOptions {
  readonly client: EtcdClient
  readonly layout: Layout
  readonly logs: LogEnds
  readonly timeoutMs: number
  readonly maxTxnOps: number
  readonly maxRequestBytes: number
  /** Opens the store: checks the stamp of its prefix, or writes the stamp if the prefix is empty. */
  open(): Promise<void>
  /** Called before the caller of a commit gets the result. */
  committed(revision: number): void
}

export class EtcdCommitter {
  readonly #options: EtcdCommitterOptions
  readonly #queue = new CommitQueue<Waiting>({
    maxTransactions: MAX_TRANSACTIONS,
    takeGroup: (waiting) => this.#take(waiting),
    commitGroup: (take) => this.#commitGroup(take()),
  })
  readonly #busyLogs = new Set<string>()
  readonly #doubts = new UnresolvedCommits()
  #asked = 0

  constructor(options: EtcdCommitterOptions) {
    this.#options = options
  }

  /** Commits `ops`, which the caller must not change afterwards. */
  commit(ops: readonly Op[], id: string): Promise<Commit> {
    return this.#queue.add(id, (answer) => {
      const doubt = this.#doubts.since(id)
      const asked = { ops, id, since: doubt ?? this.#options.client.revision, doubtful: doubt !== undefined }
      const until = performance.now() + this.#options.timeoutMs
      const number = ++this.#asked
      return {
        ...asked,
        bytes: requestBytesOf(asked),
        size: unitSizeOf(ops),
        logs: logsOf(ops),
        until,
        number,
        races: 0,
        ...answer,
      }
    })
  }

  /** Resolves after all requests are answered. */
  settled(): Promise<void> {
    return this.#queue.settled()
  }

  #take(queue: Waiting[]): readonly Waiting[] {
    const { maxTxnOps, maxRequestBytes } = this.#options
    const group = new CommitGrouping(maxTxnOps, maxRequestBytes, this.#busyLogs).take(queue)
    for (const { logs } of group) for (const log of logs) this.#busyLogs.add(log)
    return group
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    if (group.length === 0) return
    try {
      await this.#carryOut(group)
    } finally {
      for (const { logs } of group) for (const log of logs) this.#busyLogs.delete(log)
    }
  }

  async #carryOut(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#options.open()
      const [first] = group as readonly [Waiting]
      if (group.length === 1 && this.#isLarge(first)) await this.#divided(first)
      else await this.#together(group)
    } catch (error) {
      // One commit that the cluster refuses must not fail the other commits of the group, so send each commit separately.
      if (group.length > 1 && error instanceof EtcdError) for (const single of group) await this.#carryOut([single])
      else for (const waiting of group) await this.#failed(waiting, error)
    }
  }

  /**
   * Rejects a commit whose attempt failed. If the cluster reports that it is out of space, this attempt or an earlier one may have taken
   * effect nevertheless. So read the verdict: if it is stored, it is the result of the commit.
   */
  async #failed(waiting: Waiting, error: unknown): Promise<void> {
    const { id, logs, resolve, reject } = waiting
    const unsure = error instanceof ClusterUnavailable && !error.harmless
    const isOfSpace = isFull(unsure ? error.cause : error)
    const unknown = (): void => this.#unknown(waiting, 'etcd did not report the outcome of the commit', error)
    if (!isOfSpace) return unsure ? unknown() : reject(error)
    try {
      const { client, layout, committed } = this.#options
      const [found] = (await client.range({ key: layout.verdict(id) })).found
      if (!found) return unsure ? unknown() : reject(error)
      const verdict = readVerdict(found)
      this.#options.logs.forget(logs)
      if (verdict.ok) committed(verdict.revision)
      resolve(verdict)
    } catch {
      unknown()
    }
  }

  #unknown({ id, since, reject }: Waiting, text: string, cause?: unknown): void {
    this.#doubts.note(id, since)
    reject(new OutcomeUnknown(text, { cause }))
  }

  #isLarge({ size, bytes, conflict }: Waiting): boolean {
    const { maxTxnOps, maxRequestBytes } = this.#options
    return !conflict && (size > maxTxnOps || bytes > maxRequestBytes)
  }

  async #together(group: readonly Waiting[]): Promise<void> {
    const { client, layout, logs } = this.#options
    const ends = await Promise.all(group.map((waiting) => logs.of(waiting.logs)))
    const units = group.map(
      (waiting, slot): CommitUnit =>
        waiting.conflict ? conflictUnit(layout, waiting, waiting.conflict) : unitOf(layout, waiting, slot, ends[slot]!),
    )
    const before = this.#asked
    const since = Math.min(...group.map((waiting) => waiting.since))
    const attempts = new Attempts()
    const answer = await client.txn(sharedTxn(layout, units, since), attempts)
    const again: Waiting[] = []
    const seen = new Map<string, Revision>()
    for (const [slot, waiting] of group.entries()) {
      const own = unitAnswerOf(answer, units.length, slot, since)
      const asked = attempts.harmless ? waiting : { ...waiting, doubtful: true }
      const left = this.#answer(asked, units[slot]!, slot, ends[slot]!, answer.header.revision, own)
      if (left) again.push(left)
      if (left?.conflict) seen.set(left.conflict.conflict, left.conflict.version)
      else if (own.succeeded && !waiting.conflict) noteWrites(seen, waiting, revisionOf(answer.header.revision, slot))
    }
    this.#refuseAhead(seen, before)
    await this.#later(again)
  }

  /** @returns The commits to send again. */
  #answer(
    waiting: Waiting,
    unit: CommitUnit,
    slot: number,
    ends: LogEndsByName,
    modified: number,
    part: UnitAnswer,
  ): Waiting | undefined {
    if (!part.succeeded) return this.#refused(waiting, ends, part)
    this.#doubts.settle(waiting.id)
    if (waiting.conflict) {
      waiting.resolve(waiting.conflict)
      return undefined
    }
    const { appended } = unit
    let at = 0
    for (const op of waiting.ops) {
      if (op.op === 'append') this.#options.logs.note(op.log, { modified, index: appended[at++]! })
    }
    const revision = revisionOf(modified, slot)
    this.#options.committed(revision)
    waiting.resolve({ ok: true, revision, appended })
    return undefined
  }

  /**
   * Marks the waiting commits that are certain to conflict, because they expect other versions of the records in `seen`. Marked commits can
   * share one transaction. Without the mark, commits that write the same record would need one transaction each. A commit with a number
   * above `before` is not marked: it was requested later, so it may expect the new version.
   */
  #refuseAhead(seen: ReadonlyMap<string, Revision>, before: number): void {
    if (seen.size === 0) return
    this.#queue.replace((waiting) => {
      if (waiting.conflict || waiting.number > before) return undefined
      const expected = expectationsOf(waiting.ops).find(({ key, expect }) => (seen.get(key) ?? expect) !== expect)
      if (!expected) return undefined
      const { key } = expected
      return { ...waiting, conflict: { ok: false, conflict: key, version: seen.get(key)! }, logs: [] }
    })
  }

  #refused(waiting: Waiting, ends: LogEndsByName, part: UnitAnswer): Waiting | undefined {
    const outcome = outcomeOf(waiting.conflict ? { ...waiting, ops: [] } : waiting, ends, part)
    if ('verdict' in outcome) {
      this.#doubts.settle(waiting.id)
      waiting.resolve(outcome.verdict)
      return undefined
    }
    if ('late' in outcome) {
      // Verdicts that were stored after the cluster revision `since` may have been deleted, so etcd refuses all attempts with this `since`.
      // Start the commit again with a newer one, unless an earlier attempt may have taken effect: its verdict may have been deleted, too.
      if (!waiting.doubtful) return { ...waiting, since: this.#options.client.revision }
      return void this.#unknown(waiting, 'etcd has deleted the stored outcome of the commit')
    }
    if ('conflict' in outcome) return { ...waiting, conflict: outcome.conflict, logs: [] }
    for (const [log, end] of outcome.ends) this.#options.logs.note(log, end)
    return { ...waiting, races: waiting.races + 1 }
  }

  async #later(again: readonly Waiting[]): Promise<void> {
    const left = again.filter(({ until, reject }) => {
      const over = performance.now() > until
      if (over) reject(new Error('etcd: no attempt succeeded in time, because other commits kept appending to the log'))
      return !over
    })
    const races = Math.max(0, ...left.map((waiting) => waiting.races))
    if (races >= RETRIES_BEFORE_PAUSE) await sleep(pauseMs(Math.min(races - RETRIES_BEFORE_PAUSE, 2)))
    this.#queue.putBack(left)
  }

  /** Sends one commit that exceeds the limits of a cluster transaction; see {@link dividedTxn}. */
  async #divided(waiting: Waiting): Promise<void> {
    const { client, layout, logs, maxTxnOps } = this.#options
    const { since } = waiting
    const ends = await logs.of(waiting.logs)
    const unit = unitOf(layout, waiting, 0, ends)
    const attempts = new Attempts()
    try {
      const answer = await client.txn(dividedTxn(layout, unit, since, maxTxnOps), attempts)
      const asked = attempts.harmless ? waiting : { ...waiting, doubtful: true }
      const left = this.#answer(asked, unit, 0, ends, answer.header.revision, unitAnswerOf(answer, 1, 0, since))
      if (left) await this.#later([left])
    } catch (error) {
      if (!tookForbiddenBranch(error)) throw error
      const keys = expectationsOf(waiting.ops).map(({ key }) => key)
      const versions = (await readEntries(client, layout, keys, maxTxnOps)).map((entry) => entry?.version ?? 0)
      const conflict = conflictOf(waiting.ops, versions)
      logs.forget(waiting.logs)
      await this.#later([conflict ? { ...waiting, conflict, logs: [] } : { ...waiting, races: waiting.races + 1 }])
    }
  }
}

function noteWrites(seen: Map<string, Revision>, { ops }: Waiting, revision: Revision): void {
  for (const op of ops) if (op.op === 'put' || op.op === 'del') seen.set(op.key, op.op === 'put' ? revision : 0)
}
