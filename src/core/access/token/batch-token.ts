/**
 * Batch tokens. A batch token has no record in the store: the token is the encrypted record.
 *
 * Format: `b.`, then in base64url a nonce of 24 bytes and the record encrypted with XChaCha20-Poly1305, then the namespace's suffix. The
 * key is replicated, so batch tokens without a parent are valid on every cluster.
 */
import { fromUtf8, toUtf8 } from '../../base/bytes.ts'
import { deepFreeze } from '../../base/state.ts'
import { texts } from '../../base/texts.ts'
import type { CoreSecretKind } from '../../contract/core-record.ts'
import { type NamespaceRecord, namespaceSuffix } from '../../contract/namespace.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import type { AeadKey, CryptoBackend } from '../../crypto/backend.ts'
import { RANDOM_NONCE_BYTES, randomNonceAead } from '../../crypto/random-nonce.ts'
import { MAX_TOKEN_CHARACTERS } from './token-id.ts'

/** Stored at `r/core/batch-key/token/1`: 32 random bytes, created when the store is initialized. */
export const BATCH_KEY: CoreSecretKind = { class: 'r', folder: 'batch-key', format: 1 }

export const BATCH_KEY_OWNER = 'token'

export const BATCH_KEY_BYTES = 32

const PREFIX = 'b.'

const AAD = /* @__PURE__ */ toUtf8('strongroom batch token v1')

const NONCE_BYTES = RANDOM_NONCE_BYTES

export const isBatchToken = (text: string): boolean => text.startsWith(PREFIX)

export function sealBatchToken(tx: Tx, record: TokenRecord, namespace: NamespaceRecord): string {
  const key = batchKey(tx)
  const plain = toUtf8(JSON.stringify(record))
  const out = new Uint8Array(NONCE_BYTES + plain.length + 16)
  const nonce = tx.env.entropy.bytes(NONCE_BYTES)
  out.set(nonce)
  key.seal(nonce, plain, AAD, out, NONCE_BYTES)
  return PREFIX + texts.base64url(out) + namespaceSuffix(namespace)
}

/** Undefined if the string is not a batch token that this store created. */
export function openBatchToken(tx: Tx, text: string): TokenRecord | undefined {
  if (text.length > MAX_TOKEN_CHARACTERS) return undefined
  const [, body = ''] = text.split('.', 2)
  const sealed = texts.fromBase64(body)
  // Decoding skips characters that are not in the base64url alphabet, so several strings decode to the same bytes. Accept only the string
  // that encoding produces.
  if (sealed.length < NONCE_BYTES + 16 || texts.base64url(sealed) !== body) return undefined
  const plain = batchKey(tx).open(sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES), AAD)
  return plain && deepFreeze(JSON.parse(fromUtf8(plain)) as TokenRecord)
}

function batchKey(tx: Tx): AeadKey {
  const key = tx.secret(BATCH_KEY, BATCH_KEY_OWNER, 1, openKey, tx.env.crypto)
  if (!key) throw new TypeError('the store has no key for batch tokens')
  return key
}

const openKey = (bytes: Uint8Array, crypto: CryptoBackend): AeadKey => randomNonceAead(crypto, bytes)
