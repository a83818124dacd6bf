/**
 * Why this method refuses logins.
 */
declare module '../../core/contract/login-reason.ts' {
  interface LoginRefusalReasons {
    'token-too-large': true
    'token-malformed': true
    'algorithm-not-allowed': true
    /** There is neither a key to check signatures with nor anybody to ask. */
    'nothing-to-verify-with': true
    'signature-invalid': true
    'claims-malformed': true
    'issuer-mismatch': true
    'audience-mismatch': true
    'not-yet-valid': true
    'issued-in-future': true
    expired: true
    'name-not-bound': true
    'namespace-not-bound': true
    'uid-missing': true
    /** The certificate that the API server is to be known by could not be read. */
    'local-ca-unreadable': true
    // Those of a review that came to no answer: ReviewFailure of the port.
    'reviewer-unauthorized': true
    'reviewer-forbidden': true
    transport: true
    timeout: true
    protocol: true
    /** The server knows of an error of the token. */
    'review-error': true
    'review-not-authenticated': true
    'review-audience-mismatch': true
    /** The token is somebody's, but no service account's. */
    'review-no-service-account': true
    /** The token is another service account's than it says. */
    'review-mismatch': true
  }
}

export {}
