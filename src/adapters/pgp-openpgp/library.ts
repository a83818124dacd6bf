/** The part of the package `openpgp` that is used here, typed structurally, so that users who do not install it do not need its types. */

export interface PgpKey {
  /** Verifies the key's self-signatures. Rejects if the key cannot encrypt. */
  getEncryptionKey(id: undefined, date: Date): Promise<unknown>
}

export type PgpMessage = { readonly packets: unknown }

interface Recipient {
  readonly encryptionKeys: PgpKey
  /** The date for which expiration is checked. */
  readonly date: Date
  readonly config: { readonly preferredCompressionAlgorithm: number }
}

export interface Library {
  readonly enums: { readonly compression: { readonly uncompressed: number } }
  readKey(options: { readonly binaryKey: Uint8Array }): Promise<PgpKey>
  generateSessionKey(options: Recipient): Promise<{ readonly data: Uint8Array; readonly algorithm: string }>
  createMessage(options: {
    readonly binary: Uint8Array
    readonly format: 'utf8'
    readonly filename: string
    readonly date: Date
  }): Promise<PgpMessage>
  encrypt(
    options: Recipient & {
      readonly message: PgpMessage
      readonly format: 'binary'
      readonly sessionKey: { readonly data: Uint8Array; readonly algorithm: string }
    },
  ): Promise<Uint8Array>
}

let loading: Promise<Library> | undefined

/** @throws TypeError if the package is not installed. */
export function loadLibrary(): Promise<Library> {
  // The name is a variable, because the compiler would resolve a literal and look for types that refer to other packages.
  const name: string = 'openpgp'
  loading ??= (import(name) as Promise<Library>).catch((cause: unknown) => {
    loading = undefined
    throw new TypeError('openpgp: install the package openpgp, version 6', { cause })
  })
  return loading
}
