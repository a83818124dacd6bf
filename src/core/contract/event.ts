/**
 * The events of a kernel.
 *
 * The events correspond to Vault's event notifications: writes, deletions, patches and metadata of kv, rotation, and leases. Additional
 * events report keys, tokens, policies, mounts and the state of the kernel. No event contains a secret, key or token; events contain only
 * names, paths, versions, and accessors, which grant no access.
 */
import type { LoginRefusalReason } from './login-reason.ts'

interface Key {
  readonly name: string
}

interface Token {
  /** Empty for a batch token. */
  readonly accessor: string
  readonly display_name: string
}

interface Lease {
  readonly lease_id: string
}

interface Path {
  /** The path of the mount, with a slash at the end. */
  readonly path: string
}

export interface FailedWork {
  /** The queue to which the work belongs, such as `lease` or `rotation`; `tick` if a whole tick failed. */
  readonly lane: string
  /** The id of the work, unique within its queue and mount. It contains names, but never a secret. */
  readonly id: string
  /** The code of the error; `ERR_INTERNAL` for an error that is not a `KernelError`. */
  readonly code: string
  /** The number of consecutive failures, starting at 1. */
  readonly attempt: number
  /** The time from which the work can be retried, in RFC 3339. The first tick after this time runs the work. */
  readonly next_attempt: string
}

/** The events that operations publish after their commit. An engine adds its own events by declaration merging. */
export interface CommittedEvents {
  'token.created': Token & { readonly policies: readonly string[]; readonly token_type: 'service' | 'batch' }
  'token.renewed': Token
  'token.revoked': Token
  'token.expired': Token
  'lease.issued': Lease
  'lease.renewed': Lease
  'lease.revoked': Lease
  'lease.expired': Lease
  /** The engine could not revoke the lease: too many attempts failed, or one failed with an error that cannot be retried. */
  'lease.irrevocable': Lease
  'policy.written': Key
  'policy.deleted': Key
  'password_policy.written': Key
  'password_policy.deleted': Key
  'token_role.written': Key
  'token_role.deleted': Key
  /** Published when the configuration of an auth method was written. */
  'auth_config.written': Record<never, never>
  'auth_role.written': Key
  'auth_role.deleted': Key
  'mount.enabled': Path & { readonly mount_type: string; readonly accessor: string }
  'mount.disabled': Path & { readonly mount_type: string; readonly accessor: string }
  'mount.tuned': Path & { readonly mount_type: string; readonly accessor: string }
  /** `path` is the new path of the mount, and `from` is its old path. */
  'mount.moved': Path & { readonly from: string; readonly accessor: string }
  'namespace.created': Path
  'namespace.changed': Path
  'namespace.deleted': Path
  /**
   * Background work failed and will be retried. The error message is in the result of the tick (`TickResult.failed`), never in the event.
   */
  'work.failed': FailedWork
  'audit.enabled': Path
  'audit.disabled': Path
}

/** Events about refused requests. A refused request has no commit that could publish the event. */
export interface RefusalEvents {
  /** Only listeners and the audit log receive `reason`; the response does not contain it. */
  'login.refused': { readonly role: string; readonly reason: LoginRefusalReason }
}

/** Events that the kernel publishes about its own state. */
export interface KernelEvents {
  'kernel.unsealed': Record<never, never>
  'kernel.sealed': Record<never, never>
  'kernel.closed': Record<never, never>
  /** A new barrier key encrypts all writes from now on; `term` is its number. Also published for automatic rotations. */
  'barrier.rotated': { readonly term: number }
  /** A sink did not store an entry. If another sink has stored it, the request continues. */
  'audit.failed': { readonly sink: string }
  /** The role of this cluster in the performance set or in the DR set has changed. */
  'replication.mode_changed': { readonly kind: 'performance' | 'dr'; readonly mode: 'disabled' | 'primary' | 'secondary' }
  /** The activity of a secondary has changed. */
  'replication.state_changed': {
    readonly kind: 'performance' | 'dr'
    readonly state: 'idle' | 'merkle-diff' | 'merkle-sync' | 'stream-wals'
  }
  /**
   * `done` is the number of storage keys that have been compared with those of the primary so far; records that differed have also been
   * repaired. `total` is the number of all storage keys, or null until that number is known.
   */
  'replication.progress': { readonly kind: 'performance' | 'dr'; readonly done: number; readonly total: number | null }
  /**
   * Some stored records differ from the primary's records. `lost` is the number of records that were discarded because only a lost primary
   * had them.
   */
  'replication.diverged': { readonly kind: 'performance' | 'dr'; readonly lost: number }
  /** A listener or stream was too slow and missed events. `lost` is the number of missed events. */
  'events.lost': { readonly lost: number }
}

export interface EventData extends CommittedEvents, RefusalEvents, KernelEvents {}

export type EventType = keyof EventData

/** The members of every event. */
export interface EventHead<T extends EventType> {
  /** The type of the event, such as `key.rotated`. */
  readonly type: T
  /** RFC 3339. */
  readonly time: string
  /** The namespace's path with a slash at the end; empty for the root namespace. */
  readonly namespace: string
  /** The mount's path, relative to the namespace; empty if no mount is involved. */
  readonly mount: string
}

/** An event of any of these types. Frozen, because all listeners receive the same object. */
export type KernelEvent<T extends EventType = EventType> = { readonly [K in T]: EventHead<K> & EventData[K] }[T]

/** The data from which an event is created if there is a listener. */
export interface PendingEvent<T extends EventType = EventType> extends EventPlace {
  readonly type: T
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly data: EventData[T]
}

/**
 * The mount and namespace that an event names, if they are not those of the operation that publishes it. For example, the job that revokes
 * leases publishes events about the mounts of the leases.
 */
export interface EventPlace {
  readonly namespace: string
  readonly mount: string
  /** The UUID of the mount that the event concerns, or `core`. The published event does not contain it. */
  readonly uuid?: string
}

/** The types of all events that this file declares. The types of an engine's events are in {@link Engine.events}. */
export const KERNEL_EVENTS: readonly string[] = [
  'token.created',
  'token.renewed',
  'token.revoked',
  'token.expired',
  'lease.issued',
  'lease.renewed',
  'lease.revoked',
  'lease.expired',
  'lease.irrevocable',
  'policy.written',
  'policy.deleted',
  'password_policy.written',
  'password_policy.deleted',
  'token_role.written',
  'token_role.deleted',
  'auth_config.written',
  'auth_role.written',
  'auth_role.deleted',
  'mount.enabled',
  'mount.disabled',
  'mount.tuned',
  'mount.moved',
  'namespace.created',
  'namespace.changed',
  'namespace.deleted',
  'work.failed',
  'audit.enabled',
  'audit.disabled',
  'login.refused',
  'kernel.unsealed',
  'kernel.sealed',
  'kernel.closed',
  'barrier.rotated',
  'audit.failed',
  'replication.mode_changed',
  'replication.state_changed',
  'replication.progress',
  'replication.diverged',
  'events.lost',
]
