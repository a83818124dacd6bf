/** The reasons for refusing a login. An auth method adds its reasons by declaration merging. */
export interface LoginRefusalReasons {
  /** The role is bound to networks, and the caller's address is unknown or outside of them. */
  'address-not-bound': true
  /** Too many logins have failed recently, so this one was not examined. This is the only reason with status 429. */
  'too-many-failures': true
  /** The entity of the alias is disabled. */
  'entity-disabled': true
}

export type LoginRefusalReason = keyof LoginRefusalReasons
