/**
 * The texts of tokens and accessors, and the ids that they are stored under.
 */
import { toUtf8 } from '../../base/bytes.ts'
import type { Entropy } from '../../base/entropy.ts'
import { KernelError } from '../../base/errors.ts'
import { base62, toHex } from '../../base/identifiers.ts'
import { KernelService } from '../../contract/kernel-service.ts'
import { type NamespaceRecord, namespaceSuffix } from '../../contract/namespace.ts'
import type { CryptoBackend, MacKey } from '../../crypto/backend.ts'

const RANDOM_CHARACTERS = 24

/** Longer texts are no token: the largest possible batch token is shorter. Hashing what a caller sends costs time. */
export const MAX_TOKEN_CHARACTERS = 65_536

/** A service token: `s.` and 24 base62 characters, 142 bits; outside the root namespace with the namespace's suffix. */
export const newServiceToken = (entropy: Entropy, namespace: NamespaceRecord): string =>
  `s.${base62(entropy, RANDOM_CHARACTERS)}${namespaceSuffix(namespace)}`

export const newAccessor = (entropy: Entropy, namespace: NamespaceRecord): string =>
  base62(entropy, RANDOM_CHARACTERS) + namespaceSuffix(namespace)

/** The namespace id in a token or accessor: the part after its last dot, where there are two dots, or one in an accessor. */
export function suffixOf(text: string): string {
  const at = text.lastIndexOf('.')
  return at > 1 ? text.slice(at + 1) : ''
}

/** What ids of tokens are made with, of the kernel that an operation runs in. */
export const TOKEN_SALT = /* @__PURE__ */ new KernelService<TokenSalt>()

/** Keyed hash of tokens and accessors: a reader of the store learns neither, and cannot test guesses. */
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

  /** `h` and 64 hexadecimal digits. */
  id(text: string): string {
    if (!this.#mac) throw new KernelError('ERR_SEALED', 'the kernel is sealed')
    return `h${toHex(this.#mac.mac(toUtf8(text)))}`
  }
}
