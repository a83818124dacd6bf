import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { CryptoBackend } from '../../core/crypto/backend.ts'
import { VerificationKeys } from '../../core/jwt/verification-keys.ts'

export interface ConfigRecord {
  /** The host as the request wrote it. */
  readonly host: string
  /** CA certificates in PEM; empty if the local certificates of the pod are used. */
  readonly ca_cert: string
  /** The token that authorizes reviews. If it is empty, the local token of the pod is used or, without a local token, the token that logs in. */
  readonly token_reviewer_jwt: string
  /** Public keys or certificates in PEM. */
  readonly pem_keys: readonly string[]
  readonly disable_local_ca_jwt: boolean
  readonly issuer: string
  readonly disable_iss_validation: boolean
}

/** The configuration, stored at `r/<mount>/config/orchestrator`. */
const CONFIG = /* @__PURE__ */ jsonRecord<ConfigRecord>({ folder: 'config' })
const ID = 'orchestrator'

export const findConfig = (tx: Tx): ConfigRecord | undefined => tx.get(CONFIG, ID)
export const putConfig = (tx: Tx, config: ConfigRecord): void => tx.put(CONFIG, ID, config)

const parsedKeys = new WeakMap<ConfigRecord, VerificationKeys>()

/** Returns the verification keys, parsed once per record object. @throws KernelError 400 if one of them is not a key */
export function verificationKeysOf(config: ConfigRecord, crypto: CryptoBackend): VerificationKeys {
  const keys = parsedKeys.get(config) ?? VerificationKeys.of(config.pem_keys, 'pem_keys', crypto)
  parsedKeys.set(config, keys)
  return keys
}
