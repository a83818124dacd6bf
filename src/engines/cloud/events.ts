/** Events of the cloud engine. Role and rotation events have the same names as in the database engine. */
interface CloudObjectEvent {
  readonly name: string
}

interface CloudRotationEvent extends CloudObjectEvent {
  /** The name of the IAM user. */
  readonly username: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    /** The root configuration was written. The event never contains its keys. */
    'root.configured': Readonly<Record<never, never>>
    /** The lease terms of users were written. `lease` and `lease_max` are Go durations, such as `12h0m0s`. */
    'lease.configured': { readonly lease: string; readonly lease_max: string }
    /** A role or a static role was written. */
    'role.written': CloudObjectEvent
    'role.deleted': CloudObjectEvent
    /** The credential of a static role was replaced. The database engine has an event of the same name, which also contains `version`. */
    'static_role.rotated': CloudRotationEvent & { readonly version?: number }
    /** A rotation has failed, and the previous key is still stored. `reason` is the message of the error. */
    'static_role.rotation_failed': CloudRotationEvent & { readonly reason: string }
    /** The new key of the root configuration was stored. The previous key may not have been deleted yet. */
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
