/** The stored records of the audit log. */
import type { Entropy } from '../base/entropy.ts'
import { uuid } from '../base/identifiers.ts'
import { jsonRecord, type SecretKind } from '../contract/record-kind.ts'

/** A device that a request enabled, stored at `l/core/audit-device/<name>`. */
export interface DeviceRecord {
  /** The id of its secret and its chains. Random, so that a device that is enabled again under the same name has new ones. */
  readonly id: string
  readonly type: string
  readonly description: string
  readonly options: Readonly<Record<string, string>>
  readonly local: boolean
}
export const DEVICE = /* @__PURE__ */ jsonRecord<DeviceRecord>({ class: 'l', folder: 'audit-device', guarded: true })

/** The salt and the chain key, concatenated, of a device that a request enabled, stored at `l/core/audit-secret/<id of the device>/1`. */
export const DEVICE_SECRET: SecretKind = { class: 'l', folder: 'audit-secret', format: 1 }
/**
 * The salt and the chain key of a sink of the application, stored at `i/core/audit-secret/<name>/1`: the sink belongs to the application and so to
 * one store.
 */
export const SINK_SECRET: SecretKind = { class: 'i', folder: 'audit-secret', format: 1 }
export const SECRET_VERSION = 1
/** The text of a UUID. */
const SALT_BYTES = 36
const KEY_BYTES = 32

export function newAuditSecret(entropy: Entropy): Uint8Array {
  const secret = new Uint8Array(SALT_BYTES + KEY_BYTES)
  secret.set(new TextEncoder().encode(uuid(entropy.bytes(16))))
  secret.set(entropy.bytes(KEY_BYTES), SALT_BYTES)
  return secret
}

/** Views, not copies. */
export const partsOf = (secret: Uint8Array): { readonly salt: Uint8Array; readonly key: Uint8Array } => ({
  salt: secret.subarray(0, SALT_BYTES),
  key: secret.subarray(SALT_BYTES),
})

/**
 * The anchored end of a chain, at `i/core/audit-chain/<owner>/<chain>`. Entries after it could be removed unnoticed. A chain belongs to one
 * process, so its record never leaves the store. The owner is the id of a device or the name of a sink of the application.
 */
export interface ChainRecord {
  readonly number: number
  readonly mac: string
  /** Milliseconds since the epoch. */
  readonly began: number
  /** The chain's kernel was closed or sealed, so there are no more entries, except those that were being written at that time. */
  readonly ended?: true
}
export const CHAIN = /* @__PURE__ */ jsonRecord<ChainRecord>({ class: 'i', folder: 'audit-chain' })

/** A request header that is written to the log, stored at `r/core/audit-header/<lower-case name>`. */
export interface HeaderRecord {
  readonly hmac: boolean
}
export const HEADER = /* @__PURE__ */ jsonRecord<HeaderRecord>({ folder: 'audit-header', guarded: true })
