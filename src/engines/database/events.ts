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
    /** A role or a static role was written. */
    'role.written': DatabaseObjectEvent
    'role.deleted': DatabaseObjectEvent
    /**
     * The credential of a static role was replaced. `version` is the version that `staticCreds` returns; only the database engine sets it.
     */
    'static_role.rotated': DatabaseRotationEvent & { readonly version?: number }
    /** A rotation has failed, and the previous credential is still stored. `reason` is the message of the error. */
    'static_role.rotation_failed': DatabaseRotationEvent & { readonly reason: string }
    /** The password of a connection's own user was changed. `name` is the name of the connection. */
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
