/**
 * The operation at `sys/health`, as in Vault. A performance secondary reports the same HTTP statuses as a primary. A DR secondary has an
 * HTTP status of its own.
 */
import { invalid } from '../../core/base/errors.ts'
import { VERSION } from '../../core/base/version.ts'
import { controlOperation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'
import { REPLICATION_FIELDS, replicationOf } from './replication.ts'

const code = (description: string, fallback: string) =>
  f.texts(`The HTTP status to return ${description}; default ${fallback}.`).default([fallback])

export const readHealth = controlOperation({
  kind: 'read',
  verb: 'GET',
  path: '/health',
  onDrSecondary: true,
  unauthenticated: true,
  inAnyState: true,
  rootOnly: true,
  summary:
    'Reports the state of the kernel by the HTTP status: 200 if the kernel is open; 472 if it is open on a DR secondary; 501 if its store is not initialized; 503 if it is sealed, if its store does not answer, or if the cluster is becoming a secondary.',
  fields: {
    activecode: code('if the kernel is open', '200'),
    sealedcode: code('if the kernel is sealed', '503'),
    uninitcode: code('if the store is not initialized', '501'),
    standbycode: code('for a standby node, which strongroom does not have, so the parameter has no effect', '429'),
    drsecondarycode: code('if the cluster is a DR secondary', '472'),
    performancestandbycode: code(
      'for a performance standby node, which strongroom does not have, so the parameter has no effect',
      '473',
    ),
    standbyok: f
      .texts(
        'Whether a standby node returns the status of an open kernel. Has no effect, because strongroom has no standby nodes.',
      )
      .default(['false']),
    perfstandbyok: f
      .texts(
        'Whether a performance standby node returns the status of an open kernel. Has no effect, because strongroom has no standby nodes.',
      )
      .default(['false']),
  },
  returns: {
    status: f.int('The HTTP status.'),
    initialized: f.bool('Whether the store is initialized.'),
    sealed: f.bool('Whether this process is sealed.'),
    standby: f.bool(
      'True if the kernel is not open, or if the cluster is becoming a secondary. Otherwise false, because all processes that share the store are active.',
    ),
    performance_standby: f.bool('Always false.'),
    storage: f.text(
      'Whether the store answers: `available` or `unavailable`. If an open kernel’s store is unavailable, the HTTP status is 503.',
    ),
    ...REPLICATION_FIELDS,
    server_time_utc: f.int('The current time in seconds since 1970.'),
    version: f.text('The version of strongroom.'),
    cluster_name: f.text('The name of the cluster; absent while the kernel is not open.').optional(),
    cluster_id: f.text('The id of the cluster; absent while the kernel is not open.').optional(),
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
    // If the store cannot be reached, use the last known state of the seal.
    if (answers) await sealing.readSealRecord().catch(() => {})
    const now = state()
    const open = now === 'open'
    const identity = cluster()
    const shown = await replicationOf(asked)
    // A cluster that is becoming a secondary answers no requests, so its status is always 503 and no parameter can change it. `standbyok`
    // must not apply, because no other process answers requests in its place.
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

/** Checks a boolean query parameter. A parameter without a value (`?standbyok`) is valid and counts as true. */
function flag(text: string, name: string): void {
  if (!/^(?:|[01]|[tTfF]|true|True|TRUE|false|False|FALSE)$/.test(text)) throw invalid(`${name}: must be a boolean`)
}
