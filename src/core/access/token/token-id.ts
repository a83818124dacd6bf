/** The formats of tokens and accessors, and the keyed hashes under which their records are stored. */
import { toUtf8 } from '../../base/bytes.ts'
import type { Entropy } from '../../base/entropy.ts'
import { KernelError } from '../../base/errors.ts'
import { base62, toHex } from '../../base/identifiers.ts'
import { KernelService } from '../../contract/kernel-service.ts'
import { type NamespaceRecord, namespaceSuffix } from '../../contract/namespace.ts'
import type { CryptoBackend, MacKey } from '../../crypto/backend.ts'

const RANDOM_CHARACTERS = 24

/**
 * The maximum length of a token; the largest possible batch token is shorter. Longer strings are refused before they are hashed, because
 * hashing takes time.
 */
export const MAX_TOKEN_CHARACTERS = 65_536

/** Creates a service token: `s.`, 24 base62 characters (142 bits) and the namespace's suffix. The root namespace has no suffix. */
export const newServiceToken = (entropy: Entropy, namespace: NamespaceRecord): string =>
  `s.${base62(entropy, RANDOM_CHARACTERS)}${namespaceSuffix(namespace)}`

export const newAccessor = (entropy: Entropy, namespace: NamespaceRecord): string =>
  base62(entropy, RANDOM_CHARACTERS) + namespaceSuffix(namespace)

/** Creates a cubbyhole id: the folder of a token's private data. */
export const newCubbyholeId = (entropy: Entropy): string => base62(entropy, RANDOM_CHARACTERS)

/**
 * The namespace id in a token or accessor: the part after the last dot. It is empty for a token with only one dot and for an accessor
 * without a dot.
 */
export function suffixOf(text: string): string {
  const at = text.lastIndexOf('.')
  return at > 1 ? text.slice(at + 1) : ''
}

/** The token salt of the current kernel. */
export const TOKEN_SALT = /* @__PURE__ */ new KernelService<TokenSalt>()

/** Computes keyed hashes of tokens and accessors. Without the key, the hashes can neither be reversed nor compared with guesses. */
export class TokenSalt {
  #mac: MacKey | undefined

  load(crypto: CryptoBackend, salt: Uint8Array): void {
    this.forget()
    this.#mac = crypto.hmac('sha2-256', salt)
  }

  forget(): void {
    this.#mac?.wipe()
    this.#mac = undefined
  }

  /** Returns `h` followed by 64 hexadecimal digits. */
  id(text: string): string {
    if (!this.#mac) throw new KernelError('ERR_SEALED', 'the kernel is sealed')
    return `h${toHex(this.#mac.mac(toUtf8(text)))}`
  }
}
