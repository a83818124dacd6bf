/** The reasons of their own for which auth methods refuse logins. */
declare module '../../core/contract/login-reason.ts' {
  interface LoginRefusalReasons {
    /** The token says neither when it was issued nor from when or until when it is valid. */
    'times-missing': true
  }
}

export {}
