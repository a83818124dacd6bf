/**
 * The members of a status of replication.
 */
import type { Result } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import type { SyncProgress } from './follow/primary-client.ts'
import type { InspectionProgress } from './inspect/merkle-check.ts'

const TEXTS = { type: 'array', items: { type: 'string' } }

/** A secondary, as its primary shows it. */
export interface SecondaryStatus {
  /** The name that its token was made with. */
  readonly node_id: string
  /** The address of its service, as the cluster reports it. Empty for callers that may not read this path. */
  readonly api_address: string
  /** The address it listens at. Empty for callers that may not read this path. */
  readonly cluster_address: string
  /** Whether it was heard in the last 30 seconds. */
  readonly connection_status: 'connected' | 'disconnected'
  /** RFC 3339. */
  readonly last_heartbeat: string
  /** Records that it has not applied yet. */
  readonly lag: number
}

/** A kernel of the primary, as a secondary shows it. */
export interface PrimaryStatus {
  /** Where its service is reached, as it says itself. */
  readonly api_address: string
  /** Where it listens. */
  readonly cluster_address: string
  /** Whether the primary answered in the last 30 seconds. */
  readonly connection_status: 'connected' | 'disconnected'
  /** RFC 3339; empty before the first one. */
  readonly last_heartbeat: string
}

export const STATUS = {
  mode: f.text('`disabled`, `primary`, `secondary` or `bootstrapping`. While disabled nothing else is shown.'),
  state: f
    .text(
      'Of a primary `running`, or `idle` where it cannot be reached. Of a secondary `stream-wals`, `merkle-diff` while it compares, `merkle-sync` while it copies what differs, `idle` while it does not follow.',
    )
    .optional(),
  cluster_id: f.text('UUID of the set.').optional(),
  merkle_root: f
    .text('The hash over all replicated records, 40 hexadecimal digits; equal on both sides when a secondary is level.')
    .optional(),
  corrupted_merkle_tree: f.bool('Whether the last check found the hashes wrong.').optional(),
  last_corruption_check_epoch: f.text('Seconds since 1970 of the last check; `-62135596800`: none.').optional(),
  last_reindex_epoch: f.text('Seconds since 1970 of the end of the last reindex; `0`: none.').optional(),
  merkle_check: f
    .json<InspectionProgress>('How far a check of this kernel has come: keys looked at, and an estimate of how many there are.', {
      type: 'object',
    })
    .optional(),
  reindex: f.json<InspectionProgress>('The same of a reindex that is running.', { type: 'object' }).optional(),
  last_wal: f.int('The index of the newest record in the log of this store.').optional(),
  last_performance_wal: f.int('Of a primary: the index of the newest record that goes to secondaries.').optional(),
  last_dr_wal: f.int('The same for disaster recovery.').optional(),
  last_remote_wal: f
    .int('Of a secondary: the index of the last record of the primary that was applied; 0 while it copies.')
    .optional(),
  primary_cluster_addr: f.text('As it was given, or as the token told.').optional(),
  known_secondaries: f.json<readonly string[]>('Of a primary: all that were given a token and not revoked.', TEXTS).optional(),
  secondaries: f.json<readonly SecondaryStatus[]>('Of a primary: those that were heard.', { type: 'array' }).optional(),
  known_primary_cluster_addrs: f.json<readonly string[]>('Of a secondary: where the primary is reached.', TEXTS).optional(),
  primaries: f.json<readonly PrimaryStatus[]>('Of a secondary: the kernels of the primary.', { type: 'array' }).optional(),
  secondary_id: f.text('Of a secondary: the name that its token was made with.').optional(),
  connection_state: f.text('Of a secondary: `ready`, `transient_failure` or `shutdown`.').optional(),
  lag: f.int('Of a secondary: records of the primary that are not applied yet; absent before the primary was heard.').optional(),
  lost_writes: f
    .int('Records that only a lost primary had, and that were given up here; absent on a primary that gave up none.')
    .optional(),
  progress: f
    .json<SyncProgress>('Of a secondary that compares or copies: keys put right so far, and how many were found.', {
      type: 'object',
    })
    .optional(),
  last_error: f.text('Why it is idle, in a sentence.').optional(),
}

export type Status = Result<typeof STATUS>
