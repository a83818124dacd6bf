import { describe, expect, it } from 'vitest'
import { completeStorage, createKernel, keySeal, type Storage, type StorageFailure } from '../../../src/index.ts'

const refused = new Error('permission denied for the secret "x"')

function storageThat(describeFailure?: (error: unknown) => StorageFailure | undefined): Storage {
  const fail = () => Promise.reject(new Error('the call failed', { cause: refused }))
  return completeStorage({ get: fail, scan: fail, commit: fail, ...(describeFailure && { describeFailure }) })
}

const errorOf = (storage: Storage): Promise<unknown> =>
  createKernel({ storage, seal: keySeal(new Uint8Array(32)) }).catch((thrown: unknown) => thrown)

describe('the error of a kernel whose storage fails', () => {
  it('contains how the storage describes the error or the cause of the error', async () => {
    const storage = storageThat((error) => (error === refused ? { reported: 'no permission (7)' } : undefined))
    expect(await errorOf(storage)).toMatchObject({
      code: 'ERR_UNAVAILABLE',
      message: 'the storage failed or cannot be reached: no permission (7); nothing is known to have changed',
      cause: { message: 'the call failed', cause: refused },
    })
  })

  it('says what to change if the storage knows a remedy', async () => {
    const storage = storageThat(() => ({ reported: 'no permission (7)', remedy: 'grant the permission' }))
    expect(await errorOf(storage)).toMatchObject({
      message:
        'the storage refused the call: no permission (7); this is not an outage: grant the permission; nothing is known to have changed',
    })
  })

  it('contains no text of the failure if the storage does not describe the failure', async () => {
    expect(await errorOf(storageThat())).toMatchObject({
      message: 'the storage failed or cannot be reached; nothing is known to have changed',
      cause: { cause: refused },
    })
  })
})
