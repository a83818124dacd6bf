/** Operations for quarantined records, which only a lost primary had. Vault's API has no such operations. */
import { invalid } from '../../../core/base/errors.ts'
import { controlOperation } from '../../../core/contract/operation.ts'
import type { OperationContext } from '../../../core/contract/operation-context.ts'
import { f } from '../../../core/field/fields.ts'
import { authorizeDrOperation, byOperationToken, dr_operation_token } from '../dr/authorize.ts'
import { REPLICATION, type ReplicationContext } from '../replication-context.ts'
import { forgetLostWrites as forget, type LostWrite, type LostWrites, readLostWrites as read } from './lost-writes.ts'

const MAX_PAGE_RECORDS = 1000

const path = '/replication/performance/secondary/lost-writes'

const CHANGES = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      epoch: { type: 'integer' },
      index: { type: 'integer' },
      time: { type: 'string', format: 'date-time' },
      changes: { type: 'array', items: { type: 'object' } },
    },
  },
}

const FIELDS = {
  after: f.text('The `next` of the previous answer; empty to start from the beginning.').default(''),
  limit: f.int('The maximum number of records in the answer, from 1 to 1000.').default(100),
}

const RETURNS = {
  records: f.json<readonly LostWrite[]>('The records in the order in which they were written.', CHANGES),
  next: f.text('The value of `after` for the next page; absent on the last page.').optional(),
}

const SHOWS =
  'Returns the quarantined records, which only a lost primary had: their keys and, for the application, also their content.'

const FORGETS = 'Deletes the quarantined records and sets their number to 0.'

/** Reads a page of quarantined records. Only the application receives the content of the records. */
function pageOf(asked: OperationContext, { host }: ReplicationContext, after: string, limit: number): Promise<LostWrites> {
  if (limit < 1 || limit > MAX_PAGE_RECORDS) throw invalid(`limit: must be from 1 to ${MAX_PAGE_RECORDS}`)
  return read(host, after, limit, asked.call.caller.kind === 'app')
}

/** @throws KernelError 400 if `limit` is not from 1 to 1000, or if `after` is neither empty nor the `next` of an earlier answer. */
export const readLostWrites = controlOperation({
  kind: 'read',
  verb: 'GET',
  path,
  sudo: true,
  rootOnly: true,
  summary: SHOWS,
  fields: FIELDS,
  returns: RETURNS,
  control: async (asked, { after, limit }) => pageOf(asked, REPLICATION.of(asked).performance, after, limit),
})

/** @throws no errors of its own. */
export const forgetLostWrites = controlOperation({
  kind: 'write',
  verb: 'DELETE',
  path,
  sudo: true,
  rootOnly: true,
  summary: FORGETS,
  fields: {},
  returns: {},
  control: async (asked) => {
    await forget(REPLICATION.of(asked).performance.host)
    return undefined
  },
})

/**
 * Authorizes an operation on the quarantine of DR replication. The application is authorized in every role of the cluster, because a cluster
 * keeps its quarantined records after it was promoted or has left the set. All other callers need a token, and the cluster must be a DR
 * secondary.
 */
async function authorizedContext(asked: OperationContext, at: string, token: string): Promise<ReplicationContext> {
  const { dr } = REPLICATION.of(asked)
  const isApplication = asked.call.caller.kind === 'app' && token === ''
  return isApplication ? dr : authorizeDrOperation(asked, at, token)
}

const DR_READ = '/replication/dr/secondary/lost-writes'

/**
 * @throws KernelError 400 if this cluster is not a DR secondary and the caller is not the application, if `dr_operation_token` is missing
 *   and the caller is not the application, if `limit` is not from 1 to 1000, or if `after` is neither empty nor the `next` of an earlier
 *   answer.
 * @throws KernelError 403 if `dr_operation_token` is invalid. The application does not need such a token.
 */
export const drReadLostWrites = controlOperation({
  ...byOperationToken(DR_READ),
  summary: SHOWS,
  fields: { dr_operation_token, ...FIELDS },
  returns: RETURNS,
  control: async (asked, { dr_operation_token: token, after, limit }) =>
    pageOf(asked, await authorizedContext(asked, DR_READ, token), after, limit),
})

const DR_FORGET = '/replication/dr/secondary/lost-writes/delete'

/**
 * @throws KernelError 400 if this cluster is not a DR secondary and the caller is not the application, or if `dr_operation_token` is
 *   missing and the caller is not the application.
 * @throws KernelError 403 if `dr_operation_token` is invalid. The application does not need such a token.
 */
export const drForgetLostWrites = controlOperation({
  ...byOperationToken(DR_FORGET),
  summary: FORGETS,
  fields: { dr_operation_token },
  returns: {},
  control: async (asked, { dr_operation_token: token }) => {
    await forget((await authorizedContext(asked, DR_FORGET, token)).host)
    return undefined
  },
})
