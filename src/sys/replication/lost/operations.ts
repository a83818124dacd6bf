/**
 * Operations on what was given up. The documents have none.
 */
import { invalid } from '../../../core/base/errors.ts'
import { controlOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { REPLICATION } from '../center.ts'
import { forgetLostWrites as forget, type LostWrite, readLostWrites as read } from './lost-writes.ts'

const MOST_AT_ONCE = 1000

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

export const readLostWrites = controlOperation({
  kind: 'read',
  verb: 'GET',
  path,
  sudo: true,
  rootOnly: true,
  summary:
    'Shows the records that only a lost primary had, and that were given up here: their keys, and to the application what they held.',
  fields: {
    after: f.text('The `next` of the answer before; empty: from the first.').default(''),
    limit: f.int('The most records of one answer, at most 1000.').default(100),
  },
  returns: {
    records: f.json<readonly LostWrite[]>('In the order in which they were written.', CHANGES),
    next: f.text('Where to go on; absent behind the last.').optional(),
  },
  control: async (asked, { after, limit }) => {
    if (limit < 1 || limit > MOST_AT_ONCE) throw invalid(`limit: must be from 1 to ${MOST_AT_ONCE}`)
    return read(REPLICATION.of(asked).performance.host, after, limit, asked.call.caller.kind === 'app')
  },
})

export const forgetLostWrites = controlOperation({
  kind: 'write',
  verb: 'DELETE',
  path,
  sudo: true,
  rootOnly: true,
  summary: 'Deletes what was kept of the records that were given up, and counts them from zero again.',
  fields: {},
  returns: {},
  control: async (asked) => {
    await forget(REPLICATION.of(asked).performance.host)
    return undefined
  },
})
