/**
 * GET and HEAD sys/health, as in Vault. A performance secondary reports the same statuses as a primary; a DR secondary has a status of its
 * own.
 */
import { invalid } from '../../core/base/errors.ts'
import { VERSION } from '../../core/base/version.ts'
import { controlOperation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'
import { REPLICATION_FIELDS, replicationOf } from './replication.ts'

const code = (description: string, fallback: string) =>
  f.texts(`The status to answer ${description}; ${fallback} by default.`).default([fallback])

export const readHealth = controlOperation({
  kind: 'read',
  verb: 'GET',
  path: '/health',
  onDrSecondary: true,
  unauthenticated: true,
  inAnyState: true,
  rootOnly: true,
  summary:
    'Reports the state of the kernel by the status: 200 if it is open, 472 for a DR secondary, 501 if it is not initialized, and 503 if the kernel is sealed, its store does not answer, or the cluster is becoming a secondary.',
  fields: {
    activecode: code('when open', '200'),
    sealedcode: code('when sealed', '503'),
    uninitcode: code('before initialization', '501'),
    standbycode: code('as a standby', '429'),
    drsecondarycode: code('as a disaster recovery secondary', '472'),
    performancestandbycode: code('as a performance standby', '473'),
    standbyok: f.texts('Whether a standby responds like an open kernel.').default(['false']),
    perfstandbyok: f.texts('Whether a performance standby responds like an open kernel.').default(['false']),
  },
  returns: {
    status: f.int('The HTTP status.'),
    initialized: f.bool('Whether the store is initialized.'),
    sealed: f.bool('Whether this process is sealed.'),
    standby: f.bool(
      'True if the kernel is not open, or if the cluster is becoming a secondary. All processes that share the store are active, so there are no other standbys.',
    ),
    performance_standby: f.bool('Always false.'),
    storage: f.text('Whether the store answers: `available` or `unavailable`. If unavailable, the status is 503.'),
    ...REPLICATION_FIELDS,
    server_time_utc: f.int('Seconds.'),
    version: f.text('The version of this library.'),
    cluster_name: f.text('While open.').optional(),
    cluster_id: f.text('While open.').optional(),
  },
  wire: ({ status, ...bare }) => ({ status, bare }),
  control: async (asked, input) => {
    for (const name of ['standbyok', 'perfstandbyok'] as const) flag(input[name][0] ?? '', name)
    const codes = {
      open: statusCode(input.activecode[0], 'activecode'),
      sealed: statusCode(input.sealedcode[0], 'sealedcode'),
      uninitialized: statusCode(input.uninitcode[0], 'uninitcode'),
    }
    const mirror = statusCode(input.drsecondarycode[0], 'drsecondarycode')
    for (const name of ['standbycode', 'performancestandbycode'] as const) statusCode(input[name][0], name)
    const { state, cluster, sealing, reachable } = CONTROLS.of(asked)
    const answers = await reachable()
    // If the store cannot be reached, its last known state is used.
    if (answers) await sealing.readSealRecord().catch(() => {})
    const now = state()
    const open = now === 'open'
    const identity = cluster()
    const shown = await replicationOf(asked)
    // A cluster that is becoming a secondary answers no requests. Unlike a standby, it has no peers that answer for it, so no parameter may
    // make it look healthy.
    const joins = shown.replication_performance_mode === 'bootstrapping'
    const mirrors = shown.replication_dr_mode === 'secondary' || shown.replication_dr_mode === 'bootstrapping'
    return {
      status: joins || (open && !answers) ? 503 : open && mirrors ? mirror : (codes[now as keyof typeof codes] ?? 503),
      initialized: now !== 'uninitialized',
      sealed: !open,
      standby: !open || joins,
      performance_standby: false,
      storage: answers ? 'available' : 'unavailable',
      ...shown,
      server_time_utc: Math.floor(asked.now / 1000),
      version: VERSION,
      ...(identity ? { cluster_name: identity.name, cluster_id: identity.id } : {}),
    }
  },
})

function statusCode(text: string | undefined, name: string): number {
  if (text === undefined || !/^\d{3}$/.test(text) || Number(text) < 200 || Number(text) > 599)
    throw invalid(`${name}: must be an HTTP status, a number from 200 to 599`)
  return Number(text)
}

/** A parameter without a value counts as true. */
function flag(text: string, name: string): void {
  if (!/^(?:|[01]|[tTfF]|true|True|TRUE|false|False|FALSE)$/.test(text)) throw invalid(`${name}: must be a boolean`)
}
