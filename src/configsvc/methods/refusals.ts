declare module '../../core/contract/login-reason.ts' {
  interface LoginRefusalReasons {
    /** The token contains none of the claims `iat`, `nbf` and `exp`. */
    'times-missing': true
  }
}

export {}
