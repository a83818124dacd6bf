/**
 * What the database engine tells of itself.
 */
interface DatabaseObjectEvent {
  readonly name: string
}

interface DatabaseRotationEvent extends DatabaseObjectEvent {
  /** The user of the database. */
  readonly username: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    'connection.written': DatabaseObjectEvent & { readonly plugin_name: string }
    'connection.deleted': DatabaseObjectEvent
    'connection.reset': DatabaseObjectEvent
    /** Of dynamic and of static roles. */
    'role.written': DatabaseObjectEvent
    'role.deleted': DatabaseObjectEvent
    /** `version` is that of `staticCreds` of the database engine. */
    'static_role.rotated': DatabaseRotationEvent & { readonly version?: number }
    /** The password that is stored is the one before. `reason` is one of ours, or the kind of the database's failure. */
    'static_role.rotation_failed': DatabaseRotationEvent & { readonly reason: string }
    /** Of the connection of that name. */
    'root.rotated': DatabaseObjectEvent
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
