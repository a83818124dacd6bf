/**
 * Why a login can be refused. An auth method adds its own reasons by merging into the interface.
 */
export interface LoginRefusalReasons {
  /** The role is bound to networks, and the caller's address is unknown or in none of them. */
  'address-not-bound': true
  /** Too many logins were wrong lately, so this one was not looked at: the one reason with a status of its own, 429. */
  'too-many-failures': true
  /** The entity behind the alias is disabled. */
  'entity-disabled': true
}

export type LoginRefusalReason = keyof LoginRefusalReasons
