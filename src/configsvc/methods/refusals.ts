declare module '../../core/contract/login-reason.ts' {
  interface LoginRefusalReasons {
    /** The token has none of the claims `iat`, `nbf` and `exp`. */
    'times-missing': true
  }
}

export {}
