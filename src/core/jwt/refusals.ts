/** The reasons for which a login with a token is refused. */
declare module '../contract/login-reason.ts' {
  interface LoginRefusalReasons {
    'token-too-large': true
    'token-malformed': true
    'algorithm-not-allowed': true
    /** The configuration contains neither a key that could verify the signature nor a token reviewer. */
    'nothing-to-verify-with': true
    'signature-invalid': true
    'claims-malformed': true
    'issuer-mismatch': true
    'audience-mismatch': true
    'not-yet-valid': true
    'issued-in-future': true
    expired: true
    'uid-missing': true
    // The next five reasons are the values of `ReviewFailure`: the reviewer gave no usable answer.
    'reviewer-unauthorized': true
    'reviewer-forbidden': true
    transport: true
    timeout: true
    protocol: true
    /** The server reported an error about the token. */
    'review-error': true
    'review-not-authenticated': true
    'review-audience-mismatch': true
    /** The review says that the token is valid, but it is not a token of a service account. */
    'review-no-service-account': true
    /** The review names another service account than the claims of the token. */
    'review-mismatch': true
  }
}

export {}
