/**
 * Limits the records that a forwarded write may read and write: only replicated records, and only those of mounts and namespaces that the
 * secondary has.
 *
 * Each run of the transaction reads the secondary's record with its filter. The commit therefore fails if the secondary was revoked or its
 * filter changed since the run began.
 */
import { KernelError } from '../../../../core/base/errors.ts'
import { isLocal, type MountRecord } from '../../../../core/contract/mount-record.ts'
import { type NamespaceRecord, ROOT_NAMESPACE } from '../../../../core/contract/namespace.ts'
import type { Tx } from '../../../../core/contract/tx.ts'
import type { Topology } from '../../../../core/mount/topology.ts'
import { CORE, coreRecordKey } from '../../../../core/transaction/core-key.ts'
import type { RecordLimits } from '../../../../core/transaction/record-limits.ts'
import { transactionOf } from '../../../../core/transaction/transaction-of.ts'
import { MIGRATION } from '../../../mounts/move-mount.ts'
import { FilterRules } from '../../filters/filter-rules.ts'
import { MOUNT_KEYS, NAMESPACE_KEYS, SecondaryScope } from '../../filters/secondary-scopes.ts'
import type { ReplicationContext } from '../../replication-context.ts'
import { domainOf, UNDIVIDED } from '../../state/domain.ts'
import type { Peer } from '../../state/records.ts'
import { peerRecordId } from '../peer-keys.ts'

/** Returns the error for everything that a path filter hides. It does not name the hidden path. */
export const hidden = (): KernelError =>
  new KernelError(
    'ERR_INVALID_REQUEST',
    'the primary refuses the write: it affects something that a path filter hides from this cluster',
  )

const revoked = (): KernelError => new KernelError('ERR_UNAVAILABLE', 'the secondary is no longer known to the primary')

/** Returns the error for every operation that is not forwardable. */
export const notForwarded = (): KernelError =>
  new KernelError('ERR_READ_ONLY', 'cannot write to readonly storage: the primary does not run this operation for secondaries')

/**
 * The local records that a forwarded write may change: those of effects, and those that change when a mount or a key is deleted. Tokens,
 * cubbyholes and the records of secondaries are not among them.
 */
const LOCAL = /^l\/core\/(?:ending|intent|lease|lease-owner|lease-mount|lease-stuck|shared-count)\//

const isReachable = (key: string): boolean => !key.startsWith('i/') && (!key.startsWith(`l/${CORE}/`) || LOCAL.test(key))

/** Destinations and associations of secret sync. A destination receives secrets of several mounts. */
const SYNC = /^r\/core\/sync-/

/**
 * Records of moves of mounts. They are not checked, because the move also writes the mount record, and the check of that record decides
 * whether the new path is allowed.
 */
const MOVES = /* @__PURE__ */ coreRecordKey(MIGRATION, '')

const scopes = new WeakMap<Peer, SecondaryScope>()

function scopeOf(peer: Peer, topology: Topology): SecondaryScope {
  const known = scopes.get(peer)
  if (known) return known
  const made = new SecondaryScope(peer.view ?? '', peer.filter && new FilterRules(peer.filter), topology)
  scopes.set(peer, made)
  return made
}

/** Limits this run of the transaction to the scope of the secondary. @throws KernelError 503 if the secondary was revoked. */
export function limitRun(tx: Tx, { internals, host }: ReplicationContext, peer: string): void {
  const { topology, call } = internals
  const transaction = transactionOf(tx)
  const found = transaction.within(topology.coreKeyspace(ROOT_NAMESPACE), call, (core) =>
    core.get(host.kind.peer, peerRecordId(peer)),
  )
  if (!found) throw revoked()
  transaction.limitTo(new ForwardLimits(scopeOf(found, topology), topology))
}

export class ForwardLimits implements RecordLimits {
  readonly #scope: SecondaryScope
  readonly #topology: Topology
  /** The paths, by UUID, of namespaces that this run creates. The topology does not contain them yet. */
  readonly #made = new Map<string, string>()

  constructor(scope: SecondaryScope, topology: Topology) {
    this.#scope = scope
    this.#topology = topology
  }

  checkRead(key: string): void {
    if (key.startsWith('i/') || isFolder(key)) return
    const domain = domainOf(key)
    if (!this.#has(domain)) throw hidden()
  }

  checkWrite(key: string, value: unknown): void {
    if (key.startsWith(MOVES)) return
    if (value !== undefined && key.startsWith(NAMESPACE_KEYS)) this.#checkNamespace(value as NamespaceRecord)
    else if (value !== undefined && key.startsWith(MOUNT_KEYS)) this.#checkMount(key, value as MountRecord)
    else this.#checkOther(key)
  }

  #checkOther(key: string): void {
    if (!isReachable(key)) throw notForwarded()
    // A filtered secondary must not change a destination, because the changed destination would also receive secrets of mounts that are
    // hidden from the secondary.
    if (this.#scope.isPartial && SYNC.test(key)) throw hidden()
    if (key.startsWith(NAMESPACE_KEYS)) this.#checkRemoval(key.slice(NAMESPACE_KEYS.length))
    const domain = domainOf(key)
    // Scheduled work of the kernel itself belongs to no mount and concerns only this cluster, so the filter of the secondary does not apply
    // to it.
    if (domain === UNDIVIDED && key.startsWith('l/due/')) return
    if (!this.#has(domain)) throw hidden()
  }

  /** Checks all mounts of a namespace that is removed, because removing the namespace removes them too. */
  #checkRemoval(namespace: string): void {
    const held = this.#topology.recordsIn(namespace)
    if (!this.#has(namespace) || !held.every((record) => this.#scope.includesMount(record) && !isLocal(record))) throw hidden()
  }

  #checkNamespace({ uuid, path }: NamespaceRecord): void {
    const { rules } = this.#scope
    if (rules && !rules.includesNamespaceRecord(path)) throw hidden()
    if (!this.#topology.namespaces.byUuid(uuid)) this.#made.set(uuid, path)
  }

  #checkMount(key: string, record: MountRecord): void {
    const uuid = key.slice(MOUNT_KEYS.length)
    if (this.#topology.holder(uuid) && !this.#has(uuid)) throw hidden()
    const made = this.#made.get(record.namespace)
    const has =
      made === undefined ? this.#scope.includesMount(record) : (this.#scope.rules?.includesMount(made, record.path) ?? true)
    if (!has) throw hidden()
  }

  #has(domain: string): boolean {
    if (domain === CORE) return true
    const mount = this.#topology.holder(domain)?.record
    if (mount && isLocal(mount)) return false
    const made = this.#made.get(domain)
    if (made !== undefined) return this.#scope.rules?.includesNamespace(made) ?? true
    return this.#scope.includes(domain)
  }
}

/**
 * Whether the key is a folder of the kernel's own records that belongs to no single mount or namespace. Reading such folders is allowed:
 * operations list them to decide whether a path is free, and no forwardable operation returns the listed names.
 */
const isFolder = (key: string): boolean => key.endsWith('/') && key.split('/', 5).length <= 4
