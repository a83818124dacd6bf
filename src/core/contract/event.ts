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
export interface Happening<T extends EventType = EventType> extends EventPlace {
  readonly type: T
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly data: EventData[T]
}

/** The place of an event that another operation reports: the end of a lease by a job. */
export interface EventPlace {
  readonly namespace: string
  readonly mount: string
}
