import { rfc3339 } from '../../../core/base/clock.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import {
  type Association,
  readAssociationId,
  readDestinationId,
  SYNC_OUTBOX,
  type SyncRow,
  type SyncStatus,
  secretId,
} from '../records.ts'
import { type ShownSyncType, shownType } from '../types.ts'

/** The status of an external secret. If the kernel uses Vault's naming, `INTERNAL_ERROR` is named `INTERNAL_VAULT_ERROR`. */
export type ShownStatus = SyncStatus | 'UNKNOWN' | 'INTERNAL_VAULT_ERROR'

/** A secret that is pushed to a destination, or one key of a secret whose keys are pushed separately. */
export interface AssociatedSecret {
  /** The accessor of the mount. */
  readonly accessor: string
  /** The path of the secret in the mount. */
  readonly secret_name: string
  /** The key, if the keys of the secret are pushed separately. */
  readonly sub_key?: string
  /** The status of the external secret. */
  readonly sync_status: ShownStatus
  /** When the status last changed, as a time in RFC 3339 format. */
  readonly updated_at: string
  /**
   * `not_owned`: the secret was not pushed, because an external secret exists that has the same name but was not created by this
   * association. Call `set` with `adopt` to replace it.
   */
  readonly reason?: 'not_owned'
}

/** The secrets, keyed by `<accessor>/<secret_name>`, or by `<accessor>/<secret_name>/<sub_key>` if the keys are pushed separately. */
export type AssociatedSecrets = Readonly<Record<string, AssociatedSecret>>

/** A destination to which a secret is pushed, and the status of the secret there. */
export interface AssociatedDestination {
  /** The type of the destination. */
  readonly type: ShownSyncType
  /** The name of the destination. */
  readonly name: string
  /** The status of the external secret. */
  readonly sync_status: ShownStatus
  /** When the status last changed, as a time in RFC 3339 format. */
  readonly updated_at: string
}

export interface StatusSince {
  readonly status: SyncStatus | 'UNKNOWN'
  readonly updated: number
}

/**
 * Returns the status to show. It is `PENDING` if the outbox contains a change of the secret, because the change is not pushed yet. It is
 * `UNKNOWN` after a synchronization that was begun and not finished, because the external state is not known then.
 */
export function currentStatus(tx: Tx, id: string, { begun, due = 0, gone }: Association, row: StatusSince): StatusSince {
  if (begun && due <= tx.now) return { status: 'UNKNOWN', updated: due }
  const changed = gone ? undefined : tx.get(SYNC_OUTBOX, secretId(readAssociationId(id)))
  return changed && changed.due <= tx.now && row.status !== 'PENDING' ? { status: 'PENDING', updated: changed.due } : row
}

/** Returns the rows that responses show, one for each external secret. An association without rows is shown as one secret. */
export const shownRows = ({
  rows,
  status,
  updated,
}: Association): readonly (Pick<SyncRow, 'key' | 'refused'> & StatusSince)[] => {
  const live = rows.filter(({ gone }) => !gone)
  const shown = live.length > 0 ? live : rows
  return shown.length > 0 ? shown : [{ status, updated }]
}

export const statusName = (tx: Tx, status: SyncStatus | 'UNKNOWN'): ShownStatus =>
  status === 'INTERNAL_ERROR' && tx.env.ciphertextPrefix === 'vault' ? 'INTERNAL_VAULT_ERROR' : status

export function shownSecrets(tx: Tx, id: string, association: Association): AssociatedSecrets {
  const { path } = readAssociationId(id)
  const { accessor } = association
  const entries = shownRows(association).map((row) => {
    const { status, updated } = currentStatus(tx, id, association, row)
    const shown: AssociatedSecret = {
      accessor,
      secret_name: path,
      ...(row.key === undefined ? {} : { sub_key: row.key }),
      sync_status: statusName(tx, status),
      updated_at: rfc3339(updated),
      ...(row.refused === undefined ? {} : { reason: row.refused }),
    }
    return [row.key === undefined ? `${accessor}/${path}` : `${accessor}/${path}/${row.key}`, shown] as const
  })
  return Object.fromEntries(entries)
}

export interface ShownAssociations {
  readonly associated_secrets: AssociatedSecrets
  readonly store_name: string
  readonly store_type: ShownSyncType
}

export const SHOWN_ASSOCIATIONS = {
  associated_secrets: f.json<AssociatedSecrets>(
    'The secrets, keyed by `<accessor>/<secret_name>`, or by `<accessor>/<secret_name>/<sub_key>` if the keys are pushed separately.',
  ),
  store_name: f.text('The name of the destination.'),
  store_type: f.json<ShownSyncType>('The type of the destination.', { type: 'string' }),
}

export function shownAssociations(
  { env }: Pick<Tx, 'env'>,
  destination: string,
  associated_secrets: AssociatedSecrets,
): ShownAssociations {
  const { type, name } = readDestinationId(destination)
  return { associated_secrets, store_name: name, store_type: shownType(env, type) }
}
