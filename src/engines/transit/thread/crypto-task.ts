/**
 * What a thread is told to do, and what it answers: items of one ring by one verb, in columns.
 */
import type { HashName } from '../../../core/crypto/backend.ts'
import type { BuiltInBackend } from '../../../core/crypto/built-in-backends.ts'
import type { KeyTypeName } from '../key-types/index.ts'
import type { SigningRules } from '../key-types/key-type.ts'
import type { PackedBytes } from './packed-bytes.ts'

/** `reseal` opens under one version and seals under another: the plaintext stays with the thread. */
export type CryptoVerb = 'seal' | 'open' | 'reseal' | 'sign' | 'verify' | 'mac'

export interface CryptoTask {
  readonly verb: CryptoVerb
  readonly backend: BuiltInBackend
  readonly type: KeyTypeName
  /** The versions that the items use, as `SharedBytes`. */
  readonly keys: readonly SharedArrayBuffer[]
  /** By key: the rule of its nonces, as in `Derivation`. */
  readonly convergent: readonly number[]
  /** By item: the index of its key. */
  readonly keyIndexes: readonly number[]
  /** By item: the index of the key to seal under; only for `reseal`. */
  readonly sealKeyIndexes: readonly number[]
  /** Plaintexts, or what is signed. */
  readonly inputs: PackedBytes | undefined
  /** Ciphertexts behind their version, base64. */
  readonly bodies: readonly string[]
  readonly associated: PackedBytes | undefined
  /** Only for derived rings, whose items all have one. */
  readonly contexts: PackedBytes | undefined
  readonly kdf: 0 | 1
  /** The caller's, where the item has one. */
  readonly nonces: PackedBytes | undefined
  readonly signatures: PackedBytes | undefined
  readonly rules: SigningRules | undefined
  /** Of HMACs. */
  readonly hash: HashName | undefined
}

/** By item 0: nothing was made of it, and the kernel finds out why. */
export const OUTCOME_FAILED = 0
export const OUTCOME_DONE = 1
/** A signature that is not right. */
export const OUTCOME_INVALID = 2

export interface CryptoTaskResult {
  /** {@link OUTCOME_FAILED}, {@link OUTCOME_DONE}, {@link OUTCOME_INVALID}. */
  readonly outcomes: Uint8Array
  /** Sealed bodies, base64; empty where nothing is sealed. */
  readonly texts: readonly string[]
  /** Plaintexts, signatures, HMACs. */
  readonly bytes: PackedBytes | undefined
  /** Of keys that were derived for their items. */
  readonly publicKeys: PackedBytes | undefined
}
