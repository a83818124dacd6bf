/** AWS Secrets Manager fails, throttles, hangs or breaks the connection at each call. */
import { awsWorld } from '../../fixtures/sync/aws-world.ts'
import { troubleMatrix } from '../../fixtures/sync/trouble-matrix.ts'
import { live, push, VALUE } from '../../fixtures/sync/world.ts'

const opId = 'c8a7c4a5-9d4a-4a5e-9d0e-5c4c2b7f7c11'

troubleMatrix(awsWorld, [
  {
    title: 'the first push to AWS Secrets Manager',
    calls: ['CreateSecret'],
    ask: (session, name, signal) => session.put(push(name, VALUE, { opId }), signal),
    leaves: VALUE,
  },
  {
    title: 'a later push to AWS Secrets Manager',
    calls: ['UpdateSecret', 'TagResource', 'UntagResource'],
    prepare: (session, name) => session.put(push(name, 'before'), live()),
    ask: (session, name, signal) => session.put(push(name, VALUE, { opId, previous: 'a-version', removeTags: ['old'] }), signal),
    leaves: VALUE,
  },
  {
    title: 'a push to a name that AWS Secrets Manager will delete',
    calls: ['CreateSecret', 'RestoreSecret', 'UpdateSecret', 'TagResource'],
    async prepare(session, name) {
      await session.put(push(name, 'before'), live())
      await session.remove({ name, opId }, live())
    },
    ask: (session, name, signal) => session.put(push(name, VALUE, { opId }), signal),
    leaves: VALUE,
  },
  {
    title: 'a removal from AWS Secrets Manager',
    calls: ['DeleteSecret'],
    prepare: (session, name) => session.put(push(name), live()),
    ask: (session, name, signal) => session.remove({ name, opId }, signal),
    leaves: undefined,
  },
  {
    title: 'a description by AWS Secrets Manager',
    calls: ['DescribeSecret'],
    prepare: (session, name) => session.put(push(name), live()),
    ask: (session, name, signal) => session.describe!({ name }, signal),
    leaves: VALUE,
  },
])
