/**
 * How long sessions live and how much there is of them.
 */

/** A session is tired after this time. */
export const RENEW_AFTER_MS = 3_600_000

/** So much longer the server knows it, for what is under way and for clocks that go at other speeds. */
export const GRACE_MS = 600_000

/** A session is tired after so many requests. */
export const RENEW_AFTER_REQUESTS = 1_048_576

/** No session takes more, tired or not. */
export const MAX_SESSION_REQUESTS = 2 * RENEW_AFTER_REQUESTS

/** Sessions of one peer at one server, and of all. */
export const MAX_SESSIONS_PER_PEER = 8
export const MAX_SESSIONS = 1_024

/** The longest name of a peer, as UTF-8. */
export const MAX_PEER_ID_BYTES = 256

/** Whether a session that began at `since` is older than `limit`, or the clock was set back by more than that. */
export const isOlder = (since: number, now: number, limit: number): boolean => Math.abs(now - since) >= limit
