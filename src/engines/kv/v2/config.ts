/**
 * GET and POST config (source: behaviour of the originals).
 */
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { durationText } from './duration-text.ts'
import { maxVersions, signedDeleteAfter } from './fields.ts'
import { configOf } from './key.ts'
import { CONFIG, CONFIG_ID } from './records.ts'

export const readConfig = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config',
  summary: 'Shows the settings of the mount.',
  fields: {},
  returns: {
    max_versions: f.int('How many versions of each secret are kept at least; 0: 10, where a key says nothing else.'),
    cas_required: f.bool('Whether all writes need `options.cas`.'),
    metadata_cas_required: f.bool('Whether all writes of settings need `metadata_cas`.'),
    delete_version_after: f.text('After what time versions delete themselves; `0s`: as their key says, `-1s`: never.'),
  },
  run: (tx) => {
    const config = configOf(tx)
    return { ...config, delete_version_after: durationText(config.delete_version_after) }
  },
})

export const configure = operation({
  kind: 'write',
  verb: 'POST',
  path: '/config',
  forwardable: true,
  summary: 'Sets what holds for all secrets of the mount; what is not given stays.',
  fields: {
    max_versions: maxVersions('How many versions of each secret are kept at least; 0: 10.').optional(),
    cas_required: f.bool('Whether all writes need `options.cas`.').optional(),
    metadata_cas_required: f.bool('Whether all writes of settings need `metadata_cas`.').optional(),
    delete_version_after: signedDeleteAfter(
      'After what time versions delete themselves, unless their key says less; 0: as the key says, negative: never.',
    ).optional(),
  },
  returns: {},
  run: (tx, input) => {
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
    if (Object.keys(given).length > 0) tx.put(CONFIG, CONFIG_ID, { ...configOf(tx), ...given })
    return undefined
  },
})
