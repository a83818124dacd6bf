/**
 * The events of the kernel.
 *
 * The list follows what users of the originals subscribe to (event notifications of Vault: writes, deletions, patches and metadata of
 * kv, rotation and leases of engines) and adds keys, tokens, policies, mounts and the state of the kernel. No event holds a value of a
 * secret, a key or a token: only names, paths, versions, and accessors, which open nothing.
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
  /** With a slash at its end. */
  readonly path: string
}

export interface FailedWork {
  /** The kind of work, such as `lease`, or `tick` for a tick that failed as a whole. */
  readonly lane: string
  /** The item's id within its lane and mount. It names records, never a secret. */
  readonly id: string
  /** The code of the error; `ERR_INTERNAL` for an error that is not a KernelError. */
  readonly code: string
  /** 1 for the first failure; it begins again when the item has succeeded. */
  readonly attempt: number
  /** RFC 3339. At this time or before it, the item stays due and the next tick tries it. */
  readonly next_attempt: string
}

/** Published by operations, after their commit. An engine adds its own by merging into this interface. */
export interface CommittedEvents {
  'token.created': Token & { readonly policies: readonly string[]; readonly token_type: 'service' | 'batch' }
  'token.renewed': Token
  'token.revoked': Token
  'token.expired': Token
  'lease.issued': Lease
  'lease.renewed': Lease
  'lease.revoked': Lease
  'lease.expired': Lease
  /** The engine has failed to revoke the lease, finally or too often. */
  'lease.irrevocable': Lease
  'policy.written': Key
  'policy.deleted': Key
  'password_policy.written': Key
  'password_policy.deleted': Key
  'token_role.written': Key
  'token_role.deleted': Key
  /** The configuration of an auth method. */
  'auth_config.written': Record<never, never>
  'auth_role.written': Key
  'auth_role.deleted': Key
  'mount.enabled': Path & { readonly mount_type: string; readonly accessor: string }
  'mount.disabled': Path & { readonly mount_type: string; readonly accessor: string }
  'mount.tuned': Path & { readonly mount_type: string; readonly accessor: string }
  /** `path` is the new one. */
  'mount.moved': Path & { readonly from: string; readonly accessor: string }
  'namespace.created': Path
  'namespace.changed': Path
  'namespace.deleted': Path
  /** Background work failed and is tried again. The error's message is in the answer or in `TickResult.failed`, never here. */
  'work.failed': FailedWork
  'audit.enabled': Path
  'audit.disabled': Path
}

/** Published for refused requests, which committed nothing. */
export interface RefusalEvents {
  /** `reason` is shown only to listeners and in the audit log. */
  'login.refused': { readonly role: string; readonly reason: LoginRefusalReason }
}

/** Published by the kernel itself. */
export interface KernelEvents {
  'kernel.unsealed': Record<never, never>
  'kernel.sealed': Record<never, never>
  'kernel.closed': Record<never, never>
  /** A new barrier key encrypts everything from now on; `term` counts the keys. Published for automatic rotations, too. */
  'barrier.rotated': { readonly term: number }
  /** A sink did not take an entry. Where other sinks did, the request went on. */
  'audit.failed': { readonly sink: string }
  /** The part that this cluster has in a set: of those that serve, or for disaster recovery. */
  'replication.mode_changed': { readonly kind: 'performance' | 'dr'; readonly mode: 'disabled' | 'primary' | 'secondary' }
  /** What a secondary is doing. */
  'replication.state_changed': {
    readonly kind: 'performance' | 'dr'
    readonly state: 'idle' | 'merkle-diff' | 'merkle-sync' | 'stream-wals'
  }
  /** Keys that were compared with the primary's and put right so far; `total` is null while nobody knows how many there are. */
  'replication.progress': { readonly kind: 'performance' | 'dr'; readonly done: number; readonly total: number | null }
  /** What was held differs from the primary's records. `lost` counts records that only a lost primary had, and that were given up. */
  'replication.diverged': { readonly kind: 'performance' | 'dr'; readonly lost: number }
  /** A listener or stream was too slow and missed this many events. */
  'events.lost': { readonly lost: number }
}

export interface EventData extends CommittedEvents, RefusalEvents, KernelEvents {}

export type EventType = keyof EventData

/** The members of every event. */
export interface EventHead<T extends EventType> {
  /** What happened, such as `key.rotated`. */
  readonly type: T
  /** RFC 3339. */
  readonly time: string
  /** Path of the namespace, with a slash at its end; empty for the root. */
  readonly namespace: string
  /** Path of the mount it happened in, relative to the namespace; empty where no mount is involved. */
  readonly mount: string
}

/** An event of one type, or of any of several. Frozen: all listeners get the same object. */
export type KernelEvent<T extends EventType = EventType> = { readonly [K in T]: EventHead<K> & EventData[K] }[T]

/** Something that happened, before it becomes an event: the event is made only where somebody listens. */
export interface PendingEvent<T extends EventType = EventType> extends EventPlace {
  readonly type: T
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly data: EventData[T]
}

/** The place of an event that another operation reports: the end of a lease by a job. */
export interface EventPlace {
  readonly namespace: string
  readonly mount: string
  /** The UUID of the mount that has the records, or `core`. The event does not show it. */
  readonly uuid?: string
}

/** The events above; an engine lists its own as {@link Engine.events}. */
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
