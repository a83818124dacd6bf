/**
 * What the cloud engine tells of itself. Roles and their rotation are told in the words of the database engine.
 */
interface CloudObjectEvent {
  readonly name: string
}

interface CloudRotationEvent extends CloudObjectEvent {
  /** The user of the cloud. */
  readonly username: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    /** Of the mount's root configuration; its keys are never in it. */
    'root.configured': Readonly<Record<never, never>>
    /** Of the leases of users; durations of Go. */
    'lease.configured': { readonly lease: string; readonly lease_max: string }
    /** Of roles and of static roles. */
    'role.written': CloudObjectEvent
    'role.deleted': CloudObjectEvent
    /** `version` is that of `staticCreds` of the database engine. */
    'static_role.rotated': CloudRotationEvent & { readonly version?: number }
    /** The key that is stored is the one before. `reason` is one of ours, or the kind of the cloud's failure. */
    'static_role.rotation_failed': CloudRotationEvent & { readonly reason: string }
    /** The key before may not be deleted yet. */
    'root.rotated': CloudObjectEvent
  }
}

export const CLOUD_EVENTS: readonly string[] = [
  'root.configured',
  'lease.configured',
  'role.written',
  'role.deleted',
  'static_role.rotated',
  'static_role.rotation_failed',
  'root.rotated',
]
