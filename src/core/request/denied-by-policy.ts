/** A mark in the details of an error: the token was valid, but the policies do not allow the request. */
export const DENIED_BY_POLICY = 'policy'
