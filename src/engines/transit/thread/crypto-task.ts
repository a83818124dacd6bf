/**
 * The messages between the kernel and a worker thread. A task consists of items for one named key and one kind of computation. Most arrays
 * contain one value for each item, in the order of the items.
 */
import type { HashName } from '../../../core/crypto/backend.ts'
import type { BuiltInBackend } from '../../../core/crypto/built-in-backends.ts'
import type { KeyTypeName } from '../key-types/index.ts'
import type { SigningRules } from '../key-types/key-type.ts'
import type { PackedBytes } from './packed-bytes.ts'

/** `reseal` decrypts under one version and encrypts under another; the plaintext never leaves the thread. */
export type CryptoVerb = 'seal' | 'open' | 'reseal' | 'sign' | 'verify' | 'mac'

export interface CryptoTask {
  readonly verb: CryptoVerb
  readonly backend: BuiltInBackend
  readonly type: KeyTypeName
  /** The keys that the items use, one for each key version, as `SharedBytes`. */
  readonly keys: readonly SharedArrayBuffer[]
  /** Per key: the convergent version, as in `Derivation`. */
  readonly convergent: readonly number[]
  /** Per item: the index of its key. */
  readonly keyIndexes: readonly number[]
  /** Per item: the index of the key to encrypt under; only for `reseal`. */
  readonly sealKeyIndexes: readonly number[]
  /** Plaintexts, or the data to sign or authenticate. */
  readonly inputs: PackedBytes | undefined
  /** Base64 ciphertexts without prefix and version. */
  readonly bodies: readonly string[]
  readonly associated: PackedBytes | undefined
  /** The contexts of all items; undefined if the key is not derived. */
  readonly contexts: PackedBytes | undefined
  readonly kdf: 0 | 1
  /** Nonces that the caller supplied. */
  readonly nonces: PackedBytes | undefined
  readonly signatures: PackedBytes | undefined
  readonly rules: SigningRules | undefined
  /** The hash function of HMACs. */
  readonly hash: HashName | undefined
}

/** The item failed in the thread. The kernel repeats its computation to get the error. */
export const OUTCOME_FAILED = 0
export const OUTCOME_DONE = 1
/** The verification found a wrong signature. */
export const OUTCOME_INVALID = 2

export interface CryptoTaskResult {
  /** Per item: {@link OUTCOME_FAILED}, {@link OUTCOME_DONE} or {@link OUTCOME_INVALID}. */
  readonly outcomes: Uint8Array
  /** The encrypted bodies as base64; empty for verbs that do not encrypt. */
  readonly texts: readonly string[]
  /** The results as bytes: plaintexts, signatures or HMACs. */
  readonly bytes: PackedBytes | undefined
  /** The public keys of derived signing keys. */
  readonly publicKeys: PackedBytes | undefined
}
