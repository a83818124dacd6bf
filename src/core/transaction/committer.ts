/**
 * Every commit of a kernel passes here, and nothing else calls the storage for one. What a commit of replicated or local records takes
 * with it for replication: the check of the cluster's role, and a record of the log.
 */
import type { Clock } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { toHex } from '../base/identifiers.ts'
import { type FrameSeal, framed, LOG, type Place, shortOrigin } from '../log/frame.ts'
import { isLogged, loggedOps } from '../log/op-list.ts'
import {
  isBecomingSecondary,
  isFollower,
  isMirror,
  keepsLog,
  NOT_REPLICATED,
  type PartInSet,
  type Position,
  ROLE_KEY,
  type Role,
} from '../log/role.ts'
import { commitSurely } from '../storage/commit-surely.ts'
import { MOST_OPS } from '../storage/most-ops.ts'
import type { Commit, Conflict, Op, Storage } from '../storage/port.ts'
import { possible } from './keys.ts'
import type { Fence } from './place.ts'
import type { StorageGuard } from './storage-guard.ts'
import { unavailable } from './unavailable.ts'

/** What makes a commit special. */
export interface Manner {
  /** The same records in another form, such as under another key: nothing that others need to learn of. */
  readonly form?: true
  /** Written on behalf of a primary, at its position where it is one of its records. */
  readonly applies?: {
    readonly upstream: Position | undefined
    /** The position in the set for disaster recovery, where its primary is the one that is followed. */
    readonly dr?: Position | undefined
  }
}

const PLAIN: Manner = {}

export interface CommitterParts extends FrameSeal {
  readonly storage: Storage
  readonly clock: Clock
  readonly entropy: Entropy
  readonly guard: StorageGuard
  /** Milliseconds for a commit, retries included. */
  readonly timeoutMs: number
  /** Reads and opens the role record. */
  readonly readRole: () => Promise<Known>
  readonly backOff: (attempt: number) => Promise<void>
}

/** The role as of a version of its record. */
export interface Known {
  readonly role: Role
  readonly version: number
}

/** Whether this kernel may write what other clusters follow, where something outside of the store decides that. */
export interface WriteRight {
  /** Resolves when it may. @throws KernelError 503 where it may not. */
  obtain(role: Role, ops: readonly Op[]): Promise<void> | undefined
  /** Whether it may still. */
  holds(role: Role, ops: readonly Op[]): boolean
}

export class Committer {
  /** Undefined where the store alone decides. */
  right: WriteRight | undefined
  readonly #parts: CommitterParts
  #known: Known | undefined
  #logged = 0

  constructor(parts: CommitterParts) {
    this.#parts = parts
  }

  /** As last read; not replicated while nobody has asked. */
  get role(): Role {
    return this.#known?.role ?? NOT_REPLICATED
  }

  /** Whether replicated records come from another cluster. */
  get follows(): boolean {
    return isFollower(this.role)
  }

  /** Whether all but the store's own records do. */
  get mirrors(): boolean {
    return isMirror(this.role)
  }

  /** @throws KernelError 400 for a replicated record where another cluster is the primary. */
  checkWritable(key: string): void {
    if (!this.#known) return
    const { role } = this.#known
    if (isMirror(role) && isLogged(key)) throw mirrorRefusal(role)
    if (isFollower(role) && key.startsWith('r/')) throw readOnly()
  }

  /** The version of the role's record; 0 where there is none. */
  get roleVersion(): number {
    return this.#known?.version ?? 0
  }

  /** For work of several commits, which rests on the role that it began with: the one that is known may be the next one at any moment. */
  get roleFence(): Fence {
    return { key: ROLE_KEY, version: this.roleVersion }
  }

  /** The newest entry of the log that this kernel knows of. */
  get logged(): number {
    return this.#logged
  }

  /** The log was seen to have this entry. */
  sawEntry(index: number): void {
    this.#logged = Math.max(this.#logged, index)
  }

  /** As last read; read now where nobody has asked. */
  async knownRole(): Promise<Role> {
    return this.#known?.role ?? (await this.loadRole())
  }

  /** Reads the role anew. */
  async loadRole(): Promise<Role> {
    this.#known = await this.#parts.readRole()
    return this.#known.role
  }

  forget(): void {
    this.#known = undefined
    this.#logged = 0
  }

  /**
   * Asks again with the same commit id while the outcome is unknown, so that nothing is done twice or reported wrongly. A conflict over
   * the role of the cluster is a conflict like any other: whoever meets it reads anew and judges again.
   */
  async commit(given: readonly Op[], manner: Manner = PLAIN): Promise<Commit> {
    const { storage, entropy, guard, backOff, clock, timeoutMs } = this.#parts
    const id = entropy.bytes(16)
    const { role } = this
    const ops = await this.#complete(given, manner, id)
    let verdict: Commit
    try {
      const until = clock.now() + timeoutMs
      verdict = await guard.run(() => commitSurely(storage, ops, toHex(id), backOff, () => clock.now() < until))
    } catch (error) {
      throw unavailable(error)
    }
    if (verdict.ok) {
      const last = verdict.appended.at(-1)
      if (last !== undefined) this.sawEntry(last)
      if (ops.some(changesRole)) await this.loadRole()
      else if (this.right && !manner.form && !manner.applies && !this.right.holds(role, ops)) throw outlived()
    } else await this.#noteConflict(verdict)
    return verdict
  }

  /** Adds the writes to the application's open transaction, or returns what has changed meanwhile. */
  async join(given: readonly Op[], transaction: unknown): Promise<Conflict | undefined> {
    const { storage, entropy } = this.#parts
    if (!storage.join || !storage.caps.shared)
      throw new TypeError('transaction: this storage takes no part in transactions of the application')
    const conflict = await storage.join(await this.#complete(given, PLAIN, entropy.bytes(16)), transaction)
    if (conflict) await this.#noteConflict(conflict)
    return conflict
  }

  async #noteConflict({ conflict }: Conflict): Promise<void> {
    if (conflict === ROLE_KEY) await this.loadRole()
  }

  async #complete(given: readonly Op[], { form, applies }: Manner, id: Uint8Array): Promise<readonly Op[]> {
    const { storage, clock } = this.#parts
    const ops = possible(given)
    const most = Math.min(applies ? storage.caps.maxOps : MOST_OPS, storage.caps.maxOps)
    if (ops.length > most)
      throw new KernelError('ERR_INTERNAL', `one commit needs ${ops.length} writes; this storage takes ${most}`)
    if (form || !ops.some(isRecord)) return ops
    if (!this.#known) await this.loadRole()
    const { role, version } = this.#known as Known
    if (!applies) checkMay(role, ops)
    if (this.right && !applies && !ops.some(changesRole)) await this.right.obtain(role, ops)
    const more: Op[] = ops.some(restsOnRole) ? [] : [{ op: 'check', key: ROLE_KEY, expect: version }]
    if (keepsLog(role)) {
      const [place, dr] = [placeOf(role, applies?.upstream), role.dr && placeOf(role.dr, applies?.dr)]
      const frame = { id, at: clock.now(), place, dr, ops: loggedOps(ops) }
      for (const value of framed(frame, storage.caps.maxValueBytes, this.#parts)) more.push({ op: 'append', log: LOG, value })
    }
    return [...ops, ...more]
  }
}

/** A secondary's own records have no place in the history of the set. */
const placeOf = ({ mode, epoch, origin }: PartInSet, upstream: Position | undefined): Place | undefined =>
  upstream ?? (mode === 'primary' ? { epoch, origin: shortOrigin(origin) } : undefined)

const isRecord = (op: Op): boolean => op.op !== 'append' && op.op !== 'check' && isLogged(op.key)

/** It is checked already, as {@link Committer.roleFence} does. */
const restsOnRole = (op: Op): boolean => op.op !== 'append' && op.key === ROLE_KEY

const changesRole = (op: Op): boolean => op.op !== 'append' && op.op !== 'check' && op.key === ROLE_KEY

function checkMay(role: Role, ops: readonly Op[]): void {
  if (!isFollower(role)) return
  if (role.mode === 'bootstrapping' || isMirror(role)) throw mirrorRefusal(role)
  if (ops.some((op) => isRecord(op) && 'key' in op && op.key.startsWith('r/'))) throw readOnly()
}

export const readOnly = (): KernelError =>
  new KernelError('ERR_READ_ONLY', 'cannot write to readonly storage: the data is replicated from a primary, and written there')

/** A commit came back when others may have been allowed to write already. */
const outlived = (): KernelError =>
  new KernelError(
    'ERR_NOT_ACKNOWLEDGED',
    'the write is stored here, and took longer than the right to write: another cluster may have taken over, and it may be lost',
    { details: { committed: true } },
  )

/** Why a cluster whose records come from elsewhere serves nobody. */
export const mirrorRefusal = (role: Role): KernelError => (isBecomingSecondary(role) ? becomingSecondary() : drSecondary())

/** Everything that a secondary for disaster recovery does not serve. */
export const drSecondary = (): KernelError =>
  new KernelError('ERR_DR_SECONDARY', 'path disabled in replication DR secondary mode')

export const becomingSecondary = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'the cluster is becoming a secondary: what it held is being cleared away')
