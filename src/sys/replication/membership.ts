/**
 * What this cluster is in its set, as this process knows it.
 */
import { KernelError } from '../../core/base/errors.ts'
import { decodeRecord, withFormat } from '../../core/contract/record-kind.ts'
import { encodeRole, type Mode, type PartInSet, ROLE_KEY, type Role } from '../../core/log/role.ts'
import type { Op } from '../../core/storage/port.ts'
import type { Relation } from './state/records.ts'
import { secretKey } from './state/replication-kind.ts'
import type { SetHost } from './state/set-host.ts'
import { SetKeys } from './state/set-keys.ts'

/** What one look at the store found. */
export interface Member {
  readonly relation: Relation
  readonly version: number
  readonly keys: SetKeys
  /** Of the record of the own key pair, which changes with the primary. */
  readonly identity: number
}

const MAX_TRIES = 20

/** The commit of a role met another one. */
export class RoleConflict extends KernelError {
  constructor() {
    super('ERR_UNAVAILABLE', 'others are changing the role of this cluster')
  }
}

export const roleConflict = (): KernelError => new RoleConflict()

/** They never stopped. */
export const roleContention = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'others keep changing the replication of this cluster')

export class Membership {
  readonly #host: SetHost
  #member: Member | undefined
  #loading: Promise<Member | undefined> | undefined
  #stale = true

  constructor(host: SetHost) {
    this.#host = host
  }

  get role(): Role {
    return this.#host.store.commits.role
  }

  get mode(): Mode {
    return this.#host.kind.partOf(this.role).mode
  }

  /** What is known without asking the store. */
  get known(): Member | undefined {
    return this.#member
  }

  /** The record or the role has changed. */
  invalidate(): void {
    this.#stale = true
  }

  /** Undefined where the cluster is in no set. */
  current(): Promise<Member | undefined> {
    if (this.#loading) {
      if (!this.#stale) return this.#loading
      // It may have read what was there before.
      const again = (): Promise<Member | undefined> => this.current()
      return this.#loading.then(again, again)
    }
    if (!this.#stale) return Promise.resolve(this.#member)
    this.#loading = this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** @throws KernelError 400 unless the cluster is a member. */
  async member(): Promise<Member> {
    let member = await this.current()
    if (!member && this.#isMember) {
      // The look began before the role that is known now.
      this.invalidate()
      member = await this.current()
    }
    if (!member) throw new KernelError('ERR_NOT_CONFIGURED', 'replication is disabled')
    return member
  }

  get #isMember(): boolean {
    return this.mode === 'primary' || this.mode === 'secondary'
  }

  /** Uses of keys that this cluster cannot know of may have been made: how often, one more than so far. */
  get gapsWithOneMore(): number {
    return (this.role.gaps ?? 0) + 1
  }

  /**
   * Puts a role with another part in the place of the one that was found.
   * @param performance The part among the clusters that serve, where it changes with that for disaster recovery.
   */
  roleOp(part: PartInSet, gaps = this.role.gaps ?? 0, performance?: PartInSet): Op {
    const { store, kind } = this.#host
    const { gaps: _, ...role } = { ...this.role, ...performance }
    const next: Role = { ...kind.withPart(role, part), era: role.era + 1, ...(gaps > 0 ? { gaps } : {}) }
    return store.sealed(ROLE_KEY, encodeRole(next), store.commits.roleVersion)
  }

  relationOp(relation: Relation, version?: number): Op {
    const { store, kind } = this.#host
    const stored = withFormat(kind.relation.format, kind.relation.encode(relation))
    return store.sealed(kind.relationKey, stored, version)
  }

  /** Changes the record; an edit may be asked again. */
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

  /** Wipes the keys: the kernel is sealed. */
  forget(): void {
    this.#member?.keys.wipe()
    this.#member = undefined
    this.#stale = true
  }

  async #load(): Promise<Member | undefined> {
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
