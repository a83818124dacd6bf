/** The membership of this cluster in a set, as this process knows it. */
import { KernelError } from '../../core/base/errors.ts'
import { decodeRecord, withFormat } from '../../core/contract/record-kind.ts'
import { encodeRole, type ReplicationMode, ROLE_KEY, type Role, type SetMembership } from '../../core/log/role.ts'
import type { Op } from '../../core/storage/port.ts'
import type { Relation } from './state/records.ts'
import { secretKey } from './state/replication-kind.ts'
import type { SetHost } from './state/set-host.ts'
import { SetKeys } from './state/set-keys.ts'

/** The stored membership of this cluster, read at one time. */
export interface SetMember {
  readonly relation: Relation
  readonly version: number
  readonly keys: SetKeys
  /** The version of the record that contains this cluster's key pair. The key pair is replaced when the cluster gets another primary. */
  readonly identity: number
}

const MAX_TRIES = 20

/** The role could not be changed, because another kernel changed it at the same time. */
export class RoleConflict extends KernelError {
  constructor() {
    super('ERR_UNAVAILABLE', 'another kernel is changing the role of this cluster; retry')
  }
}

export const roleConflict = (): KernelError => new RoleConflict()

/** The error after the last of several attempts to change the role has failed. */
export const roleContention = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'other kernels keep changing the replication of this cluster; retry')

export class Membership {
  readonly #host: SetHost
  #member: SetMember | undefined
  #loading: Promise<SetMember | undefined> | undefined
  #stale = true

  constructor(host: SetHost) {
    this.#host = host
  }

  get role(): Role {
    return this.#host.store.commits.role
  }

  get mode(): ReplicationMode {
    return this.#host.kind.partOf(this.role).mode
  }

  /** The last known membership, without reading the store. */
  get known(): SetMember | undefined {
    return this.#member
  }

  /** Makes the next call of `current` read the store. Call this when the relation record or the role may have changed. */
  invalidate(): void {
    this.#stale = true
  }

  /** Returns the current membership; undefined if the cluster is not in a set. */
  current(): Promise<SetMember | undefined> {
    if (this.#loading) {
      if (!this.#stale) return this.#loading
      // The pending read may have started before the change, so read again.
      const again = (): Promise<SetMember | undefined> => this.current()
      return this.#loading.then(again, again)
    }
    if (!this.#stale) return Promise.resolve(this.#member)
    this.#loading = this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Returns the current membership. @throws KernelError 400 if the cluster is not in a set. */
  async member(): Promise<SetMember> {
    let member = await this.current()
    if (!member && this.#isMember) {
      // The read may have started before the current role was known.
      this.invalidate()
      member = await this.current()
    }
    if (!member) throw new KernelError('ERR_NOT_CONFIGURED', 'replication is disabled')
    return member
  }

  get #isMember(): boolean {
    return this.mode === 'primary' || this.mode === 'secondary'
  }

  /**
   * The new value of `gaps` for a role change after which this cluster's counts of key uses may be too low. `gaps` is the number of such
   * events.
   */
  get gapsWithOneMore(): number {
    return (this.role.gaps ?? 0) + 1
  }

  /**
   * Returns the operation that changes the role of this cluster in this set.
   *
   * @param part The new role in this set.
   * @param performance The new role in the performance set, if it changes in the same commit.
   */
  roleOp(part: SetMembership, gaps = this.role.gaps ?? 0, performance?: SetMembership): Op {
    const { store, kind } = this.#host
    const { gaps: _, ...role } = { ...this.role, ...performance }
    const next: Role = { ...kind.withPart(role, part), era: role.era + 1, ...(gaps > 0 ? { gaps } : {}) }
    return store.encryptedPut(ROLE_KEY, encodeRole(next), store.commits.roleVersion)
  }

  relationOp(relation: Relation, version?: number): Op {
    const { store, kind } = this.#host
    const stored = withFormat(kind.relation.format, kind.relation.encode(relation))
    return store.encryptedPut(kind.relationKey, stored, version)
  }

  /** Changes the relation record. After a conflict, `change` is called again. If it returns undefined, nothing is written. */
  async edit(change: (relation: Relation) => Relation | undefined): Promise<Relation> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      this.invalidate()
      const { relation, version } = await this.member()
      const next = change(relation)
      if (!next) return relation
      const verdict = await this.#host.store.commit([this.relationOp(next, version)])
      this.invalidate()
      if (verdict.ok) return next
      await this.#host.store.backOff(Math.min(tries, 6))
    }
    throw roleContention()
  }

  /** Forgets the membership and wipes its keys. The kernel calls this when it is sealed. */
  forget(): void {
    this.#member?.keys.wipe()
    this.#member = undefined
    this.#stale = true
  }

  async #load(): Promise<SetMember | undefined> {
    this.#stale = false
    try {
      const { store, kind } = this.#host
      if (this.mode === 'disabled') await store.commits.loadRole()
      const [found] = await store.getMany([kind.relationKey])
      if (!found || this.mode === 'disabled' || this.mode === 'bootstrapping') {
        this.#member?.keys.wipe()
        this.#member = undefined
      } else if (this.#member?.version !== found.version) {
        const relation = decodeRecord(kind.relation, found.value)
        const [identity = 0] = await store.versions([secretKey(kind, 'identity')])
        const same = this.#member?.relation.set === relation.set && this.#member.identity === identity
        const keys = same ? this.#member?.keys : await SetKeys.load(this.#host)
        if (!same) this.#member?.keys.wipe()
        this.#member = keys && { relation, version: found.version, keys, identity }
      }
      return this.#member
    } catch (error) {
      this.#stale = true
      throw error
    }
  }
}
