/** GET sys/audit, as in Vault. */
import { AUDIT } from '../../core/audit/audit.ts'
import { DEVICE } from '../../core/audit/records.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { loadAllInGroups } from '../../core/transaction/load-all.ts'

export interface AuditDevice {
  /** The type; `sink` for a sink of the application. */
  readonly type: string
  /** A human-readable description. */
  readonly description: string
  /** The options in the request that enabled the device; empty for a sink of the application. */
  readonly options: Readonly<Record<string, string>>
  /** Whether the device exists on this cluster only. */
  readonly local: boolean
  /** The path with a trailing slash. */
  readonly path: string
}

/** @throws no errors of its own. */
export const listDevices = operation({
  kind: 'read',
  verb: 'GET',
  path: '/audit',
  sudo: true,
  rootOnly: true,
  summary: 'Lists the audit devices.',
  fields: {},
  returns: { devices: f.json<Readonly<Record<string, AuditDevice>>>('The devices by path, with a trailing slash.') },
  wire: ({ devices }) => ({ data: devices, repeated: true }),
  run: (tx) => {
    const devices: Record<string, AuditDevice> = {}
    for (const [name, { description = '' }] of AUDIT.of(tx).given)
      devices[`${name}/`] = { type: 'sink', description, options: {}, local: true, path: `${name}/` }
    const names = tx.list(DEVICE)
    const records = loadAllInGroups(tx, 'devices', names, (name) => tx.get(DEVICE, name))
    names.forEach((name, index) => {
      const record = records[index]
      if (!record) return
      const { type, description, options, local } = record
      devices[`${name}/`] = { type, description, options: { ...options }, local, path: `${name}/` }
    })
    return { devices }
  },
})
