import { invalid } from '../../core/base/errors.ts'
import type { CallOptions, Reply } from '../../core/contract/api.ts'
import type { TransitApi } from './generated/api.ts'
import type { DecryptArguments, EncryptArguments } from './generated/api-arguments.ts'
import type { EncryptResult } from './generated/api-results.ts'

export interface EncryptTextArguments extends Omit<EncryptArguments, 'plaintext'> {
  /** The string to encrypt, as UTF-8; may be empty. */
  readonly plaintext: string
}

export interface DecryptTextResult {
  /** The string that was encrypted. */
  readonly plaintext: string
}

export interface TextCalls {
  /**
   * Encrypts a string as UTF-8.
   * @throws The same errors as `encrypt`, and TypeError for a string with an unpaired surrogate, which UTF-8 cannot encode
   * @example
   * const { ciphertext } = await kernel.transit.encryptText({ name: 'orders', plaintext: '4111 1111 1111 1111' })
   */
  encryptText(args: EncryptTextArguments, options?: CallOptions): Promise<Reply<EncryptResult>>
  /**
   * Decrypts a ciphertext to a string.
   * @throws The same errors as `decrypt`, and KernelError 400 if the plaintext is not UTF-8
   * @example
   * const { plaintext } = await kernel.transit.decryptText({ name: 'orders', ciphertext })
   */
  decryptText(args: DecryptArguments, options?: CallOptions): Promise<Reply<DecryptTextResult>>
}

/** Declares `isWellFormed`, which every supported runtime has. TypeScript's ES2023 library does not declare it. */
type MayBeWellFormed = string & { isWellFormed(): boolean }

const ENCODER = new TextEncoder()
const DECODER = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8 and wipes the bytes. @throws KernelError 400 for bytes that are not UTF-8 */
export function decodeUtf8Plaintext(plaintext: Uint8Array): string {
  try {
    return DECODER.decode(plaintext)
  } catch {
    throw invalid('ciphertext: the decrypted data is not UTF-8')
  } finally {
    plaintext.fill(0)
  }
}

export const textCalls = (view: Pick<TransitApi, 'encrypt' | 'decrypt'>): TextCalls => ({
  async encryptText(args, options) {
    const text: unknown = args?.plaintext
    if (typeof text !== 'string') throw new TypeError('plaintext: must be a string')
    if (!(text as MayBeWellFormed).isWellFormed())
      throw new TypeError('plaintext: must be valid Unicode; it contains an unpaired surrogate')
    return view.encrypt({ ...args, plaintext: ENCODER.encode(text) }, options)
  },
  async decryptText(args, options) {
    const { plaintext, ...rest } = await view.decrypt(args, options)
    return { ...rest, plaintext: decodeUtf8Plaintext(plaintext) }
  },
})
