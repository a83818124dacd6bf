/** Google Secret Manager fails, throttles, hangs or breaks the connection at each call. */
import { googleWorld } from '../../fixtures/sync/google-world.ts'
import { troubleMatrix } from '../../fixtures/sync/trouble-matrix.ts'
import { live, push, VALUE } from '../../fixtures/sync/world.ts'

const opId = 'c8a7c4a5-9d4a-4a5e-9d0e-5c4c2b7f7c11'

troubleMatrix(googleWorld, [
  {
    title: 'the first push to Google Secret Manager',
    calls: ['CreateSecret', 'AddSecretVersion'],
    ask: (session, name, signal) => session.put(push(name, VALUE, { opId }), signal),
    leaves: VALUE,
  },
  {
    title: 'a later push to Google Secret Manager',
    calls: ['UpdateSecret', 'AddSecretVersion', 'DestroySecretVersion'],
    prepare: (session, name) => session.put(push(name, 'before'), live()),
    ask: (session, name, signal) => session.put(push(name, VALUE, { opId, previous: '1' }), signal),
    leaves: VALUE,
  },
  {
    title: 'a repeated push to Google Secret Manager whose answer was lost',
    calls: ['CreateSecret', 'GetSecret', 'UpdateSecret', 'AddSecretVersion', 'ListSecretVersions', 'DestroySecretVersion'],
    async prepare(session, name) {
      await session.put(push(name, 'before'), live())
      await session.put(push(name, 'between'), live())
    },
    ask: (session, name, signal) => session.put(push(name, VALUE, { opId }), signal),
    leaves: VALUE,
  },
  {
    title: 'a removal from Google Secret Manager',
    calls: ['DeleteSecret'],
    prepare: (session, name) => session.put(push(name), live()),
    ask: (session, name, signal) => session.remove({ name, opId }, signal),
    leaves: undefined,
  },
  {
    title: 'a description by Google Secret Manager',
    calls: ['GetSecret', 'GetSecretVersion'],
    prepare: (session, name) => session.put(push(name), live()),
    ask: (session, name, signal) => session.describe!({ name }, signal),
    leaves: VALUE,
  },
])
