/** Azure Key Vault or its authority fails, throttles, hangs or breaks the connection at each call. */
import { azureWorld } from '../../fixtures/sync/azure-world.ts'
import { troubleMatrix, until } from '../../fixtures/sync/trouble-matrix.ts'
import { live, push, VALUE } from '../../fixtures/sync/world.ts'

const opId = 'c8a7c4a5-9d4a-4a5e-9d0e-5c4c2b7f7c11'

troubleMatrix(azureWorld, [
  {
    title: 'the first push to Azure Key Vault',
    calls: ['Challenge', 'OpenIdConfiguration', 'Token', 'GetSecret', 'SetSecret'],
    ask: (session, name, signal) => session.put(push(name, VALUE, { opId }), signal),
    leaves: VALUE,
  },
  {
    title: 'a later push to Azure Key Vault',
    calls: ['SetSecret'],
    prepare: (session, name) => session.put(push(name, 'before'), live()),
    ask: (session, name, signal) => session.put(push(name, VALUE, { opId, previous: 'a-version' }), signal),
    leaves: VALUE,
  },
  {
    title: 'a push to a deleted name in Azure Key Vault',
    calls: ['SetSecret', 'RecoverDeletedSecret'],
    async prepare(session, name) {
      await session.put(push(name, 'before'), live())
      await session.remove({ name, opId }, live())
      // The server completes the deletion a few calls later.
      for (let turn = 0; turn < 3; turn++) await session.describe!({ name }, live())
    },
    ask: (session, name, signal) => until(() => session.put(push(name, VALUE, { opId, previous: 'a-version' }), signal)),
    leaves: VALUE,
  },
  {
    title: 'a removal from Azure Key Vault',
    calls: ['DeleteSecret', 'GetDeletedSecret'],
    prepare: (session, name) => session.put(push(name), live()),
    ask: (session, name, signal) => session.remove({ name, opId }, signal),
    leaves: undefined,
  },
  {
    title: 'a description by Azure Key Vault',
    calls: ['GetSecret'],
    prepare: (session, name) => session.put(push(name), live()),
    ask: (session, name, signal) => session.describe!({ name }, signal),
    leaves: VALUE,
  },
])
