/** Forged tags from two messages under one key and one nonce. */

export interface Bound {
  readonly associatedData: Uint8Array
  /** The ciphertext without nonce and tag. */
  readonly text: Uint8Array
}

export interface Tagged extends Bound {
  readonly tag: Uint8Array
}

/** The possible tags of `wanted` under the same nonce. */
export type Forge = (firstMessage: Tagged, two: Tagged, target: Bound) => readonly Uint8Array[]
