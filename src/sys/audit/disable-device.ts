/**
 * DELETE sys/audit/:path (source: behaviour of the originals).
 */
import { AUDIT } from '../../core/audit/audit.ts'
import { CHAIN, DEVICE, DEVICE_SECRET, SECRET_VERSION } from '../../core/audit/records.ts'
import { invalid } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import { deviceName, PATH } from './device-path.ts'

/** A process keeps at most a few hundred chains; records beyond one commit are small, and nothing refers to them. */
const PER_COMMIT = 64

export const disableDevice = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/audit/+path',
  sudo: true,
  rootOnly: true,
  summary: 'Ends a device that was enabled by request. Its salt goes with it: nobody can compare its hashes any more.',
  fields: { path: PATH },
  returns: {},
  run: (tx, { path }) => {
    const name = deviceName(path)
    if (AUDIT.of(tx).given.has(name)) throw invalid(`path: ${name}/ is a sink that the application gave: it cannot be disabled`)
    const record = tx.get(DEVICE, name)
    if (!record) return undefined
    tx.delete(DEVICE, name)
    tx.event('audit.disabled', { path: `${name}/` })
    tx.deleteSecret(DEVICE_SECRET, record.id, SECRET_VERSION)
    for (const chain of tx.leftovers(CHAIN, `${record.id}/`, PER_COMMIT)) tx.delete(CHAIN, `${record.id}/${chain}`)
    return undefined
  },
})
