/** The operation at `sys/version-history`, as in Vault. */
import { VERSION } from '../../core/base/version.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'

export interface VersionInfo {
  readonly build_date: string
  readonly previous_version: string | null
  readonly timestamp_installed: string | null
}

export const listVersionHistory = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/version-history',
  summary: 'Lists only the running release of strongroom, because the store does not record earlier releases.',
  fields: {},
  returns: {
    keys: f.json<readonly string[]>('The running version.', { type: 'array' }),
    key_info: f.json<Readonly<Record<string, VersionInfo>>>('The details of the version, keyed by the version.'),
  },
  run: () => ({
    keys: [VERSION],
    key_info: { [VERSION]: { build_date: '', previous_version: null, timestamp_installed: null } },
  }),
})
