/**
 * What the database engine tells of itself.
 */
interface Named {
  readonly name: string
}

interface Rotated extends Named {
  /** The user of the database. */
  readonly username: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    'connection.written': Named & { readonly plugin_name: string }
    'connection.deleted': Named
    'connection.reset': Named
    /** Of dynamic and of static roles. */
    'role.written': Named
    'role.deleted': Named
    /** `version` is that of `staticCreds` of the database engine. */
    'static_role.rotated': Rotated & { readonly version?: number }
    /** The password that is stored is the one before. `reason` is one of ours, or the kind of the database's failure. */
    'static_role.rotation_failed': Rotated & { readonly reason: string }
    /** Of the connection of that name. */
    'root.rotated': Named
  }
}

export const DATABASE_EVENTS: readonly string[] = [
  'connection.written',
  'connection.deleted',
  'connection.reset',
  'role.written',
  'role.deleted',
  'static_role.rotated',
  'static_role.rotation_failed',
  'root.rotated',
]
