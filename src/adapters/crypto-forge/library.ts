/** The part of the package `node-forge` that is used here, typed structurally, so that users who do not install it do not need its types. */

/** A hash function as the package expects it. Bytes are strings with one character from U+0000 to U+00FF per byte. */
export interface ForgeDigest {
  readonly digestLength: number
  start(): ForgeDigest
  update(bytes: string): ForgeDigest
  digest(): ForgeBuffer
}

export interface ForgeBuffer {
  getBytes(): string
}

/** The only member of a key that the padding needs. */
interface ForgeKey {
  readonly n: { bitLength(): number }
}

export interface Forge {
  readonly pkcs1: {
    /** @throws Error if the message is too long */
    encode_rsa_oaep(key: ForgeKey, message: string, options: { readonly md: ForgeDigest; readonly seed: string }): string
    /** @throws Error if the padding is wrong */
    decode_rsa_oaep(key: ForgeKey, encoded: string, options: { readonly md: ForgeDigest }): string
  }
  readonly util: { createBuffer(bytes: string): ForgeBuffer }
}

/** @throws TypeError if the package is not installed. */
export async function loadForge(): Promise<Forge> {
  try {
    // The name is a literal, because bundlers do not find other imports.
    const { default: forge } = (await import('node-forge')) as unknown as { readonly default: Forge }
    return forge
  } catch (cause) {
    throw new TypeError('forgeRsa: install the package node-forge, version 1', { cause })
  }
}
