/** POST sys/audit-hash/:path, as in Vault. */
import { AUDIT } from '../../core/audit/audit.ts'
import { invalid, notFound } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { DEVICE_PATH, deviceName } from './device-path.ts'

/** @throws KernelError 400 if the device does not exist, or if `input` is empty. */
export const hash = operation({
  kind: 'read',
  verb: 'POST',
  path: '/audit-hash/+path',
  rootOnly: true,
  summary: 'Returns the hash by which the log of a device represents a value, so that you can search the log for the value.',
  fields: { path: DEVICE_PATH, input: f.text('The value.').needed('') },
  returns: { hash: f.text('`hmac-sha256:` and 64 hexadecimal digits.') },
  wire: (data) => ({ data, repeated: true }),
  run: (tx, { path, input }) => {
    if (input === '') throw invalid('the "input" parameter is empty')
    const name = deviceName(path)
    const device = AUDIT.of(tx).device(name)
    if (!device) throw notFound(`unknown audit backend "${name}/"`, 400)
    return { hash: device.salted.text(input) }
  },
})
