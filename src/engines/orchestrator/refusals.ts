/** The reasons of its own for which this method refuses logins. */
declare module '../../core/contract/login-reason.ts' {
  interface LoginRefusalReasons {
    'name-not-bound': true
    'namespace-not-bound': true
    /** The certificate that verifies the API server could not be read. */
    'local-ca-unreadable': true
  }
}

export {}
