/**
 * A key that was just made, or came from elsewhere.
 */

export interface NewKey {
  /** As it is stored; the caller wipes it. */
  readonly key: Uint8Array
  /** As a key read shows it; empty for keys without one. */
  readonly publicKey: string
}
