/** sys/mounts/:path/tune, sys/auth/:path/tune and sys/mounts/auth/:path/tune, as in Vault. */

import { invalid, notFound } from '../../core/base/errors.ts'
import { effectiveTtl, isAuth, type MountConfig, type MountRecord, mountKind } from '../../core/contract/mount-record.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { Builder, Parsed } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { guardedTables } from '../../core/mount/guarded-tables.ts'
import type { Mount } from '../../core/mount/mount.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { checkVersion, withVersion } from './engine-version.ts'
import { authPath, secretPath, shown } from './mount-path.ts'
import { mountAt, mountEvent, storeMount } from './mount-record.ts'
import { TUNING, withMountSettings } from './mount-settings.ts'
import { AUTH_PATH, SECRET_PATH } from './read-mounts.ts'

type Options = Readonly<Record<string, string>>

const RESULT = {
  default_lease_ttl: f.int('The effective default lifetime, in seconds.'),
  max_lease_ttl: f.int('The effective maximum lifetime, in seconds.'),
  description: f.text('For people.'),
  force_no_cache: f.bool('The stored setting.'),
  options: f.json<Options>('Options of the engine, if it has any.').optional(),
  audit_non_hmac_request_keys: f.list('The stored setting; absent if no request has set it.').optional(),
  audit_non_hmac_response_keys: f.list('The stored setting; absent if no request has set it.').optional(),
  listing_visibility: (
    f.text('The stored setting; absent if no request has set it.') as Builder<NonNullable<MountConfig['listing_visibility']>>
  ).optional(),
  passthrough_request_headers: f.list('The stored setting; absent if no request has set it.').optional(),
  allowed_response_headers: f.list('The stored setting; absent if no request has set it.').optional(),
  token_type: (
    f.text('For auth methods: the type of the tokens that they create.') as Builder<NonNullable<MountConfig['token_type']>>
  ).optional(),
}

const FIELDS = {
  description: f.text('For people.').optional(),
  ...TUNING,
  options: f
    .pairs('Options of the engine. Options that the request omits are kept; an empty string removes an option.')
    .optional(),
}

const missing = (path: string) => notFound(`path: no mount at ${shown(path)}`, 400)

function read(tx: Tx, path: string) {
  const mount = mountAt(TOPOLOGY.of(tx), tx.call.namespace, path)
  if (!mount) throw missing(path)
  const { config, description, options } = mount.record
  const { fallback, max } = effectiveTtl(mount.record)
  const given = options && Object.keys(options).length > 0 ? { options } : {}
  return { ...config, default_lease_ttl: fallback, max_lease_ttl: max, description, ...given }
}

type Tuning = Parsed<typeof FIELDS>

function tune(tx: Tx, path: string, tuning: Tuning): undefined {
  const tables = guardedTables(tx)
  const mount = mountAt(tables, tx.call.namespace, path)
  const before = mount && tx.get(mountKind(mount.record), mount.record.uuid)
  if (!mount || !before) throw missing(path)
  checkTunable(mount, tuning)
  const after = tuned(before, tuning)
  checkVersion(mount.engine.type, after.options ?? {})
  if (JSON.stringify(after) === JSON.stringify(before)) return undefined
  storeMount(tx, withVersion(tx, before, after))
  tx.event('mount.tuned', mountEvent(after))
  return undefined
}

/**
 * @throws KernelError 400 if the mount is one of the kernel's own and does not have one of the settings, or if `token_type` is given for a
 * secrets engine or for the built-in mount `auth/token/`.
 */
function checkTunable({ record, engine }: Mount, tuning: Tuning): void {
  if (tuning.token_type !== undefined && (!isAuth(record) || engine.mounts === 'system'))
    throw invalid("token_type: 'token_type' can only be modified on auth mounts other than that of tokens")
  if (engine.mounts !== 'system' || isAuth(record)) return
  for (const [name, value] of Object.entries(tuning))
    if (value !== undefined && !name.startsWith('audit_'))
      throw invalid(`${name}: cannot tune parameter ${name} of ${record.path}`)
}

function tuned(record: MountRecord, { description, options, ...settings }: Tuning): MountRecord {
  const config: MountConfig = withMountSettings(record.config, settings)
  return { ...record, config, description: description ?? record.description, options: withOptions(record.options, options) }
}

function withOptions(before: Options | null, given: Options | undefined): Options | null {
  if (!given) return before
  return Object.fromEntries(Object.entries({ ...before, ...given }).filter(([, value]) => value !== ''))
}

/** @throws KernelError 400 if nothing is mounted at the path. */
export const readMountTuning = operation({
  kind: 'read',
  verb: 'GET',
  path: '/mounts/+path/tune',
  summary: 'Shows the settings of a secrets engine.',
  fields: { path: SECRET_PATH },
  returns: RESULT,
  wire: (data) => ({ data, repeated: true }),
  run: (tx, { path }) => read(tx, secretPath(path)),
})

/**
 * @throws KernelError 400 if nothing is mounted at the path, if the default lifetime of leases is above the maximum lifetime, if
 *   `options.version` is unknown or is below the version of the mount, or if a setting is given that the mount does not have.
 */
export const tuneMount = operation({
  kind: 'write',
  verb: 'POST',
  path: '/mounts/+path/tune',
  forwardable: true,
  summary: 'Changes settings of a secrets engine. Settings that the request omits are kept.',
  fields: { path: SECRET_PATH, ...FIELDS },
  returns: {},
  run: (tx, { path, ...tuning }) => tune(tx, secretPath(path), tuning),
})

/** @throws KernelError 400 if nothing is mounted at the path. */
export const readAuthTuning = operation({
  kind: 'read',
  verb: 'GET',
  path: '/auth/+path/tune',
  aliasPaths: ['/mounts/auth/+path/tune'],
  sudo: true,
  summary: 'Shows the settings of an auth method.',
  fields: { path: AUTH_PATH },
  returns: RESULT,
  wire: (data) => ({ data, repeated: true }),
  run: (tx, { path }) => read(tx, authPath(path)),
})

/**
 * @throws KernelError 400 if nothing is mounted at the path, if the default lifetime of leases is above the maximum lifetime, if
 *   `options.version` is unknown or is below the version of the mount, or if a setting is given that the mount does not have.
 */
export const tuneAuthMethod = operation({
  kind: 'write',
  verb: 'POST',
  path: '/auth/+path/tune',
  aliasPaths: ['/mounts/auth/+path/tune'],
  forwardable: true,
  sudo: true,
  summary: 'Changes settings of an auth method. Settings that the request omits are kept.',
  fields: { path: AUTH_PATH, ...FIELDS },
  returns: {},
  run: (tx, { path, ...tuning }) => tune(tx, authPath(path), tuning),
})

/** The same operation without `sudo`, because Vault's clients tune auth methods on this path. */
export const readAuthTuningAsMount = operation({
  kind: 'read',
  verb: 'GET',
  path: '/mounts/auth/+path/tune',
  aliasPaths: ['/auth/+path/tune'],
  summary: 'Shows the settings of an auth method.',
  fields: { path: AUTH_PATH },
  returns: RESULT,
  wire: (data) => ({ data, repeated: true }),
  run: (tx, { path }) => read(tx, authPath(path)),
})

export const tuneAuthMethodAsMount = operation({
  kind: 'write',
  verb: 'POST',
  path: '/mounts/auth/+path/tune',
  aliasPaths: ['/auth/+path/tune'],
  forwardable: true,
  summary: 'Changes settings of an auth method. Settings that the request omits are kept.',
  fields: { path: AUTH_PATH, ...FIELDS },
  returns: {},
  run: (tx, { path, ...tuning }) => tune(tx, authPath(path), tuning),
})
