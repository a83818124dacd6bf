/** A newly made or imported key. */

export interface NewKey {
  /** In stored form; the caller wipes it. */
  readonly key: Uint8Array
  /** As a key read shows it; empty for keys without one. */
  readonly publicKey: string
}
