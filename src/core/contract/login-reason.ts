/**
 * The reasons to refuse a login. An auth method adds its own by merging into the interface.
 */
export interface LoginRefusalReasons {
  /** The role is bound to networks, and the caller's address is unknown or in none of them. */
  'address-not-bound': true
  /** Too many logins failed lately, so this one was not examined: the only reason with a different status, 429. */
  'too-many-failures': true
  /** The entity behind the alias is disabled. */
  'entity-disabled': true
}

export type LoginRefusalReason = keyof LoginRefusalReasons
