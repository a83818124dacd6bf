/**
 * Using a key that is in the cache asks the storage for nothing: every call on it is counted. Encryptions are counted durably, in blocks that
 * are reserved ahead. Time stands still: whether the store has changed is asked by the clock, not by the call.
 */
import { memoryStorage } from 'strongroom'
import { fakeClock } from 'strongroom/testing'
import { table } from '../report.mjs'
import { base64, bytes, counting, openKernel } from '../setup.mjs'

const CALLS = 1000

export const title = 'Storage accesses of 1,000 calls with cached keys'

export async function run() {
  const { storage, counts } = counting(memoryStorage())
  const { kernel, transit, request } = await openKernel({ storage, clock: fakeClock() })
  const name = 'aes256-gcm96'
  const plaintext = bytes(32)
  const input = plaintext
  const { ciphertext } = await transit.encrypt({ name, plaintext })
  const { signature } = await transit.sign({ name: 'ed25519', input })
  const calls = {
    encrypt: () => transit.encrypt({ name, plaintext }),
    decrypt: () => transit.decrypt({ name, ciphertext }),
    rewrap: () => transit.rewrap({ name, ciphertext }),
    hmac: () => transit.hmac({ name, input }),
    verify: () => transit.verify({ name: 'ed25519', input, signature }),
    readKey: () => transit.readKey({ name }),
    'encrypt, batch': () => transit.encryptBatch({ name, batch_input: [{ plaintext }] }),
    'encrypt, path': () => kernel.handle(request(`encrypt/${name}`, { plaintext: base64(plaintext) })),
  }
  const rows = []
  for (const [label, call] of Object.entries(calls)) {
    await call()
    const before = counts.calls
    for (let i = 0; i < CALLS; i++) await call()
    rows.push([label, String(counts.calls - before)])
  }
  await kernel.close()
  const most = (counted) =>
    Math.max(...rows.filter(([label]) => label.startsWith('encrypt') === counted).map(([, count]) => Number(count)))
  const of = (what, limitText, measured, limit) => ({
    what,
    limit: limitText,
    measured: `${measured} in ${CALLS} calls`,
    met: measured <= limit,
  })
  const targets = [
    of('reading a cached key', 'no storage access', most(false), 0),
    of('encrypting with a cached key: reserving uses for its counter', 'at most 1 in 100 calls', most(true), CALLS / 100),
  ]
  return { targets, text: table(['call', 'storage accesses'], rows) }
}
