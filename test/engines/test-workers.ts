import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/engines/transit/all-operations.ts'
import { type CryptoBackend, createKernel, type Kernel, keySeal, memoryStorage } from '../../src/index.ts'
import { runs } from '../fixtures/runs.ts'
import { realWorkers, type Watched, watchedWorkers } from '../fixtures/workers.ts'
import { bytesOf } from '../property/support.ts'

const SEAL = keySeal(bytesOf(32, 9))
const CONTEXT = Buffer.from('a context').toString('base64')
/** The key options for each type. */
const TYPES: Readonly<Record<string, object>> = {
  'aes256-gcm96': {},
  'chacha20-poly1305': { derived: true },
  'xchacha20-poly1305': {},
  'aes128-gcm96': { derived: true, convergent_encryption: true },
  ed25519: { derived: true },
  'ecdsa-p256': {},
  'rsa-2048': {},
  hmac: {},
}
const OPERATIONS = Object.entries(operations).filter(([, op]) => 'item' in op) as unknown as [
  string,
  { readonly path: string; readonly item: object },
][]
const HOSTILE = [
  '',
  '!!!',
  'AAAA',
  'strongroom:v1:AAAA',
  'strongroom:v9:AAAA',
  'strongroom:v0:',
  'vault:v1:AAAA',
  17,
  -1,
  null,
  [],
  {},
]

type Item = Readonly<Record<string, unknown>>

interface Pair {
  readonly plain: Kernel
  readonly threaded: Kernel
  readonly watched: Watched
}

async function pairOf(crypto: CryptoBackend): Promise<Pair> {
  const storage = memoryStorage()
  const watched = watchedWorkers(realWorkers(1))
  const plain = await createKernel({ storage, crypto, seal: SEAL, initialize: true })
  for (const [type, options] of Object.entries(TYPES)) {
    await plain.transit.createKey({ name: type, type, ...options } as never)
    await plain.transit.rotateKey({ name: type })
  }
  const threaded = await createKernel({ storage, crypto, seal: SEAL, workers: watched.port })
  return { plain, threaded, watched }
}

const RANDOM = ['ciphertext', 'signature']

/** Compares the results with and without threads. */
export function testWorkers(backends: readonly CryptoBackend[]): void {
  describe.each(backends.map((crypto) => ({ name: crypto.name, crypto })))(
    'transit batches in worker threads with $name',
    ({ crypto }) => {
      let pair: Pair
      let token: string

      beforeAll(async () => {
        pair = await pairOf(crypto)
        token = pair.plain.rootToken ?? ''
      })
      afterAll(async () => {
        await pair.threaded.close()
        await pair.plain.close()
      })

      async function results(kernel: Kernel, path: string, name: string, batch_input: readonly Item[]): Promise<readonly Item[]> {
        const to = path.replace(':name', name).replace('(/:hash_algorithm)', '')
        const headers = { 'X-Service-Token': token }
        const { body } = await kernel.handle({
          method: 'POST',
          path: `/v1/transit${to}`,
          headers,
          body: { batch_input },
        } as never)
        const { data, errors } = body as {
          readonly data?: { readonly batch_results: readonly Item[] }
          readonly errors?: unknown
        }
        return data?.batch_results ?? [{ errors }]
      }

      /** A valid batch item with the members of every operation that this type of key supports. */
      async function goodItem(name: string): Promise<Item> {
        const input = Buffer.from('what it is about').toString('base64')
        const own = { plaintext: input, input, context: CONTEXT }
        const [sealed = {}] = await results(pair.plain, '/encrypt/:name', name, [{ ...own, key_version: 1 }])
        const [signed = {}] = await results(pair.plain, '/sign/:name', name, [own])
        const [mac = {}] = await results(pair.plain, '/hmac/:name', name, [own])
        const made = { ciphertext: sealed['ciphertext'], signature: signed['signature'], hmac: mac['hmac'] }
        return Object.fromEntries(Object.entries({ ...own, ...made }).filter(([, value]) => value !== undefined))
      }

      /** Replaces ciphertexts and signatures, which are random, so that two answers can be compared. */
      const compared = (item: Item): Item =>
        Object.fromEntries(Object.entries(item).map(([name, value]) => [name, RANDOM.includes(name) && value ? 'made' : value]))

      it.each(OPERATIONS)('%s returns the same results with and without threads, item by item', async (_name, { path, item }) => {
        const before = pair.watched.answered
        for (const type of Object.keys(TYPES)) {
          const good = await goodItem(type)
          const own = Object.fromEntries(
            Object.entries(good).filter(([name]) => name in item && !(name === 'hmac' && good['signature'])),
          )
          const wrong = Object.keys(item).flatMap((name) => HOSTILE.map((value) => ({ ...own, [name]: value })))
          // A batch is refused if only some items have a context, so also send each hostile item between two good ones.
          const batches = [[own, own, own], wrong, ...wrong.slice(0, runs({ quick: 12, slow: 40 })).map((one) => [own, one, own])]
          for (const batch of batches) {
            const [plain, threaded] = [
              await results(pair.plain, path, type, batch),
              await results(pair.threaded, path, type, batch),
            ]
            expect(threaded.map(compared)).toEqual(plain.map(compared))
          }
        }
        // `inspect` uses no key, so it uses no thread.
        if (!path.startsWith('/inspect')) expect(pair.watched.answered).toBeGreaterThan(before)
      })

      it.each(OPERATIONS)('%s of valid items runs in threads only', async (_name, { path, item }) => {
        const before = pair.watched.undone
        for (const type of Object.keys(TYPES)) {
          const good = await goodItem(type)
          const own = Object.fromEntries(
            Object.entries(good).filter(([name]) => name in item && !(name === 'hmac' && good['signature'])),
          )
          await results(pair.threaded, path, type, [own, own, own])
        }
        expect(pair.watched.undone - before).toBe(0)
      })

      it('ciphertexts and signatures made in threads are valid without threads', async () => {
        for (const type of Object.keys(TYPES)) {
          const { plaintext, ciphertext, input, context } = await goodItem(type)
          const [sealed = {}] = await results(pair.threaded, '/encrypt/:name', type, [{ plaintext, context }])
          if (ciphertext !== undefined) {
            const [rewrapped = {}] = await results(pair.threaded, '/rewrap/:name', type, [{ ciphertext, context }])
            const both = [sealed, rewrapped].map((item) => ({ ciphertext: item['ciphertext'], context }))
            const opened = await results(pair.plain, '/decrypt/:name', type, both)
            expect(opened.map((item) => item['plaintext'])).toEqual([plaintext, plaintext])
          }
          const [signed = {}] = await results(pair.threaded, '/sign/:name', type, [{ input, context }])
          if (signed['signature'] === undefined) continue
          const [verified] = await results(pair.plain, '/verify/:name', type, [
            { input, context, signature: signed['signature'] },
          ])
          expect(verified).toMatchObject({ valid: true })
        }
      })
    },
  )
}
