/** A generated or imported key. */

export interface NewKey {
  /** The key in the form in which it is stored; the caller wipes it. */
  readonly key: Uint8Array
  /** The public key in the form that a key read shows; empty for keys without a public key. */
  readonly publicKey: string
}
