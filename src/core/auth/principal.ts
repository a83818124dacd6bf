/**
 * Who asks. The typed API speaks with the embedding application's own authority; `handle()` with that of a token.
 * Room: core/auth. Imported by the path view; tokens and policies join here.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { toUtf8 } from '../bytes.ts'
import { equalBytes } from '../crypto/equal.ts'
import type { Entropy } from '../entropy.ts'
import { KernelError } from '../errors.ts'
import { jsonRecord } from '../transaction/record-kind.ts'

/** A caller whose token was found. What it may do is decided per path and operation. */
export interface Principal {
  readonly name: string
  /** Refuses with KernelError 403. `operation` is the ACL's word for what is asked. */
  authorize(operation: 'read' | 'list' | 'create' | 'update' | 'delete', path: string): void
}

/** The token that may do everything, by the hash of its id. */
export interface RootTokenRecord {
  /** SHA-256 in hex. The token itself is shown once and kept nowhere. */
  readonly hash: string
}

export const ROOT_TOKEN = /* @__PURE__ */ jsonRecord<RootTokenRecord>({ class: 'r', folder: 'token' })
export const ROOT_TOKEN_ID = 'root'

const ROOT: Principal = { name: 'root', authorize: () => {} }

/** Looks tokens up without telling by its time how near a guess came. */
export class Tokens {
  #root: Uint8Array | undefined

  load(root: RootTokenRecord): void {
    this.#root = Uint8Array.from(root.hash.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  }

  /** @throws KernelError 403 for no token and for a wrong one alike. */
  authenticate(token: string | undefined): Principal {
    const hash = sha256(toUtf8(token ?? ''))
    if (token && this.#root && equalBytes(hash, this.#root)) return ROOT
    throw new KernelError('ERR_PERMISSION_DENIED', 'permission denied')
  }
}

export const hashToken = (token: string): string =>
  Array.from(sha256(toUtf8(token)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const TOKEN_CHARACTERS = 24

/** A service token: `s.` and 24 base62 characters, each equally likely. */
export function newToken(entropy: Entropy): string {
  return `s.${base62(entropy, TOKEN_CHARACTERS)}`
}

/** `length` characters, each equally likely: bytes of 248 and above would favour the first ones. */
export function base62(entropy: Entropy, length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of entropy.bytes(length)) if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
  }
  return text
}
