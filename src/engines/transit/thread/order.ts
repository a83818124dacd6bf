/**
 * What a thread is told to do, and what it answers: items of one ring by one verb, in columns.
 */
import type { HashName } from '../../../core/crypto/backend.ts'
import type { OwnBackend } from '../../../core/crypto/own-backends.ts'
import type { KeyTypeName } from '../key-types/index.ts'
import type { SigningRules } from '../key-types/key-type.ts'
import type { Packed } from './packed.ts'

/** `reseal` opens under one version and seals under another: the plaintext stays with the thread. */
export type Verb = 'seal' | 'open' | 'reseal' | 'sign' | 'verify' | 'mac'

export interface Order {
  readonly verb: Verb
  readonly backend: OwnBackend
  readonly type: KeyTypeName
  /** The versions that the items use, as `SharedBytes`. */
  readonly keys: readonly SharedArrayBuffer[]
  /** By key: the rule of its nonces, as in `Derivation`. */
  readonly convergent: readonly number[]
  /** By item: the index of its key. */
  readonly under: readonly number[]
  /** By item: the index of the key to seal under; only for `reseal`. */
  readonly to: readonly number[]
  /** Plaintexts, or what is signed. */
  readonly inputs: Packed | undefined
  /** Ciphertexts behind their version, base64. */
  readonly bodies: readonly string[]
  readonly associated: Packed | undefined
  /** Only for derived rings, whose items all have one. */
  readonly contexts: Packed | undefined
  readonly kdf: 0 | 1
  /** The caller's, where the item has one. */
  readonly nonces: Packed | undefined
  readonly signatures: Packed | undefined
  readonly rules: SigningRules | undefined
  /** Of HMACs. */
  readonly hash: HashName | undefined
}

/** By item 0: nothing was made of it, and the kernel finds out why. */
export const NOTHING = 0
export const MADE = 1
/** A signature that is not right. */
export const WRONG = 2

export interface Answer {
  /** {@link NOTHING}, {@link MADE}, {@link WRONG}. */
  readonly done: Uint8Array
  /** Sealed bodies, base64; empty where nothing is sealed. */
  readonly texts: readonly string[]
  /** Plaintexts, signatures, HMACs. */
  readonly bytes: Packed | undefined
  /** Of keys that were derived for their items. */
  readonly publicKeys: Packed | undefined
}
