/**
 * Runs a body until its reads are consistent and its writes are committed (optimistic concurrency).
 */
import { KernelError } from '../base/errors.ts'
import { NEEDS_LOAD, NEEDS_WRITE } from '../contract/signals.ts'
import type { CallBase } from '../contract/tx.ts'
import type { Revision } from '../storage/port.ts'
import { landed } from './acknowledgement.ts'
import type { Mode } from './draft.ts'
import { tellRefusal } from './events/on-refusal.ts'
import type { Host } from './host.ts'
import type { Place } from './place.ts'
import { storeAhead } from './staging.ts'
import { Transaction } from './transaction.ts'

export type Access = 'read' | 'upsert' | 'write'

/** Runs repeatedly until nothing is missing. Returns a promise if it gives way to the event loop. */
export type Body<T, C extends CallBase> = (tx: Transaction<C>) => T | Promise<T>

export interface Transacted<T, C extends CallBase> {
  readonly value: T
  /** Has the pins of all keys that the body used. The caller ends it when it no longer needs them. */
  readonly tx: Transaction<C>
}

/** After this many conflicts, a request acquires the keyspace's mutex, so that contention within one process ends. */
const PATIENCE = 3

/** This many conflicts are retried without a back-off. */
const AT_ONCE = 10

const MOST_ATTEMPTS = 200

/** If the keyspace has an `orderKey`, a commit with more reads verifies them beforehand, so that a storage need not accept as many ops. */
const MOST_EXPECTED = 64

/** @param within The application's open transaction, which the commit joins. */
export async function transact<T, C extends CallBase>(
  host: Host,
  place: Place,
  call: C,
  access: Access,
  body: Body<T, C>,
  within?: unknown,
): Promise<Transacted<T, C>> {
  const tx = new Transaction(host, place, call)
  let mode: Mode = access === 'write' ? 'write' : 'read'
  let leave = access === 'write' && place.order !== undefined ? await place.turnstile.enter() : undefined
  try {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const run = await runOnce(host, tx, mode, body)
      if (run.ended === 'wants to write') {
        if (access === 'read') throw new TypeError('a read operation tried to write')
        mode = 'write'
        continue
      }
      const settled =
        run.ended === 'done' && tx.draft.writes.size > 0
          ? await commit(host, place, tx, within)
          : await holds(host, tx, mode === 'write' || run.ended === 'refused')
      if (settled) {
        if (run.ended === 'refused') {
          tellRefusal(host.events, call, tx.now, run.refusal)
          throw run.refusal
        }
        if (tx.landed && call.tick === undefined && !tx.waitsForNobody) {
          // Requests that wait for the mutex continue meanwhile.
          leave?.()
          leave = undefined
          await host.acknowledgement.awaits?.(tx.landed)
        }
        return { value: run.value, tx }
      }
      tx.loader.refresh()
      await tx.moved()
      if (attempt === PATIENCE) leave ??= await place.turnstile.enter()
      // One of the conflicting requests has committed, so back off only after repeated conflicts.
      if (attempt <= AT_ONCE) await host.clock.sleep(0)
      else await host.store.backOff(Math.min(attempt - AT_ONCE, 6))
    }
    throw new KernelError('ERR_UNAVAILABLE', `gave up after ${MOST_ATTEMPTS} conflicts with other writers; nothing was changed`)
  } catch (error) {
    tx.end()
    throw error
  } finally {
    leave?.()
  }
}

export interface Concluded<T> {
  readonly value: T
  readonly warnings: readonly string[]
}

/** {@link transact} for a body whose keys are not needed afterwards. */
export async function conclude<T, C extends CallBase>(...parts: Parameters<typeof transact<T, C>>): Promise<Concluded<T>> {
  const { value, tx } = await transact(...parts)
  tx.end()
  return { value, warnings: tx.warnings }
}

type Ran<T> =
  | { readonly ended: 'done'; readonly value: T }
  | { readonly ended: 'refused'; readonly refusal: KernelError }
  | { readonly ended: 'wants to write' }

async function runOnce<T, C extends CallBase>(
  { freshness }: Host,
  tx: Transaction<C>,
  mode: Mode,
  body: Body<T, C>,
): Promise<Ran<T>> {
  for (;;) {
    if (!freshness.isFresh()) await freshness.renew()
    tx.begin(mode)
    try {
      const value = body(tx)
      return { ended: 'done', value: value instanceof Promise ? await value : value }
    } catch (thrown) {
      if (thrown === NEEDS_WRITE) return { ended: 'wants to write' }
      if (thrown instanceof KernelError && thrown.status < 500) return { ended: 'refused', refusal: thrown }
      if (thrown !== NEEDS_LOAD) throw thrown
    }
    await tx.loader.load()
  }
}

async function commit<C extends CallBase>(host: Host, place: Place, tx: Transaction<C>, within: unknown): Promise<boolean> {
  const { stage } = tx.draft
  if (stage) {
    const version = await storeAhead(host, place, stage)
    if (version === undefined) return false
    tx.draft.keepStaged(stage, version)
  }
  const { draft } = tx
  if (place.order !== undefined && draft.reads.size > MOST_EXPECTED && draft.changes(place.order)) {
    if (!(await stillHold(host, draft.reads))) return false
    draft.expectLess()
  }
  const made = tx.ops()
  const ops = made instanceof Promise ? await made : made
  if (within !== undefined) {
    // The caches stay valid until the application commits. Then the storage's watch reports the change.
    const conflict = await host.store.join(ops, within)
    if (conflict) host.cache.apply({ revision: Number.POSITIVE_INFINITY, keys: [conflict.conflict] })
    return !conflict
  }
  const departure = tx.depart()
  try {
    const { role } = host.store.commits
    const verdict = await host.store.commit(ops)
    if (!verdict.ok) {
      departure.doubt(ops)
      return false
    }
    departure.arrived(verdict.revision)
    tx.committed()
    if (host.acknowledgement.awaits) tx.landed = landed(verdict, ops, role)
    host.events.tell(tx.draft.events)
    return true
  } catch (error) {
    // The commit may have taken effect nevertheless.
    departure.doubt(ops)
    throw error
  } finally {
    departure.land()
  }
}

/**
 * A single record is a state that existed; several records must have existed together, so their versions are compared. On a shared store, a
 * refusal, or a write that found nothing to do, must not depend on an outdated cache, so even one record is compared.
 */
async function holds<C extends CallBase>(host: Host, tx: Transaction<C>, mustBeExact: boolean): Promise<boolean> {
  const { reads } = tx.draft
  const exact = mustBeExact && host.store.storage.caps.shared
  return reads.size < (exact ? 1 : 2) || stillHold(host, reads)
}

/** Whether the records still have the versions that were read. Changed ones are dropped from the cache. */
async function stillHold(host: Host, reads: ReadonlyMap<string, Revision>): Promise<boolean> {
  const keys = [...reads.keys()]
  const versions = await host.store.versions(keys)
  const moved = keys.filter((key, index) => reads.get(key) !== versions[index])
  if (moved.length > 0) host.cache.apply({ revision: Number.POSITIVE_INFINITY, keys: moved })
  return moved.length === 0
}
