/**
 * The reads and writes of one request. It records the version of everything that it reads, buffers its writes, and commits them with the
 * versions as preconditions.
 */
import type { Allowance } from '../base/allowance.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import { deepFreeze } from '../base/state.ts'
import { SLICE_BYTES, type Steps } from '../base/steps.ts'
import type { Auth } from '../contract/auth-reply.ts'
import type { CounterKind } from '../contract/counter.ts'
import type { Environment } from '../contract/environment.ts'
import type { CommittedEvents, EventPlace } from '../contract/event.ts'
import { LANES, type Lane } from '../contract/lane.ts'
import type { Leased, LeasePreview, LeaseRequest, LeaseTerms } from '../contract/lease-terms.ts'
import { SECRET_CHANGES } from '../contract/live-secrets.ts'
import type { LoginRequest } from '../contract/login-terms.ts'
import { encodeRecord, type RecordKind, type SecretKind } from '../contract/record-kind.ts'
import type { Call, CallBase, DueMove, ListOptions, MemoScope, RecordRead, TxOf } from '../contract/tx.ts'
import type { Wipeable } from '../crypto/backend.ts'
import type { Op, Revision } from '../storage/port.ts'
import type { CommittedEntry } from './acknowledgement.ts'
import type { RecordTable } from './cache.ts'
import { countedKey, counterId, type StoredCounter } from './counter.ts'
import { CounterUses } from './counter-uses.ts'
import { type RunMode, TransactionDraft } from './draft.ts'
import { dueKey } from './due-entry.ts'
import type { Host } from './host.ts'
import type { Keyspace } from './keyspace.ts'
import { loadAll } from './load-all.ts'
import { Loader } from './loader.ts'
import { listOrphanedDueKeys, listOrphanedKeys } from './orphaned-keys.ts'
import { PendingCommit } from './pending-commit.ts'
import { guardOf, type PendingWrite, withOwnWrites } from './pending-writes.ts'
import type { RecordLimits } from './record-limits.ts'
import { Secrets } from './secrets.ts'
import { hasSharedCount, sharedCountKey } from './shared-count.ts'
import { TransactionScope } from './transaction-scope.ts'

export class Transaction<C extends CallBase = Call> implements TxOf<C> {
  readonly env: Environment
  readonly loader: Loader
  now = 0
  /** The log entry that other clusters may have to acknowledge before the request returns. */
  committedEntry: CommittedEntry | undefined
  /** Set by a run whose response need not wait for acknowledgements from other clusters. */
  skipsAcknowledgement = false
  readonly #host: Host
  readonly #scope: TransactionScope<C>
  #draft: TransactionDraft
  readonly #uses: CounterUses
  readonly #secrets: Secrets

  constructor(host: Host, keyspace: Keyspace, call: C) {
    this.env = host.env
    this.#host = host
    this.#scope = new TransactionScope(keyspace, call)
    this.#draft = new TransactionDraft(host.store, 'read')
    this.loader = new Loader(host)
    this.#uses = new CounterUses(this.loader)
    this.#secrets = new Secrets(this.loader, this.#scope)
  }

  /** Discards the results of the last run. Loaded records are kept. */
  begin(mode: RunMode): void {
    this.#draft.createdKeys.drop()
    this.#draft = new TransactionDraft(this.#host.store, mode)
    this.now = this.#host.clock.now()
    this.skipsAcknowledgement = false
    this.#scope.begin()
    this.#uses.begin()
  }

  get call(): C {
    return this.#scope.call
  }

  /** Limits the remaining reads and writes of this run to the records that `limits` allows. */
  limitTo(limits: RecordLimits): void {
    this.#draft.limits = limits
  }

  /** The reads and writes of the last run. */
  get draft(): TransactionDraft {
    return this.#draft
  }

  get warnings(): readonly string[] {
    return this.#draft.warnings
  }

  get<T>(kind: RecordKind<T>, id: string): T | undefined {
    const table = this.#scope.keyspace.table(kind)
    const key = table.prefix + id
    this.#draft.limits?.checkRead(key)
    const written = this.#draft.writes.get(key)
    if (written) return written.record?.value as T | undefined
    const found = this.loader.record(table, id, key, this.#draft.mode === 'write')
    this.#draft.reads.set(key, found?.version ?? 0)
    return found?.value
  }

  recordRead<T>(kind: RecordKind<T>, id: string): RecordRead {
    const table = this.#scope.keyspace.table(kind)
    const key = table.prefix + id
    return [key, this.loader.record(table, id, key, this.#draft.mode === 'write')?.version ?? 0]
  }

  dependOn(reads: Iterable<RecordRead>): void {
    for (const [key, version] of reads) this.#draft.reads.set(key, version)
  }

  list<T>(kind: RecordKind<T>, options: ListOptions = {}): readonly string[] {
    const prefix = this.#scope.keyspace.prefix(kind)
    const from = prefix + (options.prefix ?? '')
    this.#draft.limits?.checkRead(from)
    if (this.#draft.mode === 'write') {
      if (!kind.guarded)
        throw new TypeError(`${kind.folder}: a transaction that writes can list only record kinds with guarded: true`)
      this.version(guardOf(prefix))
    }
    const names = this.loader.list(from, options)
    const { writes } = this.#draft
    return writes.size === 0 ? names : withOwnWrites(writes, names, from, options)
  }

  listAbandoned<T>(kind: RecordKind<T>, prefix: string, limit: number, after?: string): readonly string[] {
    const from = this.#scope.keyspace.prefix(kind) + prefix
    this.#draft.limits?.checkRead(from)
    return this.loader.list(from, after === undefined ? { limit } : { limit, after })
  }

  /**
   * Returns the storage keys of up to `limit` records that are left in this keyspace, without those that the primary of this cluster
   * deletes. Call it after the mount of the keyspace was removed.
   */
  listOrphanedKeys(limit: number): readonly string[] {
    return listOrphanedKeys(this.loader, this.#scope.keyspace.id, limit, this.#host.store.commits.isFollower)
  }

  /**
   * Returns the storage keys of up to `limit` entries that this keyspace has in the due index, the list of background work, without those
   * that the primary of this cluster deletes. Call it after the mount of the keyspace was removed.
   */
  listOrphanedDueKeys(limit: number): readonly string[] {
    const { store, clock } = this.#host
    return this.once(
      'due entries',
      () => listOrphanedDueKeys(store, clock, this.#scope.keyspace.id, limit, store.commits.isFollower),
      'attempt',
    )
  }

  /** @throws KernelError 400 if only another cluster may write the replicated records of this keyspace. */
  checkReplicated(): void {
    this.#host.store.commits.checkWritable(`${this.#scope.keyspace.classOf('r')}/`)
  }

  /** Deletes a record by its storage key. */
  deleteKey(key: string): void {
    this.#draft.write(key, { bytes: undefined })
  }

  put<T>(kind: RecordKind<T>, id: string, value: T): void {
    const table = this.#scope.keyspace.table(kind)
    // Freeze the value: after the commit, all readers share it.
    const record = { table: table as unknown as RecordTable<unknown>, id, value: deepFreeze(value) }
    this.#draft.write(table.prefix + id, { ...stored(kind, value), record }, kind.guarded)
  }

  delete<T>(kind: RecordKind<T>, id: string): void {
    const table = this.#scope.keyspace.table(kind) as unknown as RecordTable<unknown>
    this.#draft.write(table.prefix + id, { bytes: undefined, record: { table, id, value: undefined } }, kind.guarded)
  }

  secret<K extends Wipeable, X>(
    kind: SecretKind,
    owner: string,
    version: number,
    build: (bytes: Uint8Array, context: X) => K,
    context: X,
  ): K | undefined {
    this.#draft.limits?.checkRead(this.#scope.keyspace.prefix(kind) + owner)
    return this.#secrets.get(this.#draft, kind, owner, version, (bytes) => build(bytes, context))
  }

  putSecret(kind: SecretKind, owner: string, version: number, bytes: Uint8Array): void {
    this.#secrets.put(this.#draft, kind, owner, version, bytes)
  }

  putSecrets(kind: SecretKind, owner: string, secrets: ReadonlyMap<number, Uint8Array>, lane: Lane, id: string): void {
    this.#secrets.putMany(this.#draft, kind, owner, secrets, { lane, id, now: this.now })
  }

  deleteSecret(kind: SecretKind, owner: string, version: number): void {
    this.#secrets.delete(this.#draft, kind, owner, version)
  }

  forget(owner: string): void {
    this.#draft.evictedOwners.push(owner)
  }

  counter(kind: CounterKind, owner: string, version: number): StoredCounter {
    return this.#host.counters.of(this.#scope.keyspace, kind, owner, version)
  }

  countUse(counter: StoredCounter): void {
    const { first, record } = this.#uses.count(counter, this.#draft.writes.has(counter.parent))
    if (record) this.#draft.write(counter.key, { bytes: record })
    if (first && counter.near) this.warn(counter.kind.near)
  }

  useCounts(kind: CounterKind, owner: string, versions: readonly number[]): readonly number[] {
    return loadAll(versions, (version) => {
      const counter = this.#host.counters.find(this.#scope.keyspace, kind, owner, version)
      if (counter) this.#uses.settle(counter)
      const stored = this.get(kind.record, counterId(owner, version))?.count ?? 0
      return counter?.usedOf(stored) ?? stored
    })
  }

  deleteCounter(kind: CounterKind, owner: string, version: number): void {
    this.delete(kind.record, counterId(owner, version))
    const parent = countedKey(this.#scope.keyspace, kind, owner, version)
    if (hasSharedCount(parent)) this.deleteKey(sharedCountKey(parent))
  }

  once<T>(name: string, make: () => Promise<T>, scope: MemoScope = 'request'): T {
    return this.loader.once(name, make, scope)
  }

  steps<T>(name: string, make: () => Steps<T>, scope: MemoScope = 'request'): T {
    return this.loader.steps(name, make, scope)
  }

  due(lane: Lane, id: string, { from, to, keyspace = this.#scope.keyspace.id }: DueMove): void {
    const home = this.#scope.keyspace
    const { class: declared } = LANES[lane]
    // The item's record class depends on whether the other keyspace is local, which is not known here.
    if (keyspace !== home.id && declared === 'r')
      throw new TypeError(`${lane}: work of this lane can be scheduled only in the keyspace of the transaction`)
    this.#draft.due((time) => dueKey(home.classOf(declared), lane, time, keyspace, id), from, to)
  }

  /**
   * Returns the version of the record with any storage key, or 0 if the record is absent. The commit expects that the record still has this
   * version.
   */
  version(key: string): Revision {
    const version = this.loader.version(key)
    this.#draft.reads.set(key, version)
    return version
  }

  lease(this: Transaction, request: LeaseRequest): Leased {
    this.#draft.requireWriteMode()
    return this.#host.issueLease(this, request)
  }

  previewLease(this: Transaction, terms: LeaseTerms): LeasePreview {
    this.#draft.requireWriteMode()
    return this.#host.previewLease(this, terms)
  }

  login(this: Transaction, request: LoginRequest): Auth {
    this.#draft.requireWriteMode()
    return this.#host.issueLogin(this, request)
  }

  allowance(perSecond: number, most: number): Allowance {
    return this.#scope.keyspace.allowance(perSecond, most)
  }

  event<T extends keyof CommittedEvents>(type: T, data: CommittedEvents[T], place?: EventPlace): void {
    this.#draft.requireWriteMode()
    this.#scope.keyspace.checkEventType(type)
    const { namespace, mount } = place ?? { namespace: this.#scope.call.namespace.path, mount: this.#scope.call.mount.path }
    this.#draft.events.push({ type, at: this.now, namespace, mount, uuid: this.#scope.keyspace.id, data })
  }

  secretChanged(this: Transaction, path: string): void {
    this.#draft.requireWriteMode()
    // The commit must check the versions that the keyspace's fences (records that every commit checks) have when `isSynced` is read.
    this.#scope.pin()
    if (this.#scope.keyspace.isSynced) SECRET_CHANGES.find(this)?.onChange(this, path)
  }

  warn(message: string): void {
    this.#draft.warnings.push(message)
  }

  /**
   * Runs `body` on the records of another keyspace, on behalf of `call`. Everything is written in one commit, which checks the fences of
   * both keyspaces: record versions that every commit in a keyspace expects.
   */
  within<T>(keyspace: Keyspace, call: C, body: (tx: this) => T): T {
    return this.#scope.within(keyspace, call, () => body(this))
  }

  /** Runs `body`. If it throws, the writes of `body` are dropped. */
  attempt<T>(body: () => T): T {
    return this.#draft.attempt(body)
  }

  /** Checks after a conflict whether the keyspaces of the run still exist. @throws KernelError if one of them does not. */
  revalidate(): Promise<void> {
    return this.#scope.revalidate()
  }

  /**
   * Returns all operations of the commit: the writes, the checks of the versions that were read, and the checks of the fences of the
   * keyspaces used, which are record versions that every commit expects.
   */
  ops(): MaybePromise<Op[]> {
    return this.#draft.ops(this.#scope.fences)
  }

  beginCommit(): PendingCommit {
    return new PendingCommit(this.#host, this.#draft)
  }

  /** Called when the commit has succeeded. */
  committed(): void {
    this.#uses.committed()
  }

  /**
   * Ends the request: unpins its keys, wipes the key bytes that it loaded, and gives back the counted key uses that it reserved but did not
   * need.
   */
  end(): void {
    this.#draft.createdKeys.drop()
    this.loader.end()
    this.#uses.end()
  }
}

/** Encodes a value for the write set. A long string is kept as text and encoded only at the commit, with pauses for the event loop. */
const stored = <T>(kind: RecordKind<T>, value: T): Pick<PendingWrite, 'bytes' | 'text'> =>
  kind.decodeSteps && typeof value === 'string' && value.length > SLICE_BYTES
    ? { bytes: undefined, text: { value, format: kind.format } }
    : { bytes: encodeRecord(kind, value) }
