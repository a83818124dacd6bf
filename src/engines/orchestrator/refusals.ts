/** Reasons for refused logins that only this auth method has. */
declare module '../../core/contract/login-reason.ts' {
  interface LoginRefusalReasons {
    'name-not-bound': true
    'namespace-not-bound': true
    /** The certificate that verifies the API server could not be read. */
    'local-ca-unreadable': true
  }
}

export {}
