/** Events of the database engine. */
interface DatabaseObjectEvent {
  readonly name: string
}

interface DatabaseRotationEvent extends DatabaseObjectEvent {
  /** The name of the database user. */
  readonly username: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    'connection.written': DatabaseObjectEvent & { readonly plugin_name: string }
    'connection.deleted': DatabaseObjectEvent
    'connection.reset': DatabaseObjectEvent
    /** This event is also emitted when a static role is written. */
    'role.written': DatabaseObjectEvent
    'role.deleted': DatabaseObjectEvent
    /** `version` equals the version that `staticCreds` returns. Only the database engine sets it. */
    'static_role.rotated': DatabaseRotationEvent & { readonly version?: number }
    /** The former password is still stored. `reason` is the message of the error. */
    'static_role.rotation_failed': DatabaseRotationEvent & { readonly reason: string }
    /** `name` is the name of the connection. */
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
