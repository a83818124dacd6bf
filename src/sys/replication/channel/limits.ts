/** Limits of sessions. */

/** Clients begin a new session after this time. */
export const RENEW_SESSION_AFTER_MS = 3_600_000

/** The server keeps sessions for this additional time, because requests may be pending and clocks may differ in speed. */
export const GRACE_MS = 600_000

/** Clients begin a new session after this many nonces. A request has one nonce for each 64 KiB. */
export const RENEW_AFTER_NONCES = 1_048_576

/** The maximum number of nonces of a session's requests. */
export const MAX_REQUEST_NONCES = 2 * RENEW_AFTER_NONCES

/**
 * Clients begin a new session after this many nonces without an answer. This is less than one epoch (65,536 nonces with the same key), so the
 * server never misses all requests of an epoch.
 */
export const RENEW_AFTER_UNANSWERED_NONCES = 32_768

/** The maximum number of sessions of one peer at one server. `MAX_SESSIONS` is the maximum over all peers. */
export const MAX_SESSIONS_PER_PEER = 8
export const MAX_SESSIONS = 1_024

/** The maximum length of a peer name in bytes of UTF-8. */
export const MAX_PEER_ID_BYTES = 256

/** Whether a session that began at `since` is older than `limit`, or the clock went back by more than `limit`. */
export const isOlder = (since: number, now: number, limit: number): boolean => Math.abs(now - since) >= limit
