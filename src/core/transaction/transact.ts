/**
 * Runs the body of a transaction again until its reads are consistent and its writes are committed (optimistic concurrency).
 */
import { KernelError } from '../base/errors.ts'
import { refusalEvents } from '../contract/refusal-event.ts'
import { NEEDS_LOAD, NEEDS_WRITE } from '../contract/signals.ts'
import type { CallBase } from '../contract/tx.ts'
import type { Revision } from '../storage/port.ts'
import { committedEntry } from './acknowledgement.ts'
import type { RunMode } from './draft.ts'
import type { Host } from './host.ts'
import type { Keyspace } from './keyspace.ts'
import { loadCodeForRerun } from './load-code.ts'
import { storeStage } from './staging.ts'
import { Transaction } from './transaction.ts'

export type Access = 'read' | 'upsert' | 'write'

/**
 * The body of a transaction. It is run again whenever a record that it needs was not in memory and had to be loaded. Returns a promise if
 * it yields to the event loop.
 */
export type Body<T, C extends CallBase> = (tx: Transaction<C>) => T | Promise<T>

export interface TransactionResult<T, C extends CallBase> {
  readonly value: T
  /** The transaction keeps all keys pinned that the body has used. The caller must end the transaction when it no longer needs them. */
  readonly tx: Transaction<C>
}

/**
 * After this many conflicts, a request acquires the keyspace's mutex, so that conflicting requests of one process run one after another.
 */
const CONFLICTS_BEFORE_MUTEX = 3

/** After this many conflicts, each retry waits for a back-off time first. */
const CONFLICTS_BEFORE_BACK_OFF = 10

const MAX_ATTEMPTS = 200

/**
 * The maximum number of reads that a commit verifies in a keyspace with an `orderKey`. If a run has more reads, the commit could need more
 * ops than are allowed, so all reads are verified before the commit. Every commit in the keyspace changes the record `orderKey`, so the
 * commit conflicts if a read record is changed after the verification.
 */
const MAX_EXPECTED_READS = 64

/**
 * @param within An open database transaction of the application. If it is given, the writes become part of it, and the application commits
 * them.
 */
export async function transact<T, C extends CallBase>(
  host: Host,
  keyspace: Keyspace,
  call: C,
  access: Access,
  body: Body<T, C>,
  within?: unknown,
): Promise<TransactionResult<T, C>> {
  const tx = new Transaction(host, keyspace, call)
  let mode: RunMode = access === 'write' ? 'write' : 'read'
  let release = access === 'write' && keyspace.orderKey !== undefined ? await keyspace.mutex.acquire() : undefined
  try {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const run = await runOnce(host, tx, mode, body)
      if (run.ended === 'wants to write') {
        if (access === 'read') throw new TypeError('a read operation tried to write')
        mode = 'write'
        continue
      }
      const isSettled =
        run.ended === 'done' && tx.draft.writes.size > 0
          ? await commit(host, keyspace, tx, within)
          : await areReadsConsistent(host, tx, mode === 'write' || run.ended === 'refused')
      if (isSettled) {
        if (run.ended === 'refused') {
          publishRefusal(host, call, tx.now, run.refusal)
          throw run.refusal
        }
        if (tx.committedEntry && call.tick === undefined && !tx.skipsAcknowledgement) {
          // Release the mutex first, so that requests that wait for it can continue.
          release?.()
          release = undefined
          await host.acknowledgement.wait?.(tx.committedEntry)
        }
        return { value: run.value, tx }
      }
      tx.loader.refresh()
      await tx.revalidate()
      if (attempt === CONFLICTS_BEFORE_MUTEX) release ??= await keyspace.mutex.acquire()
      // With every conflict, another request has committed, so the system makes progress. Back off only after repeated conflicts.
      if (attempt <= CONFLICTS_BEFORE_BACK_OFF) await host.clock.sleep(0)
      else await host.store.backOff(Math.min(attempt - CONFLICTS_BEFORE_BACK_OFF, 6))
    }
    throw new KernelError('ERR_UNAVAILABLE', `gave up after ${MAX_ATTEMPTS} conflicts with other writers; nothing was changed`)
  } catch (error) {
    tx.end()
    throw error
  } finally {
    release?.()
  }
}

export interface ResultWithWarnings<T> {
  readonly value: T
  readonly warnings: readonly string[]
}

/** Like {@link transact}, for a body whose keys are not needed after the transaction. */
export async function transactAndEnd<T, C extends CallBase>(
  ...parts: Parameters<typeof transact<T, C>>
): Promise<ResultWithWarnings<T>> {
  const { value, tx } = await transact(...parts)
  tx.end()
  return { value, warnings: tx.warnings }
}

type RunResult<T> =
  | { readonly ended: 'done'; readonly value: T }
  | { readonly ended: 'refused'; readonly refusal: KernelError }
  | { readonly ended: 'wants to write' }

async function runOnce<T, C extends CallBase>(
  { clock, freshness }: Host,
  tx: Transaction<C>,
  mode: RunMode,
  body: Body<T, C>,
): Promise<RunResult<T>> {
  for (;;) {
    if (!freshness.isFresh()) await freshness.renew()
    tx.begin(mode)
    try {
      const value = body(tx)
      return { ended: 'done', value: value instanceof Promise ? await value : value }
    } catch (thrown) {
      if (thrown === NEEDS_WRITE) return { ended: 'wants to write' }
      if (thrown instanceof KernelError && thrown.status < 500) return { ended: 'refused', refusal: thrown }
      if (thrown !== NEEDS_LOAD) await loadCodeForRerun(clock, thrown)
    }
    try {
      await tx.loader.load()
    } catch (thrown) {
      // Building a loaded key needs code that is not loaded yet. The next run requests the key again.
      await loadCodeForRerun(clock, thrown)
    }
  }
}

async function commit<C extends CallBase>(host: Host, keyspace: Keyspace, tx: Transaction<C>, within: unknown): Promise<boolean> {
  const { draft } = tx
  if (draft.stage) {
    const version = await storeStage(host, keyspace, draft.stage)
    if (version === undefined) return false
    draft.keepStaged(draft.stage, version)
  }
  if (keyspace.orderKey !== undefined && draft.reads.size > MAX_EXPECTED_READS && draft.changes(keyspace.orderKey)) {
    if (!(await areUnchanged(host, draft.reads))) return false
    draft.dropReadExpectations()
  }
  const result = tx.ops()
  const ops = result instanceof Promise ? await result : result
  if (within !== undefined) {
    // The caches remain valid until the application commits. Then the storage's watch reports the change.
    const conflict = await host.store.join(ops, within)
    if (conflict) host.cache.apply({ revision: Number.POSITIVE_INFINITY, keys: [conflict.conflict] })
    return !conflict
  }
  const pending = tx.beginCommit()
  try {
    const { role } = host.store.commits
    const verdict = await host.store.commit(ops)
    if (!verdict.ok) {
      pending.invalidate(ops)
      return false
    }
    pending.updateCaches(verdict.revision)
    tx.committed()
    if (host.acknowledgement.wait) tx.committedEntry = committedEntry(verdict, ops, role)
    host.events.publish(draft.events)
    return true
  } catch (error) {
    // The commit may have taken effect although it failed.
    pending.invalidate(ops)
    throw error
  } finally {
    pending.end()
  }
}

/** Publishes the event that is attached to the error. Called only when the request will not run again. @param now Milliseconds. */
function publishRefusal({ events }: Host, { namespace, mount }: CallBase, now: number, refusal: KernelError): void {
  const event = refusalEvents.get(refusal)
  if (event) events.publish([{ ...event, at: now, namespace: namespace.path, mount: mount.path }])
}

/**
 * Whether all values that a run without writes has read were in the store at the same time. A single record needs no check; the versions of
 * several records are compared with the store. On a shared store, neither a refusal nor a write that found nothing to do may be based on an
 * outdated cache, so in these cases even the version of a single record is compared.
 */
async function areReadsConsistent<C extends CallBase>(host: Host, tx: Transaction<C>, mustBeExact: boolean): Promise<boolean> {
  const { reads } = tx.draft
  const exact = mustBeExact && host.store.storage.caps.shared
  return reads.size < (exact ? 1 : 2) || areUnchanged(host, reads)
}

/** Whether the records still have the versions that were read. Drops changed records from the cache. */
async function areUnchanged(host: Host, reads: ReadonlyMap<string, Revision>): Promise<boolean> {
  const keys = [...reads.keys()]
  const versions = await host.store.versions(keys)
  const moved = keys.filter((key, index) => reads.get(key) !== versions[index])
  if (moved.length > 0) host.cache.apply({ revision: Number.POSITIVE_INFINITY, keys: moved })
  return moved.length === 0
}
