/** A generated or imported key. */

export interface NewKey {
  /** In stored form; the caller wipes it. */
  readonly key: Uint8Array
  /** In the form that a key read shows; empty for keys without a public key. */
  readonly publicKey: string
}
