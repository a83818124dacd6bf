import { memberLines } from '../align-columns.ts'
import { command } from '../command.ts'

export const status = command({
  name: 'status',
  summary: 'Show the state of the store and of its seal',
  details: 'Exits with 4 if the store is sealed or not initialized. A store with key shares is always sealed for a new process.',
  example: 'status',
  async run({ session }) {
    const kernel = await session.openKernel()
    const [{ state, storage, shared }, seal] = [await kernel.status(), await kernel.seal.status()]
    const data = { state, shared, storage, seal }
    const lines = memberLines({
      state,
      seal: seal.type,
      shares: seal.n === 0 ? undefined : `${seal.t} of ${seal.n}${seal.recovery_seal ? ' (recovery)' : ''}`,
      'cluster id': seal.cluster_id,
      storage: storage.available ? 'available' : `unavailable since ${storage.unavailable_since}`,
      durable: storage.durable,
      risk: storage.risk,
      'shared by processes': shared,
      version: seal.version,
    })
    return { data, text: lines.join('\n'), reason: state === 'open' ? 'ok' : 'sealed' }
  },
})
