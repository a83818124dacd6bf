/**
 * What each secondary is to have, as the primary's filter, mounts and namespaces say at present.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { MOUNT, type MountRecord } from '../../../core/contract/mount-record.ts'
import { NAMESPACE } from '../../../core/contract/namespace.ts'
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import type { Topology } from '../../../core/mount/topology.ts'
import { CORE, keyOf } from '../../../core/transaction/core-key.ts'
import type { PeerKeys } from '../serve/peer-keys.ts'
import { domainOf, namespaceOf, UNDIVIDED } from '../state/domain.ts'
import { PERFORMANCE } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { FilterRules } from './filter-rules.ts'

/** In front of the uuid of a mount that is replicated. */
export const MOUNT_KEYS = /* @__PURE__ */ keyOf(MOUNT, '')

/** In front of the uuid of a namespace. */
export const NAMESPACE_KEYS = /* @__PURE__ */ keyOf(NAMESPACE, '')

/** What one secondary is to have. */
export class SecondaryScope {
  /** Names the filter: equal as long as it was not changed. */
  readonly token: string
  /** Absent: everything. */
  readonly rules: FilterRules | undefined
  readonly #topology: Topology

  constructor(token: string, rules: FilterRules | undefined, topology: Topology) {
    this.token = token
    this.rules = rules
    this.#topology = topology
  }

  /** Whether something may be left out. */
  get isPartial(): boolean {
    return this.rules !== undefined
  }

  /**
   * Whether a part is to be had, as mounts and namespaces are now. A mount or a namespace that is gone is not: nobody can say any more
   * whether it was.
   */
  includes(domain: string): boolean {
    const { rules } = this
    if (!rules || domain === CORE) return true
    const namespace = namespaceOf(domain)
    if (namespace !== undefined) return this.#holds(namespace, (path) => rules.includesNamespaceRecord(path))
    const mount = this.#topology.holder(domain)
    return mount ? this.includesMount(mount.record) : this.#holds(domain, (path) => rules.includesNamespace(path))
  }

  /** Whether a mount would be had if it were what this record says. */
  includesMount({ namespace, path }: Pick<MountRecord, 'namespace' | 'path'>): boolean {
    return this.#holds(namespace, (outer) => this.rules?.includesMount(outer, path) ?? true)
  }

  /** Whether a record may be told: its part is to be had, and it names no path that is not. */
  includesRecord(key: string, value: Uint8Array | undefined): boolean {
    if (!this.rules) return true
    if (!this.includes(domainOf(key))) return false
    return value === undefined || !key.startsWith(MOUNT_KEYS) || this.includesMount(decodeRecord(MOUNT, value))
  }

  /** Whether a mount or a namespace is there. */
  exists(uuid: string): boolean {
    return this.#topology.holder(uuid) !== undefined || this.#topology.namespaces.byUuid(uuid) !== undefined
  }

  /** The uuid of the mount or the namespace for whose lack a part is not to be had; undefined where a rule leaves it out, or none does. */
  missingContainerOf(domain: string): string | undefined {
    if (domain === UNDIVIDED || this.includes(domain)) return undefined
    const mount = this.#topology.holder(domain)?.record
    const namespace = mount?.namespace ?? namespaceOf(domain) ?? domain
    return this.#topology.namespaces.byUuid(namespace) ? undefined : namespace
  }

  #holds(namespace: string, judge: (path: string) => boolean): boolean {
    const path = this.#topology.namespaces.byUuid(namespace)?.path
    return path !== undefined && judge(path)
  }
}

export interface SecondaryScopesParts {
  readonly host: SetHost
  readonly topology: Topology
  readonly peers: () => PeerKeys
}

export class SecondaryScopes {
  readonly #parts: SecondaryScopesParts
  /** Of a secondary for disaster recovery, which has all that its primary has. */
  readonly #everything: SecondaryScope
  readonly #known = new Map<string, SecondaryScope>()

  constructor(parts: SecondaryScopesParts) {
    this.#parts = parts
    this.#everything = new SecondaryScope('', undefined, parts.topology)
  }

  /**
   * As of no earlier than the call, whichever kernel has changed something: what is asked for before it and told after it is judged by what
   * holds.
   * @throws KernelError 503 for a secondary that nobody knows: of what it is to have nothing can be said.
   */
  async of(id: string): Promise<SecondaryScope> {
    const { host, topology, peers } = this.#parts
    if (host.kind !== PERFORMANCE) return this.#everything
    if (host.store.storage.caps.shared) await host.freshness.renew()
    await topology.fresh()
    const peer = (await peers().load()).find((one) => one.id === id)
    // It was revoked since it asked.
    if (!peer) throw new KernelError('ERR_UNAVAILABLE', 'the secondary is not known any more')
    const { view = '', filter } = peer
    const known = this.#known.get(id)
    if (known?.token === view && known.isPartial === (filter !== undefined)) return known
    const made = new SecondaryScope(view, filter && new FilterRules(filter), topology)
    this.#known.set(id, made)
    return made
  }
}
