/** Reasons why a login with a token is refused. */
declare module '../contract/login-reason.ts' {
  interface LoginRefusalReasons {
    'token-too-large': true
    'token-malformed': true
    'algorithm-not-allowed': true
    /** Neither a key that could verify the signature nor a reviewer is configured. */
    'nothing-to-verify-with': true
    'signature-invalid': true
    'claims-malformed': true
    'issuer-mismatch': true
    'audience-mismatch': true
    'not-yet-valid': true
    'issued-in-future': true
    expired: true
    'uid-missing': true
    // The values of `ReviewFailure`: the review had no answer.
    'reviewer-unauthorized': true
    'reviewer-forbidden': true
    transport: true
    timeout: true
    protocol: true
    /** The server reported an error about the token. */
    'review-error': true
    'review-not-authenticated': true
    'review-audience-mismatch': true
    /** The token is valid, but it does not belong to a service account. */
    'review-no-service-account': true
    /** The token belongs to another service account than its claims name. */
    'review-mismatch': true
  }
}

export {}
