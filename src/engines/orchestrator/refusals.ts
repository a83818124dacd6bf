/** The reasons of its own for which this method refuses logins. */
declare module '../../core/contract/login-reason.ts' {
  interface LoginRefusalReasons {
    /** There is neither a key to verify signatures with nor a reviewer. */
    'nothing-to-verify-with': true
    'name-not-bound': true
    'namespace-not-bound': true
    /** The certificate that verifies the API server could not be read. */
    'local-ca-unreadable': true
  }
}

export {}
