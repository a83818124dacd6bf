/**
 * The root token: the one token of a kernel so far. Room: core/auth. Imported by the path view and the lifecycle.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { toUtf8 } from '../bytes.ts'
import { equalBytes } from '../crypto/equal.ts'
import type { Entropy } from '../entropy.ts'
import { KernelError } from '../errors.ts'
import { base62, toHex } from '../identifiers.ts'
import { jsonRecord } from '../transaction/record-kind.ts'
import { type Principal, ROOT } from './principal.ts'

interface RootTokenRecord {
  /** SHA-256 in hex. The token itself is shown once and kept nowhere. */
  readonly hash: string
}

export const ROOT_TOKEN = /* @__PURE__ */ jsonRecord<RootTokenRecord>({ folder: 'token' })
export const ROOT_TOKEN_ID = 'root'

const TOKEN_CHARACTERS = 24

/** A service token: `s.` and 24 base62 characters, 142 bits. */
export const newToken = (entropy: Entropy): string => `s.${base62(entropy, TOKEN_CHARACTERS)}`

export const hashToken = (token: string): string => toHex(sha256(toUtf8(token)))

/**
 * Looks tokens up. Compared are hashes, in constant time, so that the time tells nothing about how near a guess came. The text that was
 * right before is remembered while the kernel is open: comparing it, in constant time too, costs a fiftieth of hashing it.
 */
export class Tokens {
  #root: Uint8Array | undefined
  #known: string | undefined

  load(root: RootTokenRecord): void {
    this.forget()
    this.#root = Uint8Array.from(Buffer.from(root.hash, 'hex'))
  }

  forget(): void {
    this.#root = undefined
    this.#known = undefined
  }

  /** @throws KernelError 403 for no token and for a wrong one alike. */
  authenticate(token: string | undefined): Principal {
    if (token && this.#known !== undefined && equalText(token, this.#known)) return ROOT
    const hash = sha256(toUtf8(token ?? ''))
    if (!token || !this.#root || !equalBytes(hash, this.#root))
      throw new KernelError('ERR_PERMISSION_DENIED', 'permission denied')
    this.#known = token
    return ROOT
  }
}

/** Takes the same time wherever the texts differ; that their lengths differ is no secret. */
function equalText(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
