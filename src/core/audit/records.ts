/** The records in which the audit log stores its devices, secrets and chains. */
import type { Entropy } from '../base/entropy.ts'
import { uuid } from '../base/identifiers.ts'
import { type CoreSecretKind, coreRecord } from '../contract/core-record.ts'

/** A device that a request enabled, stored at `l/core/audit-device/<name>`. */
export interface DeviceRecord {
  /**
   * The id under which the device's secret and chains are stored. It is random: if a device is disabled and another device is enabled under
   * the same name, the new device has a new secret and new chains.
   */
  readonly id: string
  readonly type: string
  readonly description: string
  readonly options: Readonly<Record<string, string>>
  readonly local: boolean
}
export const DEVICE = /* @__PURE__ */ coreRecord<DeviceRecord>({ class: 'l', folder: 'audit-device', guarded: true })

/** The salt of a device that a request enabled, followed by its chain key. Stored at `l/core/audit-secret/<id of the device>/1`. */
export const DEVICE_SECRET: CoreSecretKind = { class: 'l', folder: 'audit-secret', format: 1 }
/**
 * The salt of a sink of the application, followed by its chain key. Stored at `i/core/audit-secret/<name>/1`. The record class is `i` (not
 * replicated), because the applications of other clusters have sinks of their own.
 */
export const SINK_SECRET: CoreSecretKind = { class: 'i', folder: 'audit-secret', format: 1 }
export const SECRET_VERSION = 1
/** The salt is the text of a UUID. */
const SALT_BYTES = 36
const KEY_BYTES = 32

export function newAuditSecret(entropy: Entropy): Uint8Array {
  const secret = new Uint8Array(SALT_BYTES + KEY_BYTES)
  secret.set(new TextEncoder().encode(uuid(entropy.bytes(16))))
  secret.set(entropy.bytes(KEY_BYTES), SALT_BYTES)
  return secret
}

/** The parts of a secret, as views of its bytes. Nothing is copied. */
export const partsOf = (secret: Uint8Array): { readonly salt: Uint8Array; readonly key: Uint8Array } => ({
  salt: secret.subarray(0, SALT_BYTES),
  key: secret.subarray(SALT_BYTES),
})

/**
 * The anchor of a chain: its last known entry. Later entries could be removed from the log unnoticed. Stored at
 * `i/core/audit-chain/<owner>/<chain>`; the owner is the id of a device or the name of a sink of the application. The record class is `i`
 * (not replicated), because a chain belongs to one process.
 */
export interface ChainRecord {
  readonly number: number
  readonly mac: string
  /** When the chain began, in milliseconds since the epoch. */
  readonly began: number
  /** The kernel that wrote the chain was closed or sealed. No entries follow, except entries that were being written at that time. */
  readonly ended?: true
}
export const CHAIN = /* @__PURE__ */ coreRecord<ChainRecord>({ class: 'i', folder: 'audit-chain' })

/** A request header that is logged, stored at `r/core/audit-header/<lower-case name>`. */
export interface HeaderRecord {
  readonly hmac: boolean
}
export const HEADER = /* @__PURE__ */ coreRecord<HeaderRecord>({ folder: 'audit-header', guarded: true })
