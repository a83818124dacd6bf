/**
 * Counts the encryptions with random 96-bit nonces per key version. After 2^32 of them the probability of a repeated nonce is no longer
 * negligible (NIST SP 800-38D section 8.3), and a repeated nonce reveals the authentication key of GCM and Poly1305.
 *
 * All encryptions under a derived key count toward its key version, because all of them could use the same context, and so the same key.
 */
import type { CounterKind, Reserved } from '../../core/contract/counter.ts'
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { keyType } from './key-types/index.ts'
import { MATERIAL, type Ring, usableVersionNumbers } from './ring.ts'

const LIMIT = 2 ** 32

/**
 * The counter has the record class `l`, which performance secondaries do not get, so every cluster counts its own encryptions. The limit
 * applies to the sum over all clusters.
 */
export const ENCRYPTIONS: CounterKind = {
  record: /* @__PURE__ */ jsonRecord<Reserved>({ class: 'l', folder: 'encryptions' }),
  of: MATERIAL,
  limit: LIMIT,
  warnFrom: (LIMIT / 8) * 7,
  near: 'this key version is near the limit of 2^32 encryptions with random nonces; rotate the key',
  spent: 'key_version: this version has reached the limit of 2^32 encryptions with random nonces; rotate the key',
}

export const countsEncryptions = (ring: Ring): boolean =>
  keyType(ring.type).encryptor?.counted === true && !ring.convergent_encryption

/** The number of encryptions by usable version; undefined for keys whose encryptions are not counted. */
export function showEncryptions(tx: Tx, ring: Ring): Readonly<Record<string, number>> | undefined {
  if (!countsEncryptions(ring)) return undefined
  const usable = usableVersionNumbers(ring)
  const counts = tx.useCounts(ENCRYPTIONS, ring.id, usable)
  return Object.fromEntries(usable.map((version, index) => [version, counts[index] as number]))
}
