/** The events of all engines that hand out credentials. */
interface CredentialObjectEvent {
  readonly name: string
}

interface StaticRoleEvent extends CredentialObjectEvent {
  /** The name of the user in the outside system. */
  readonly username: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    /** A role or a static role was written. */
    'role.written': CredentialObjectEvent
    'role.deleted': CredentialObjectEvent
    /**
     * The credential of a static role was replaced. `version` is the version that `staticCreds` returns; only the database engine sets it.
     */
    'static_role.rotated': StaticRoleEvent & { readonly version?: number }
    /** A rotation has failed, and the previous credential is still stored. `reason` is the message of the error. */
    'static_role.rotation_failed': StaticRoleEvent & { readonly reason: string }
    /**
     * The engine's own credential was changed. Database: the password of the connection `name`. Cloud: the key of the root configuration; the
     * previous key may not have been deleted yet.
     */
    'root.rotated': CredentialObjectEvent
  }
}

export const CREDENTIAL_EVENTS = [
  'role.written',
  'role.deleted',
  'static_role.rotated',
  'static_role.rotation_failed',
  'root.rotated',
] as const
