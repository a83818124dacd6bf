/**
 * The stored records of the audit log.
 */
import type { Entropy } from '../base/entropy.ts'
import { uuid } from '../base/identifiers.ts'
import { jsonRecord, type SecretKind } from '../contract/record-kind.ts'

/** A device that was enabled by request, at `l/core/audit-device/<name>`. */
export interface DeviceRecord {
  /** Names its secret and its chains; random, so that a device made again under the same name has others. */
  readonly id: string
  readonly type: string
  readonly description: string
  readonly options: Readonly<Record<string, string>>
  readonly local: boolean
}
export const DEVICE = /* @__PURE__ */ jsonRecord<DeviceRecord>({ class: 'l', folder: 'audit-device', guarded: true })

/**
 * Salt of the values and key of the chain, one after the other, of a device that was enabled by request: at
 * `l/core/audit-secret/<its id>/1`, with the device.
 */
export const DEVICE_SECRET: SecretKind = { class: 'l', folder: 'audit-secret', format: 1 }
/** The same of a sink that the application gave, at `i/core/audit-secret/<its name>/1`: it is the application's, and so of one store. */
export const SINK_SECRET: SecretKind = { class: 'i', folder: 'audit-secret', format: 1 }
export const SECRET_VERSION = 1
/** A UUID as text. */
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
 * How far a chain is known to reach, at `i/core/audit-chain/<owner>/<chain>`: later entries could be cut off unnoticed. A chain is that of
 * one process, so it never leaves the store. The owner is a device's id, or the name of a sink that the application gave.
 */
export interface ChainRecord {
  readonly number: number
  readonly mac: string
  /** Milliseconds. */
  readonly began: number
  /** Its kernel was closed or sealed: the chain has no more entries, except those under way then. */
  readonly ended?: true
}
export const CHAIN = /* @__PURE__ */ jsonRecord<ChainRecord>({ class: 'i', folder: 'audit-chain' })

/** A request header that is written to the log, at `r/core/audit-header/<lower-case name>`. */
export interface HeaderRecord {
  readonly hmac: boolean
}
export const HEADER = /* @__PURE__ */ jsonRecord<HeaderRecord>({ folder: 'audit-header', guarded: true })
