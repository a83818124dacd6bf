/** Tags without a key, from two messages that were sealed under one key and one nonce. */

export interface Bound {
  readonly associatedData: Uint8Array
  /** The ciphertext without nonce and tag. */
  readonly text: Uint8Array
}

export interface Tagged extends Bound {
  readonly tag: Uint8Array
}

/** The tags that `wanted` may have under the same nonce. */
export type Forge = (one: Tagged, two: Tagged, wanted: Bound) => readonly Uint8Array[]
