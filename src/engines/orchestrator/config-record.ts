/** The stored configuration: the orchestrator's address, and the keys that verify its tokens. */
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { CryptoBackend } from '../../core/crypto/backend.ts'
import { VerificationKeys } from '../../core/jwt/keys.ts'

export interface ConfigRecord {
  /** In the form in which it was written. */
  readonly host: string
  /** PEM, or empty. */
  readonly ca_cert: string
  /** Empty: the local token, or else the token that logs in. */
  readonly token_reviewer_jwt: string
  /** PEM of public keys or certificates. */
  readonly pem_keys: readonly string[]
  readonly disable_local_ca_jwt: boolean
  readonly issuer: string
  readonly disable_iss_validation: boolean
}

/** At `r/<mount>/config/orchestrator`. */
const CONFIG = /* @__PURE__ */ jsonRecord<ConfigRecord>({ folder: 'config' })
const ID = 'orchestrator'

export const findConfig = (tx: Tx): ConfigRecord | undefined => tx.get(CONFIG, ID)
export const putConfig = (tx: Tx, config: ConfigRecord): void => tx.put(CONFIG, ID, config)

const parsedKeys = new WeakMap<ConfigRecord, VerificationKeys>()

/** Parsed once per record. @throws KernelError 400 for text that is no key */
export function verificationKeysOf(config: ConfigRecord, crypto: CryptoBackend): VerificationKeys {
  const keys = parsedKeys.get(config) ?? VerificationKeys.of(config.pem_keys, 'pem_keys', crypto)
  parsedKeys.set(config, keys)
  return keys
}
