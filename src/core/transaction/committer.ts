/**
 * Every commit of a kernel goes through `Committer`. It adds what replication requires: a check of the cluster's role record and, on a
 * cluster that keeps a log, a log entry.
 */
import type { Clock } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { toHex } from '../base/identifiers.ts'
import { encodeLogFrame, type FramePosition, type FrameSeal, LOG, shortOrigin } from '../log/frame.ts'
import { isLogged, loggedOps } from '../log/op-list.ts'
import {
  isBecomingSecondary,
  isFollower,
  isMirror,
  keepsLog,
  NOT_REPLICATED,
  type Position,
  ROLE_KEY,
  type Role,
  type SetMembership,
} from '../log/role.ts'
import { commitWithRetries } from '../storage/commit-with-retries.ts'
import { MAX_COMMIT_OPS } from '../storage/max-commit-ops.ts'
import type { Commit, Conflict, Op, Storage } from '../storage/port.ts'
import { withoutVacuousChecks } from './keys.ts'
import type { Fence } from './keyspace.ts'
import type { StorageGuard } from './storage-guard.ts'
import { unavailable } from './unavailable.ts'

/** Options of a commit that is not an ordinary write. */
export interface CommitOptions {
  /** Set if the commit changes only the stored form of records, for example the key that encrypts them. Such commits are not logged. */
  readonly formOnly?: true
  /**
   * Set if the commit applies records of a primary. `upstream` is the position of these records in the primary's history; undefined if they
   * have no position.
   */
  readonly applies?: {
    readonly upstream: Position | undefined
    /** The position in the DR set, if this cluster follows the primary of that set. */
    readonly dr?: Position | undefined
  }
}

const PLAIN: CommitOptions = {}

export interface CommitterParts extends FrameSeal {
  readonly storage: Storage
  readonly clock: Clock
  readonly entropy: Entropy
  readonly guard: StorageGuard
  /** The time limit for one commit in milliseconds, retries included. */
  readonly timeoutMs: number
  /** Reads and decrypts the role record. */
  readonly readRole: () => Promise<CachedRole>
  readonly backOff: (attempt: number) => Promise<void>
}

/** The cluster's role and the version of its record. */
export interface CachedRole {
  readonly role: Role
  readonly version: number
}

/**
 * Decides whether this kernel may write replicated data. It is used only if a fence register outside of the store grants the permission to
 * write.
 */
export interface WriteLease {
  /** Resolves when the kernel may write. @throws KernelError 503 if the lease cannot be acquired. */
  acquire(role: Role, ops: readonly Op[]): Promise<void> | undefined
  /** Whether the write lease is still valid. */
  isValid(role: Role, ops: readonly Op[]): boolean
}

export class Committer {
  /** The write lease of this kernel; undefined without a fence register. */
  writeLease: WriteLease | undefined
  readonly #parts: CommitterParts
  #cachedRole: CachedRole | undefined
  #logged = 0

  constructor(parts: CommitterParts) {
    this.#parts = parts
  }

  /** The role that was last read; `NOT_REPLICATED` before the first read. */
  get role(): Role {
    return this.#cachedRole?.role ?? NOT_REPLICATED
  }

  /** Whether the records of class `r` (replicated to all secondaries) come from another cluster. */
  get isFollower(): boolean {
    return isFollower(this.role)
  }

  /** Whether all records except those of class `i` (never replicated) come from another cluster. */
  get isMirror(): boolean {
    return isMirror(this.role)
  }

  /** @throws KernelError 400 for a record that only the primary may write. */
  checkWritable(key: string): void {
    if (!this.#cachedRole) return
    const { role } = this.#cachedRole
    if (isMirror(role) && isLogged(key)) throw notServingError(role)
    if (isFollower(role) && key.startsWith('r/')) throw readOnlyError()
  }

  /** Version of the role record; 0 if it is missing. */
  get roleVersion(): number {
    return this.#cachedRole?.version ?? 0
  }

  /**
   * The key and version of the role record, for several commits that together are valid only under the role that the cluster had before the
   * first of them. Each commit must check this version. Read this property before the first commit, because the cached role may change
   * later.
   */
  get roleFence(): Fence {
    return { key: ROLE_KEY, version: this.roleVersion }
  }

  /** The newest log entry that this kernel has seen. */
  get newestEntry(): number {
    return this.#logged
  }

  /** Records that this kernel has seen the log entry with this index. */
  noteEntry(index: number): void {
    this.#logged = Math.max(this.#logged, index)
  }

  /** The cached role. Reads the role record if it is not cached. */
  async ensureRole(): Promise<Role> {
    return this.#cachedRole?.role ?? (await this.loadRole())
  }

  /** Reads the role record again. */
  async loadRole(): Promise<Role> {
    this.#cachedRole = await this.#parts.readRole()
    return this.#cachedRole.role
  }

  forget(): void {
    this.#cachedRole = undefined
    this.#logged = 0
  }

  /**
   * Commits the operations. While the outcome is unknown, repeats the commit under the same commit id, so that the commit takes effect at
   * most once and its result is reported correctly. If the role record has changed, the commit conflicts, and the caller runs again under
   * the new role.
   */
  async commit(given: readonly Op[], options: CommitOptions = PLAIN): Promise<Commit> {
    const { storage, entropy, guard, backOff, clock, timeoutMs } = this.#parts
    const id = entropy.bytes(16)
    const { role } = this
    const ops = await this.#complete(given, options, id)
    let verdict: Commit
    try {
      const until = clock.now() + timeoutMs
      verdict = await guard.run(() => commitWithRetries(storage, ops, toHex(id), backOff, () => clock.now() < until))
    } catch (error) {
      throw unavailable(error, storage)
    }
    if (verdict.ok) {
      const last = verdict.appended.at(-1)
      if (last !== undefined) this.noteEntry(last)
      if (ops.some(changesRole)) await this.loadRole()
      else if (this.writeLease && !options.formOnly && !options.applies && !this.writeLease.isValid(role, ops))
        throw leaseExpiredError()
    } else await this.#noteConflict(verdict)
    return verdict
  }

  /** Adds the writes to the application's open transaction. Returns the conflict if an expectation is not met. */
  async join(given: readonly Op[], transaction: unknown): Promise<Conflict | undefined> {
    const { storage, entropy } = this.#parts
    if (!storage.join || !storage.caps.shared)
      throw new TypeError('transaction: this storage cannot join transactions of the application')
    const conflict = await storage.join(await this.#complete(given, PLAIN, entropy.bytes(16)), transaction)
    if (conflict) await this.#noteConflict(conflict)
    return conflict
  }

  async #noteConflict({ conflict }: Conflict): Promise<void> {
    if (conflict === ROLE_KEY) await this.loadRole()
  }

  async #complete(given: readonly Op[], { formOnly, applies }: CommitOptions, id: Uint8Array): Promise<readonly Op[]> {
    const { storage, clock } = this.#parts
    const ops = withoutVacuousChecks(given)
    const maxOps = Math.min(applies ? storage.caps.maxOps : MAX_COMMIT_OPS, storage.caps.maxOps)
    if (ops.length > maxOps)
      throw new KernelError('ERR_INTERNAL', `one commit needs ${ops.length} operations, but at most ${maxOps} are allowed`)
    if (formOnly || !ops.some(isRecord)) return ops
    if (!this.#cachedRole) await this.loadRole()
    const { role, version } = this.#cachedRole as CachedRole
    if (!applies) assertMayWrite(role, ops)
    if (this.writeLease && !applies && !ops.some(changesRole)) await this.writeLease.acquire(role, ops)
    const more: Op[] = ops.some(checksRole) ? [] : [{ op: 'check', key: ROLE_KEY, expect: version }]
    if (keepsLog(role)) {
      const [position, dr] = [framePosition(role, applies?.upstream), role.dr && framePosition(role.dr, applies?.dr)]
      const frame = { id, at: clock.now(), position, dr, ops: loggedOps(ops) }
      for (const value of encodeLogFrame(frame, storage.caps.maxValueBytes, this.#parts))
        more.push({ op: 'append', log: LOG, value })
    }
    return [...ops, ...more]
  }
}

/** Returns the position of a log entry in the history of the set. Entries with a secondary's own local records have no position. */
const framePosition = ({ mode, epoch, origin }: SetMembership, upstream: Position | undefined): FramePosition | undefined =>
  upstream ?? (mode === 'primary' ? { epoch, origin: shortOrigin(origin) } : undefined)

const isRecord = (op: Op): boolean => op.op !== 'append' && op.op !== 'check' && isLogged(op.key)

/** Whether the operations already check the role record, for example through {@link Committer.roleFence}. */
const checksRole = (op: Op): boolean => op.op !== 'append' && op.key === ROLE_KEY

const changesRole = (op: Op): boolean => op.op !== 'append' && op.op !== 'check' && op.key === ROLE_KEY

function assertMayWrite(role: Role, ops: readonly Op[]): void {
  if (!isFollower(role)) return
  if (role.mode === 'bootstrapping' || isMirror(role)) throw notServingError(role)
  if (ops.some((op) => isRecord(op) && 'key' in op && op.key.startsWith('r/'))) throw readOnlyError()
}

export const readOnlyError = (): KernelError =>
  new KernelError('ERR_READ_ONLY', 'cannot write to readonly storage: this data is replicated; write it on the primary')

/** The error for a commit that returned after the write lease had expired. Another cluster may already have been writing by then. */
const leaseExpiredError = (): KernelError =>
  new KernelError(
    'ERR_NOT_ACKNOWLEDGED',
    'the write is stored on this cluster, but took longer than its write lease: if another cluster has become primary, the write is lost',
    { details: { committed: true } },
  )

/** The error for requests on a cluster that does not answer requests, because its records come from another cluster. */
export const notServingError = (role: Role): KernelError =>
  isBecomingSecondary(role) ? becomingSecondaryError() : drSecondaryError()

/** The error for requests that a DR secondary refuses. */
const drSecondaryError = (): KernelError => new KernelError('ERR_DR_SECONDARY', 'path disabled in replication DR secondary mode')

const becomingSecondaryError = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'the cluster is becoming a secondary and deletes its previous data; retry later')
