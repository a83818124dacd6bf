/** The reasons for which tokens are refused, by themselves or by whoever reviews them. */
declare module '../contract/login-reason.ts' {
  interface LoginRefusalReasons {
    'token-too-large': true
    'token-malformed': true
    'algorithm-not-allowed': true
    /** There is neither a key to verify signatures with nor a reviewer. */
    'nothing-to-verify-with': true
    'signature-invalid': true
    'claims-malformed': true
    'issuer-mismatch': true
    'audience-mismatch': true
    'not-yet-valid': true
    'issued-in-future': true
    expired: true
    'uid-missing': true
    // The failures of a review without an answer: ReviewFailure of the port.
    'reviewer-unauthorized': true
    'reviewer-forbidden': true
    transport: true
    timeout: true
    protocol: true
    /** The server reported an error about the token. */
    'review-error': true
    'review-not-authenticated': true
    'review-audience-mismatch': true
    /** The token belongs to somebody, but to no service account. */
    'review-no-service-account': true
    /** The token belongs to another service account than it says. */
    'review-mismatch': true
  }
}

export {}
