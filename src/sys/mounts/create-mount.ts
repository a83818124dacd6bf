/** POST sys/mounts/:path and sys/auth/:path, as in Vault. */
import { invalid, notFound } from '../../core/base/errors.ts'
import type { Engine } from '../../core/contract/engine.ts'
import type { MountRecord } from '../../core/contract/mount-record.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { mountRecord, newMountAccessor } from '../../core/kernel/first-records.ts'
import { guardedTables } from '../../core/mount/guarded-tables.ts'
import type { MountTable } from '../../core/mount/mount-table.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { checkVersion, type MountOptions, plainType } from './engine-version.ts'
import { authPath, checkFree, checkMountPath, isReserved, secretPath, shown } from './mount-path.ts'
import { mountEvent, storeMount } from './mount-record.ts'
import { checkAgainstSystem, MOUNT_CONFIG_FIELD, type Settings, withMountSettings } from './mount-settings.ts'
import { AUTH_PATH, SECRET_PATH } from './read-mounts.ts'

/** The types of the engines in this package. An engine of your own has the type that it declares. */
export type MountType = 'cloud' | 'database' | 'generic' | 'kv' | 'kv-v1' | 'kv-v2' | 'orchestrator' | 'transit' | (string & {})

const FIELDS = {
  type: f
    .word<MountType>('The engine type, such as `kv` or `transit`; `generic` and `kv-v1` are `kv` with version 1.')
    .needed(''),
  description: f.text('For people.').default(''),
  config: MOUNT_CONFIG_FIELD.default({}),
  options: f.pairs('Options of the engine, such as `version` of `kv`.').default({}),
  local: f.bool('Whether the mount exists on this cluster only.').default(false),
  seal_wrap: f.bool('Stored for clients, but without effect, because everything is encrypted.').default(false),
}

interface Wanted {
  /** The path with a trailing slash. */
  readonly path: string
  readonly type: string
  readonly description: string
  readonly config: Settings
  readonly options: MountOptions
  readonly local: boolean
  readonly seal_wrap: boolean
}

/** Validates the path, type and settings, and stores the mount. */
function create(tx: Tx, wanted: Wanted, kind: 'secret' | 'auth'): undefined {
  if (wanted.type === '') throw invalid('type: backend type must be specified as a string')
  checkMountPath(wanted.path, 'path')
  const { type, options } = plainType(wanted.type, wanted.options)
  checkVersion(engineFor(tx, type, kind).type, options)
  const tables = guardedTables(tx)
  checkFree(tables, tx.call.namespace, wanted.path, 'path')
  const record = newRecord(tx, { ...wanted, type, options }, kind, tables.mounts)
  storeMount(tx, record)
  tx.event('mount.enabled', mountEvent(record))
  return undefined
}

/** @throws KernelError 400 for unknown types, for types that do not belong to `kind`, and for types that only the kernel mounts. */
function engineFor(tx: Tx, type: string, kind: 'secret' | 'auth'): Engine {
  const engine = TOPOLOGY.of(tx).engine(type)
  if (engine?.mounts === 'system') throw invalid(`type: mount type of "${type}" is not mountable`)
  if (engine?.mounts !== kind) throw notFound(`type: plugin not found in the catalog: ${shown(type)}`, 400)
  return engine
}

function newRecord(tx: Tx, wanted: Wanted, kind: 'secret' | 'auth', taken: MountTable): MountRecord {
  const { path, type, description, options, local, seal_wrap } = wanted
  const { entropy } = tx.env
  const initial = { path, type, description, options: { ...options }, ...(local ? { local: true as const } : {}) }
  const record = mountRecord(entropy, tx.call.namespace, initial)
  // Entity aliases refer to mounts by accessor, so every accessor must be unique.
  let { accessor } = record
  while (taken.byAccessor(accessor)) accessor = newMountAccessor(entropy, path, type)
  // A secrets engine creates no tokens, so this setting is ignored.
  const token_type = kind === 'auth' ? (wanted.config.token_type ?? '') : undefined
  const config = withMountSettings(record.config, { ...wanted.config, token_type })
  checkAgainstSystem(config)
  return { ...record, accessor, seal_wrap, config }
}

/**
 * @throws KernelError 400 if the type is unknown, if mounts of the type cannot be created at the path, if the path is malformed, if a mount
 *   or a namespace exists at the path, above it or below it, or if the default lifetime of leases is above the maximum lifetime.
 * @example
 * await kernel.mounts.createMount({ path: 'payments', type: 'transit' })
 * await kernel.transit.at('payments/').createKey({ name: 'cards' })
 */
export const createMount = operation({
  kind: 'write',
  verb: 'POST',
  path: '/mounts/+path',
  forwardable: true,
  summary: 'Mounts a secrets engine.',
  fields: { path: SECRET_PATH, ...FIELDS },
  returns: {},
  run: (tx, input) => {
    const path = secretPath(input.path)
    if (input.type !== '' && isReserved(path)) throw invalid(`path: cannot mount "${shown(path)}"`)
    return create(tx, { ...input, path }, 'secret')
  },
})

/**
 * @throws KernelError 400 if the type is unknown, if mounts of the type cannot be created at the path, if the path is malformed, if a mount
 *   or a namespace exists at the path, above it or below it, or if the default lifetime of leases is above the maximum lifetime.
 */
export const createAuthMethod = operation({
  kind: 'write',
  verb: 'POST',
  path: '/auth/+path',
  forwardable: true,
  sudo: true,
  summary: 'Enables an auth method.',
  fields: { path: AUTH_PATH, ...FIELDS },
  returns: {},
  run: (tx, input) => create(tx, { ...input, path: authPath(input.path) }, 'auth'),
})
