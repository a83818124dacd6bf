import { formatGoSeconds } from '../../../core/base/go-duration.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { maxVersions, signedDeleteAfter } from './fields.ts'
import { configOf } from './key.ts'
import { KV_CONFIG, KV_CONFIG_ID } from './records.ts'

/** @throws no errors of its own. */
export const readConfig = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config',
  summary: 'Shows the settings of the mount.',
  fields: {},
  returns: {
    max_versions: f.int(
      'How many of the latest versions of each secret are kept; 0 means 10. A higher setting of the secret takes precedence.',
    ),
    cas_required: f.bool('Whether all writes require `options.cas`.'),
    metadata_cas_required: f.bool('Whether all writes of settings require `metadata_cas`.'),
    delete_version_after: f.text(
      'The age at which versions are deleted automatically; `0s` means that the setting of each secret applies; `-1s` means never.',
    ),
  },
  run: (tx) => {
    const config = configOf(tx)
    return { ...config, delete_version_after: formatGoSeconds(config.delete_version_after) }
  },
})

/** @throws KernelError 400 if `max_versions` is above 2^32 - 1, or if `delete_version_after` is longer than 292 years. */
export const configure = operation({
  kind: 'write',
  verb: 'POST',
  path: '/config',
  forwardable: true,
  summary: 'Sets the defaults of the mount. Omitted settings are unchanged.',
  fields: {
    max_versions: maxVersions('How many of the latest versions of each secret are kept; 0 means 10.').optional(),
    cas_required: f.bool('Whether all writes require `options.cas`.').optional(),
    metadata_cas_required: f.bool('Whether all writes of settings require `metadata_cas`.').optional(),
    delete_version_after: signedDeleteAfter(
      'The age at which versions are deleted automatically; a lower setting of the secret takes precedence. 0 means that the setting of the secret applies; a negative value means never.',
    ).optional(),
  },
  returns: {},
  run: (tx, input) => {
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
    if (Object.keys(given).length > 0) tx.put(KV_CONFIG, KV_CONFIG_ID, { ...configOf(tx), ...given })
    return undefined
  },
})
