/** The fields of a replication status. */
import type { Result } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import type { SyncProgress } from './follow/primary-client.ts'
import type { InspectionProgress } from './inspect/walk.ts'

const TEXTS = { type: 'array', items: { type: 'string' } }

/** A secondary, as its primary reports it. */
export interface SecondaryStatus {
  /** The id of the secondary, as given when its activation token was created. */
  readonly node_id: string
  /** The API address that the secondary reports. Empty if the caller's policies do not allow reading this path. */
  readonly api_address: string
  /** The address at which the secondary listens. Empty if the caller's policies do not allow reading this path. */
  readonly cluster_address: string
  /** `connected` if the secondary has sent a message in the last 30 seconds. */
  readonly connection_status: 'connected' | 'disconnected'
  /** The time of the last heartbeat in RFC 3339 format. */
  readonly last_heartbeat: string
  /** The number of log records that the secondary has not applied yet. */
  readonly lag: number
}

/** A kernel of the primary, as a secondary reports it. */
export interface PrimaryStatus {
  /** The API address that this kernel of the primary reports. */
  readonly api_address: string
  /** The address at which this kernel of the primary accepts messages from secondaries. */
  readonly cluster_address: string
  /** `connected` if this kernel has answered in the last 30 seconds. */
  readonly connection_status: 'connected' | 'disconnected'
  /** The time of the last heartbeat in RFC 3339 format; empty before the first heartbeat. */
  readonly last_heartbeat: string
}

export const REPLICATION_STATUS = {
  mode: f.text(
    '`disabled`, `primary`, `secondary` or `bootstrapping`. While replication is disabled, all other fields are absent.',
  ),
  state: f
    .text(
      'On a primary: `running`, or `idle` if other clusters cannot reach it. On a secondary: `stream-wals` while it applies the primary’s log, `merkle-diff` while it compares records, `merkle-sync` while it copies differing records, or `idle` while it does not follow its primary.',
    )
    .optional(),
  cluster_id: f.text('The UUID of the replication set.').optional(),
  merkle_root: f
    .text(
      'The hash over all replicated records, 40 hexadecimal digits. A secondary that has caught up has the same hash as its primary.',
    )
    .optional(),
  corrupted_merkle_tree: f.bool('Whether the last check of the Merkle tree found wrong hashes.').optional(),
  last_corruption_check_epoch: f
    .text('The time of the last check of the Merkle tree, in seconds since 1970; `-62135596800` if there was none.')
    .optional(),
  last_reindex_epoch: f
    .text('The time at which the last reindex of the Merkle tree ended, in seconds since 1970; `0` if there was none.')
    .optional(),
  merkle_check: f
    .json<InspectionProgress>(
      'The progress of a Merkle check that runs in this kernel: the number of keys inspected so far, and an estimate of the total.',
      {
        type: 'object',
      },
    )
    .optional(),
  reindex: f
    .json<InspectionProgress>(
      'The progress of a running reindex: the number of keys inspected so far, and an estimate of the total.',
      {
        type: 'object',
      },
    )
    .optional(),
  last_wal: f.int('The index of the newest record in the log of this store.').optional(),
  last_performance_wal: f
    .int('On a primary: the index of the newest record that is replicated to performance secondaries.')
    .optional(),
  last_dr_wal: f.int('On a primary: the index of the newest record that is replicated to DR secondaries.').optional(),
  last_remote_wal: f
    .int('On a secondary: the index of the last applied record of the primary; 0 during a Merkle sync.')
    .optional(),
  primary_cluster_addr: f
    .text(
      'On a primary: the address that was configured for secondaries. On a secondary: the address of the primary, from the activation.',
    )
    .optional(),
  known_secondaries: f
    .json<readonly string[]>(
      'On a primary: the ids of all secondaries for which a token was issued and that were not revoked.',
      TEXTS,
    )
    .optional(),
  secondaries: f
    .json<readonly SecondaryStatus[]>('On a primary: the secondaries that have sent a heartbeat.', { type: 'array' })
    .optional(),
  known_primary_cluster_addrs: f.json<readonly string[]>('On a secondary: the addresses of the primary.', TEXTS).optional(),
  primaries: f.json<readonly PrimaryStatus[]>('On a secondary: the kernels of the primary.', { type: 'array' }).optional(),
  secondary_id: f.text('On a secondary: its id, as given when its activation token was created.').optional(),
  connection_state: f
    .text(
      'On a secondary: `ready` if the primary has answered in the last 30 seconds without an error, `transient_failure` if it has not, `shutdown` if the secondary follows no primary.',
    )
    .optional(),
  lag: f
    .int('On a secondary: the number of the primary’s commits that are not applied yet; absent before the primary has answered.')
    .optional(),
  lost_writes: f
    .int(
      'The number of commits that this cluster discarded when it began to follow another primary that lacked them. Absent on a primary that discarded none.',
    )
    .optional(),
  progress: f
    .json<SyncProgress>(
      'On a secondary, during a Merkle sync: the number of keys synchronized so far, and the number of differing keys found so far.',
      {
        type: 'object',
      },
    )
    .optional(),
  last_error: f
    .text('The reason for which the cluster is idle, or another problem of its replication. Absent without such a problem.')
    .optional(),
}

export type ReplicationStatus = Result<typeof REPLICATION_STATUS>
