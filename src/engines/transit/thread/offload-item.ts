import type { HashName } from '../../../core/crypto/backend.ts'
import type { Derivation, SigningRules } from '../key-types/key-type.ts'
import type { VersionKey } from '../material.ts'

/** The inputs of one item. */
export interface OffloadItem {
  readonly key: VersionKey
  readonly derivation: Derivation | undefined
  /** A plaintext, or the data to sign or authenticate. */
  readonly input?: Uint8Array | undefined
  /** A base64 ciphertext without prefix and version. */
  readonly body?: string | undefined
  readonly associatedData?: Uint8Array | undefined
  readonly nonce?: Uint8Array | undefined
  readonly signature?: Uint8Array | undefined
}

/** Parameters that all items share. */
export interface OffloadParameters {
  readonly rules?: SigningRules
  readonly hash?: HashName
}
