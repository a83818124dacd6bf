/** Reasons for refusing a login that are specific to this auth method. */
declare module '../../core/contract/login-reason.ts' {
  interface LoginRefusalReasons {
    'name-not-bound': true
    'namespace-not-bound': true
    /** The certificate that verifies the API server could not be read. */
    'local-ca-unreadable': true
  }
}

export {}
