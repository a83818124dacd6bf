/** DELETE sys/audit/:path, as in Vault. */
import { AUDIT } from '../../core/audit/audit.ts'
import { CHAIN, DEVICE, DEVICE_SECRET, SECRET_VERSION } from '../../core/audit/records.ts'
import { invalid } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import { DEVICE_PATH, deviceName } from './device-path.ts'

/**
 * The maximum number of chain records that this commit deletes. A process keeps at most a few hundred. Further records stay in the store:
 * they are small, and no other record refers to them.
 */
const PER_COMMIT = 64

/** @throws KernelError 400 if the device is a sink that the application configured. */
export const disableDevice = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/audit/+path',
  sudo: true,
  rootOnly: true,
  summary:
    'Disables a device that was enabled by request. Deletes its salt, so hashes in its log can no longer be compared with values.',
  fields: { path: DEVICE_PATH },
  returns: {},
  run: (tx, { path }) => {
    const name = deviceName(path)
    if (AUDIT.of(tx).given.has(name)) throw invalid(`path: ${name}/ is a sink of the application and cannot be disabled`)
    const record = tx.get(DEVICE, name)
    if (!record) return undefined
    tx.delete(DEVICE, name)
    tx.event('audit.disabled', { path: `${name}/` })
    tx.deleteSecret(DEVICE_SECRET, record.id, SECRET_VERSION)
    for (const chain of tx.listAbandoned(CHAIN, `${record.id}/`, PER_COMMIT)) tx.delete(CHAIN, `${record.id}/${chain}`)
    return undefined
  },
})
