/**
 * Operations that check the store against the Merkle tree, and that correct the tree. Vault's API has them only for DR secondaries
 * (`drReindex`, `drMerkleCheck`). The other operations in this file are additions for clusters that serve requests. Each of them covers
 * performance and DR replication, if the cluster takes part in both.
 */
import { notConfigured, notFound } from '../../../core/base/errors.ts'
import { controlOperation } from '../../../core/contract/operation.ts'
import type { OperationContext } from '../../../core/contract/operation-context.ts'
import { f } from '../../../core/field/fields.ts'
import { authorizeDrOperation, byOperationToken, dr_operation_token } from '../dr/authorize.ts'
import { REPLICATION, type ReplicationContext } from '../replication-context.ts'
import type { RecordFault } from './find-faults.ts'
import { type CorruptionReport, mergeReports } from './report.ts'

const CONTINUES = 'The reindex runs in the background; replication/status shows its progress.'

const common = { kind: 'write', sudo: true, rootOnly: true } as const

const REINDEX_FIELDS = {
  diff: f.bool('Has no effect: a reindex always compares single keys.').default(false),
  force: f.bool('Whether to discard the Merkle tree first, and build a new one from the store.').default(false),
  skip_flush: f.bool('Has no effect: there is nothing to flush, and writers are not locked out.').default(false),
}

const CHECK_RESULT = {
  merkle_corruption_report: f.json<CorruptionReport>(
    'The inconsistencies of the Merkle tree, by page and subpage, in the format of Vault.',
    {
      type: 'object',
    },
  ),
  details: f
    .json<readonly RecordFault[]>(
      'Only for the application: at most 1000 records that differ from the values that the kernel wrote, each with `key` and `fault` (`changed`, `missing`, `added`, `unreadable`).',
      {
        type: 'array',
        items: { type: 'object', properties: { key: { type: 'string' }, fault: { type: 'string' } } },
      },
    )
    .optional(),
}

/** @throws KernelError 400 if the cluster takes part in neither kind of replication. */
async function activeContexts(asked: OperationContext): Promise<readonly [ReplicationContext, ...ReplicationContext[]]> {
  const both = REPLICATION.of(asked)
  const found: ReplicationContext[] = []
  for (const context of [both.performance, both.dr]) if (await context.membership.current()) found.push(context)
  const [first, ...rest] = found
  if (!first) throw notConfigured('replication is disabled')
  return [first, ...rest]
}

async function runChecks(asked: OperationContext, [first, ...rest]: readonly [ReplicationContext, ...ReplicationContext[]]) {
  let { report, faults } = await first.check.run()
  for (const context of rest) {
    const more = await context.check.run()
    const known = new Set(faults.map(({ key }) => key))
    report = mergeReports(report, more.report)
    faults = [...faults, ...more.faults.filter(({ key }) => !known.has(key))]
  }
  return { merkle_corruption_report: report, ...(asked.call.caller.kind === 'app' ? { details: faults } : {}) }
}

/** @throws KernelError 400 if replication is disabled on this cluster, or if a reindex is already running. */
export const reindex = controlOperation({
  ...common,
  verb: 'POST',
  path: '/replication/reindex',
  summary:
    'Starts a reindex, which corrects the Merkle tree in the background so that it matches the store. Continues a reindex that was stopped.',
  fields: REINDEX_FIELDS,
  returns: {},
  control: async (asked, { force }) => {
    const contexts = await activeContexts(asked)
    for (const context of contexts) await context.reindex.assertNotRunning()
    for (const context of contexts) await context.reindex.begin(force)
    asked.warn(CONTINUES)
    return undefined
  },
})

/** @throws KernelError 400 if replication is disabled on this cluster, or if no reindex is running. */
export const stopReindex = controlOperation({
  ...common,
  verb: 'DELETE',
  path: '/replication/reindex',
  summary: 'Stops a reindex. A later call of `reindex` continues it.',
  fields: {},
  returns: {},
  control: async (asked) => {
    let stopped = false
    for (const context of await activeContexts(asked)) if (await context.reindex.stop()) stopped = true
    if (!stopped) throw notFound('no reindex is running', 400)
    return undefined
  },
})

/**
 * @throws KernelError 400 if replication is disabled on this cluster.
 * @throws KernelError 503 if the check was stopped, if another kernel of this cluster continues the check, if the role of this cluster
 *   changed during the check, or if another kernel of this cluster is rebuilding the Merkle tree. To continue the check, call the method
 *   again.
 */
export const merkleCheck = controlOperation({
  ...common,
  verb: 'POST',
  path: '/replication/merkle-check',
  summary:
    'Compares all stored records with the Merkle tree, and reports records that were changed outside the kernel. Requests are not blocked.',
  fields: {},
  returns: CHECK_RESULT,
  control: async (asked) => runChecks(asked, await activeContexts(asked)),
})

/** @throws KernelError 400 if replication is disabled on this cluster. */
export const stopMerkleCheck = controlOperation({
  ...common,
  verb: 'DELETE',
  path: '/replication/merkle-check',
  summary: 'Stops the running check: pending calls of `merkleCheck` fail. A later call of `merkleCheck` continues the check.',
  fields: {},
  returns: {},
  control: async (asked) => {
    for (const context of await activeContexts(asked)) await context.check.stop()
    return undefined
  },
})

const DR_REINDEX = '/replication/dr/secondary/reindex'

/**
 * @throws KernelError 400 if this cluster is not a DR secondary, if `dr_operation_token` is missing and the caller is not the application,
 *   or if a reindex is already running.
 * @throws KernelError 403 if `dr_operation_token` is invalid. The application does not need such a token.
 */
export const drReindex = controlOperation({
  ...byOperationToken(DR_REINDEX),
  summary:
    'Starts a reindex, which corrects the Merkle tree in the background so that it matches the store. Continues a reindex that was stopped.',
  fields: { dr_operation_token, ...REINDEX_FIELDS },
  returns: {},
  control: async (asked, { dr_operation_token: token, force }) => {
    const context = await authorizeDrOperation(asked, DR_REINDEX, token)
    await context.reindex.begin(force)
    asked.warn(CONTINUES)
    return undefined
  },
})

const DR_CHECK = '/replication/dr/secondary/merkle-check'

/**
 * @throws KernelError 400 if this cluster is not a DR secondary, or if `dr_operation_token` is missing and the caller is not the
 *   application.
 * @throws KernelError 403 if `dr_operation_token` is invalid. The application does not need such a token.
 * @throws KernelError 503 if the check was stopped, if another kernel of this cluster continues the check, if the role of this cluster
 *   changed during the check, or if another kernel of this cluster is rebuilding the Merkle tree. To continue the check, call the method
 *   again.
 */
export const drMerkleCheck = controlOperation({
  ...byOperationToken(DR_CHECK),
  summary: 'Compares all stored records with the Merkle tree, and reports records that were changed outside the kernel.',
  fields: { dr_operation_token },
  returns: CHECK_RESULT,
  control: async (asked, { dr_operation_token: token }) => runChecks(asked, [await authorizeDrOperation(asked, DR_CHECK, token)]),
})
