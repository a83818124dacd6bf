/** Computes which records each secondary may receive, from its path filter and the primary's current mounts and namespaces. */
import { KernelError } from '../../../core/base/errors.ts'
import { MOUNT, type MountRecord } from '../../../core/contract/mount-record.ts'
import { NAMESPACE } from '../../../core/contract/namespace.ts'
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import type { Topology } from '../../../core/mount/topology.ts'
import { CORE, coreRecordKey } from '../../../core/transaction/core-key.ts'
import type { PeerKeys } from '../serve/peer-keys.ts'
import { domainOf, namespaceOf, UNDIVIDED } from '../state/domain.ts'
import { PERFORMANCE } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { FilterRules } from './filter-rules.ts'

/** The key prefix of replicated mount records; the UUID follows. */
export const MOUNT_KEYS = /* @__PURE__ */ coreRecordKey(MOUNT, '')

/** The key prefix of namespace records; the UUID follows. */
export const NAMESPACE_KEYS = /* @__PURE__ */ coreRecordKey(NAMESPACE, '')

/** The records that one secondary may receive. */
export class SecondaryScope {
  /** The filter view: a random token that changes with the filter. */
  readonly token: string
  /** Undefined if the secondary receives everything. */
  readonly rules: FilterRules | undefined
  readonly #topology: Topology

  constructor(token: string, rules: FilterRules | undefined, topology: Topology) {
    this.token = token
    this.rules = rules
    this.#topology = topology
  }

  /** Whether a path filter limits what the secondary receives. */
  get isPartial(): boolean {
    return this.rules !== undefined
  }

  /**
   * Whether a domain is included, according to the current mounts and namespaces. A removed mount or namespace is not included, because its
   * path is no longer known.
   */
  includes(domain: string): boolean {
    const { rules } = this
    if (!rules || domain === CORE) return true
    const namespace = namespaceOf(domain)
    if (namespace !== undefined) return this.#holds(namespace, (path) => rules.includesNamespaceRecord(path))
    const mount = this.#topology.holder(domain)
    return mount ? this.includesMount(mount.record) : this.#holds(domain, (path) => rules.includesNamespace(path))
  }

  /** Whether a mount in this namespace and at this path is included. */
  includesMount({ namespace, path }: Pick<MountRecord, 'namespace' | 'path'>): boolean {
    return this.#holds(namespace, (outer) => this.rules?.includesMount(outer, path) ?? true)
  }

  /** Whether a record may be sent: its domain must be included, and it must not name a hidden path. */
  includesRecord(key: string, value: Uint8Array | undefined): boolean {
    if (!this.rules) return true
    if (!this.includes(domainOf(key))) return false
    return value === undefined || !key.startsWith(MOUNT_KEYS) || this.includesMount(decodeRecord(MOUNT, value))
  }

  /** Whether a mount or a namespace with this UUID exists. */
  exists(uuid: string): boolean {
    return this.#topology.holder(uuid) !== undefined || this.#topology.namespaces.byUuid(uuid) !== undefined
  }

  /**
   * Returns the UUID of the mount or namespace whose record is missing, if the domain is excluded for that reason. Returns undefined if the
   * domain is included, or if the path filter excludes it.
   */
  missingContainerOf(domain: string): string | undefined {
    if (domain === UNDIVIDED || this.includes(domain)) return undefined
    const mount = this.#topology.holder(domain)?.record
    const namespace = mount?.namespace ?? namespaceOf(domain) ?? domain
    return this.#topology.namespaces.byUuid(namespace) ? undefined : namespace
  }

  #holds(namespace: string, test: (path: string) => boolean): boolean {
    const path = this.#topology.namespaces.byUuid(namespace)?.path
    return path !== undefined && test(path)
  }
}

export interface SecondaryScopesParts {
  readonly host: SetHost
  readonly topology: Topology
  readonly peers: () => PeerKeys
}

export class SecondaryScopes {
  readonly #parts: SecondaryScopesParts
  /** The scope of DR secondaries, which receive everything. */
  readonly #everything: SecondaryScope
  readonly #known = new Map<string, SecondaryScope>()

  constructor(parts: SecondaryScopesParts) {
    this.#parts = parts
    this.#everything = new SecondaryScope('', undefined, parts.topology)
  }

  /**
   * Returns the scope that {@link of} last returned for a secondary, if it was unfiltered. The scope of an unfiltered secondary depends on
   * no record, so data can be read for it before a call of {@link of} verifies that it is still current.
   */
  lastUnfiltered(id: string): SecondaryScope | undefined {
    const known = this.#parts.host.kind === PERFORMANCE ? this.#known.get(id) : this.#everything
    return known?.isPartial ? undefined : known
  }

  /**
   * Returns the current scope of a secondary, including changes by other kernels. Call this before reading data for the secondary, and again
   * before sending the data.
   *
   * @throws KernelError 503 if the secondary is unknown, because then nothing may be sent.
   */
  async of(id: string): Promise<SecondaryScope> {
    const { host, topology, peers } = this.#parts
    if (host.kind !== PERFORMANCE) return this.#everything
    if (host.store.storage.caps.shared) await host.freshness.renew()
    await topology.fresh()
    const peer = (await peers().load()).find((one) => one.id === id)
    // The secondary was revoked after it sent its request.
    if (!peer) throw new KernelError('ERR_UNAVAILABLE', 'the secondary is no longer known to the primary')
    const { view = '', filter } = peer
    const known = this.#known.get(id)
    if (known?.token === view && known.isPartial === (filter !== undefined)) return known
    const made = new SecondaryScope(view, filter && new FilterRules(filter), topology)
    this.#known.set(id, made)
    return made
  }
}
