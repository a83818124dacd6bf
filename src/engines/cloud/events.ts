/**
 * What the cloud engine tells of itself. Roles and their rotation are told in the words of the database engine.
 */
interface Named {
  readonly name: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    /** Of the mount's root configuration; its keys are never in it. */
    'root.configured': Readonly<Record<never, never>>
    /** Of the leases of users; durations of Go. */
    'lease.configured': { readonly lease: string; readonly lease_max: string }
    /** Of roles and of static roles. */
    'role.written': Named
    'role.deleted': Named
  }
}

export {}
