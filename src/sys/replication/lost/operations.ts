/**
 * Operations on what was given up. The documents have none.
 */
import { invalid } from '../../../core/base/errors.ts'
import { type Asked, controlOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { authorize, byOperationToken, dr_operation_token } from '../dr/authorize.ts'
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
  after: f.text('The `next` of the answer before; empty: from the first.').default(''),
  limit: f.int('The most records of one answer, at most 1000.').default(100),
}

const RETURNS = {
  records: f.json<readonly LostWrite[]>('In the order in which they were written.', CHANGES),
  next: f.text('Where to go on; absent behind the last.').optional(),
}

const SHOWS =
  'Shows the records that only a lost primary had, and that were given up here: their keys, and to the application what they held.'

const FORGETS = 'Deletes what was kept of the records that were given up, and counts them from zero again.'

/** What they held is for the application alone. */
function pageOf(asked: Asked, { host }: ReplicationContext, after: string, limit: number): Promise<LostWrites> {
  if (limit < 1 || limit > MAX_PAGE_RECORDS) throw invalid(`limit: must be from 1 to ${MAX_PAGE_RECORDS}`)
  return read(host, after, limit, asked.call.caller.kind === 'app')
}

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

/** A cluster that is no secondary any more keeps what it gave up when it became one: its application asks for that in every role. */
async function authorizedContext(asked: Asked, at: string, token: string): Promise<ReplicationContext> {
  const { dr } = REPLICATION.of(asked)
  const isApplication = asked.call.caller.kind === 'app' && token === ''
  return isApplication ? dr : authorize(asked, at, token)
}

const DR_READ = '/replication/dr/secondary/lost-writes'

export const drReadLostWrites = controlOperation({
  ...byOperationToken(DR_READ),
  summary: SHOWS,
  fields: { dr_operation_token, ...FIELDS },
  returns: RETURNS,
  control: async (asked, { dr_operation_token: token, after, limit }) =>
    pageOf(asked, await authorizedContext(asked, DR_READ, token), after, limit),
})

const DR_FORGET = '/replication/dr/secondary/lost-writes/delete'

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
