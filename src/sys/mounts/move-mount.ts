/** POST sys/remount and GET sys/remount/status/:migration_id, as in Vault. */
import { endBelow } from '../../core/access/lease/retire-mount.ts'
import { invalid, notFound } from '../../core/base/errors.ts'
import { uuid } from '../../core/base/identifiers.ts'
import { withoutOuterSlashes } from '../../core/base/slashes.ts'
import { coreRecord } from '../../core/contract/core-record.ts'
import { AUTH_MOUNT_PREFIX, isAuth, type MountRecord, mountKind } from '../../core/contract/mount-record.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { guardedTables } from '../../core/mount/guarded-tables.ts'
import { dropMount } from '../../core/mount/stored-mount.ts'
import { checkFree, checkMountPath, isReserved, secretPath, shown } from './mount-path.ts'
import { mountAt, storeMount } from './mount-record.ts'

export interface Migration {
  /** The former path. */
  readonly source_mount: string
  /** The new path. */
  readonly target_mount: string
}

interface MigrationRecord extends Migration {
  /** When the record is deleted, in milliseconds since the Unix epoch. */
  readonly ends: number
}

/** A move in responses. */
export interface Moved extends Migration {
  /** The only status: a move is a single commit, so no response shows an unfinished one. */
  readonly status: 'success'
}

/** Stored at `r/core/remount/<namespace uuid>/<id>`, for one day. */
export const MIGRATION = /* @__PURE__ */ coreRecord<MigrationRecord>({ folder: 'remount' })

const KEPT_MS = 86_400_000

/** The topic of the job that deletes the record of a move. The id of the record follows the topic. */
export const MIGRATION_JOB = 'remount'

export const clearMigration = (tx: Tx, id: string): void => tx.delete(MIGRATION, id)

/** Deletes the record of a move early, together with the scheduled job that would delete it. */
export function dropMigration(tx: Tx, id: string): void {
  tx.due('housekeeping', `${MIGRATION_JOB}/${id}`, { from: tx.get(MIGRATION, id)?.ends })
  tx.delete(MIGRATION, id)
}

/**
 * @throws KernelError 400 if nothing is mounted at `from`, if the mount is one that every namespace has, such as `sys/`, if `to` is
 *   malformed or already in use, or if only one of `from` and `to` is the path of an auth method.
 */
export const moveMount = operation({
  kind: 'write',
  verb: 'POST',
  path: '/remount',
  forwardable: true,
  sudo: true,
  summary: 'Moves a mount with its data, accessor and settings. Its leases are revoked. The move is complete when this returns.',
  fields: {
    from: f.text('The current path. The path of an auth method begins with `auth/`.').needed(''),
    to: f.text('The new path, in the same namespace.').needed(''),
  },
  returns: { migration_id: f.text('The id with which the state of the move can be read for one day.') },
  wire: (data) => ({ data, repeated: true }),
  run: (tx, input) => {
    if (withoutOuterSlashes(input.from) === '' || withoutOuterSlashes(input.to) === '')
      throw invalid("from: both 'from' and 'to' path must be specified as a string")
    const [source, target] = [secretPath(input.from), secretPath(input.to)]
    const tables = guardedTables(tx)
    const mount = mountAt(tables, tx.call.namespace, source)
    const record = mount && tx.get(mountKind(mount.record), mount.record.uuid)
    if (!record) throw notFound(`from: no matching mount at "${shown(source)}"`, 400)
    if (mount.engine.mounts === 'system') throw invalid(`from: cannot remount "${source}"`)
    checkTarget(record, target)
    checkFree(tables, tx.call.namespace, target, 'to')
    // Remove the mount first, so that it does not conflict with its own new path.
    dropMount(tx, record)
    storeMount(tx, { ...record, path: target })
    tx.event('mount.moved', { path: target, from: source, accessor: record.accessor })
    endBelow(tx, record, mount.engine)
    tx.warn('policies that name the former path do not apply to the new path')
    return { migration_id: remember(tx, { source_mount: source, target_mount: target }) }
  },
})

/**
 * @throws KernelError 400 if `to` is invalid or reserved for the kernel's own mounts, or if only one of `record` and `to` belongs to an auth
 * method
 */
function checkTarget(record: MountRecord, to: string): void {
  if (isAuth(record) && (!to.startsWith(AUTH_MOUNT_PREFIX) || to === AUTH_MOUNT_PREFIX))
    throw invalid(`to: cannot remount auth mount to non-auth mount "${shown(to)}"`)
  if (!isAuth(record) && isReserved(to)) throw invalid(`to: cannot remount to destination ${shown(to)}`)
  checkMountPath(to, 'to')
}

function remember(tx: Tx, migration: Migration): string {
  const id = uuid(tx.env.entropy.bytes(16))
  const key = `${tx.call.namespace.uuid}/${id}`
  const ends = tx.now + KEPT_MS
  tx.put(MIGRATION, key, { ...migration, ends })
  tx.due('housekeeping', `${MIGRATION_JOB}/${key}`, { to: ends })
  return id
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** @throws KernelError 404 if the move does not exist, or if the move ended more than a day ago. */
export const readMove = operation({
  kind: 'read',
  verb: 'GET',
  path: '/remount/status/:migration_id',
  summary: 'Shows the state of a move.',
  fields: { migration_id: f.text('The id that `move` returned.') },
  returns: {
    migration_id: f.text('The id of the move.'),
    migration_info: f.json<Moved>('The former path, the new path, and the state.'),
  },
  run: (tx, { migration_id }) => {
    const migration = UUID.test(migration_id) ? tx.get(MIGRATION, `${tx.call.namespace.uuid}/${migration_id}`) : undefined
    if (!migration) return undefined
    const { source_mount, target_mount } = migration
    return { migration_id, migration_info: { source_mount, target_mount, status: 'success' as const } }
  },
})
