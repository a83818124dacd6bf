/**
 * No secret may appear in the output of a kernel: replies, errors, results of ticks, and the inspection and JSON of its objects. The store
 * must contain no secret in clear text.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { crashingStorage, fakeClock } from '../../src/testing/index.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { bytesOf, utf8 } from '../property/support.ts'
import { Haystack, needlesOf, type Secret } from './haystack.ts'
import { operateOn } from './operations.ts'
import { recordingEntropy } from './recording.ts'
import { openStore, secretsOf } from './store-secrets.ts'

usePreparedRsaKeys()

const SEAL_KEY = bytesOf(32, 31)
const CONTEXT = bytesOf(12, 32)
const PLAINTEXT = utf8('a plaintext that must not be found at rest, 4711')

const storage = memoryStorage()
const entropy = recordingEntropy('leaks')
const clock = fakeClock()
const seen = new Haystack()
const secrets: Secret[] = [{ name: 'the seal key', bytes: SEAL_KEY }]
let kernel: Kernel
let rootToken = ''

/** Records the result or the error of a call. */
async function note(what: string, call: () => unknown): Promise<unknown> {
  const [outcome] = await Promise.allSettled([(async () => call())()])
  const result: unknown = outcome.status === 'fulfilled' ? outcome.value : outcome.reason
  seen.add(what, result)
  return outcome.status === 'fulfilled' ? result : undefined
}

/** The entries of the audit log. */
const logged = new Haystack()
const audit = { sinks: { log: ({ line }: { readonly line: string }) => logged.addText('the audit log', line) } }

/** Messages to event listeners and diagnostics channels. */
const outputs = new Haystack()
const CHANNELS = [
  ...['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((name) => `tracing:strongroom.request:${name}`),
  'strongroom.event',
]
const record = (message: unknown, name: string | symbol): void => outputs.addText(String(name), JSON.stringify(message))

async function open(on: Storage, key: Uint8Array, initialize = true): Promise<Kernel> {
  const opened = await createKernel({ storage: on, seal: keySeal(key), initialize, entropy, clock, ports: { audit } })
  opened.events.on('*', (event) => outputs.addText('an event', JSON.stringify(event)))
  return opened
}

async function learnSecrets(): Promise<void> {
  secrets.push(...secretsOf(await openStore(storage, entropy.draws), CONTEXT))
}

beforeAll(async () => {
  for (const name of CHANNELS) subscribe(name, record)
  kernel = await open(storage, SEAL_KEY)
  rootToken = kernel.rootToken ?? ''
  await operateOn(kernel, { note, context: CONTEXT, plaintext: PLAINTEXT, rootToken })
  await learnSecrets()

  await clock.advance(3_600_000 * 2)
  await note('a tick', () => kernel.tick())
  await note('a list', () => kernel.transit.listKeys({}))
  await learnSecrets()
  await note('the transit view', () => kernel.transit)
  await note('another view', () => kernel.transit.at('transit/'))
  await note('the seal control', () => kernel.seal)

  await note('another seal key', () => open(storage, bytesOf(32, 33), false))
  // The first commit of a kernel begins a chain of the audit log.
  const failing = crashingStorage(storage, { crashAt: 2 })
  const second = await open(failing, SEAL_KEY, false)
  await note('a failed write', () => second.transit.createKey({ name: 'never' }))
  await note('a failed read', () => second.transit.readKey({ name: 'aes256-gcm96' }))
  await note('a failed request', () =>
    second.handle({ method: 'GET', path: '/v1/transit/keys/x', headers: { 'X-Service-Token': rootToken } }),
  )
  await note('a failed tick', () => second.tick())
  await note('a kernel that did not initialize its store', () => second)

  for (const { key, value } of await storage.scan('')) {
    const copy = memoryStorage()
    for (const entry of await storage.scan('')) await copy.commit([{ op: 'put', key: entry.key, value: entry.value }], entry.key)
    const damaged = value.slice()
    damaged[damaged.length >> 1]! ^= 1
    await copy.commit([{ op: 'put', key, value: damaged }], 'damage')
    const opened = await note(`a damaged ${key}`, () => open(copy, SEAL_KEY, false))
    if (!opened) continue
    const damagedKernel = opened as Kernel
    const name = key.split('/').at(-1)!
    await note('a read of a damaged record', () => damagedKernel.transit.readKey({ name }))
    await note('a use of a damaged record', () =>
      damagedKernel.transit.encryptBatch({ name, batch_input: [{ plaintext: PLAINTEXT }] }),
    )
    for (const type of ['aes256-gcm96', 'ed25519', 'hmac']) {
      await note('a use of a damaged key', () => damagedKernel.transit.hmac({ name: type, input: PLAINTEXT }))
    }
    await note('a tick over a damaged record', () => damagedKernel.tick())
    await damagedKernel.close()
  }

  await kernel.seal.seal()
  await note('a sealed kernel', () => kernel.transit.encrypt({ name: 'aes256-gcm96', plaintext: PLAINTEXT }))
  await note('a sealed kernel by path', () => kernel.handle({ method: 'GET', path: '/v1/transit/keys/x' }))
  await note('a tick of a sealed kernel', () => kernel.tick())
  await kernel.seal.unseal()
})
afterAll(() => {
  for (const name of CHANNELS) unsubscribe(name, record)
  return kernel.close()
})

describe('the output of a kernel', () => {
  it('is recorded in more than 150 samples, in which this test searches for more than 40 secrets', () => {
    expect(seen.size).toBeGreaterThan(150)
    expect(secrets.length).toBeGreaterThan(40)
  })

  it('contains no key in any form', () => {
    expect(seen.find(secrets)).toEqual([])
  })

  it('contains the root token only in the property `rootToken`', () => {
    expect(seen.find([{ name: 'the root token', bytes: utf8(rootToken) }])).toEqual([])
  })

  it('contains no root token if the kernel object is logged or converted to JSON', () => {
    const logged = new Haystack()
    logged.add('the kernel', kernel)
    expect(logged.find([{ name: 'the root token', bytes: utf8(rootToken) }])).toEqual([])
  })

  it('contains no key if the kernel object is logged or converted to JSON', () => {
    const logged = new Haystack()
    logged.add('the kernel', kernel)
    expect(logged.find(secrets)).toEqual([])
  })
})

describe.each([
  ['in the audit log', logged, 500],
  ['to event listeners and tracing channels', outputs, 500],
] as const)('the output of a kernel %s', (_, hay, plenty) => {
  it('has enough samples for this test', () => {
    expect(hay.size).toBeGreaterThan(plenty)
  })

  it('contains no key, plaintext, context or root token in any form', () => {
    const hidden = [
      ...secrets,
      { name: 'a plaintext', bytes: PLAINTEXT },
      { name: 'a context', bytes: CONTEXT },
      { name: 'the root token', bytes: utf8(rootToken) },
    ]
    expect(hay.find(hidden)).toEqual([])
  })
})

describe('the store of a kernel', () => {
  it('contains no key, plaintext or root token in clear text', async () => {
    const stored = new Haystack()
    for (const { key, value } of await storage.scan('')) {
      stored.add(`the value of ${key}`, value)
      stored.add(`the value of ${key} as text`, Buffer.from(value).toString('latin1'))
      stored.add('a key', key)
    }
    const hidden = [...secrets, { name: 'a plaintext', bytes: PLAINTEXT }, { name: 'the root token', bytes: utf8(rootToken) }]
    expect(stored.find(hidden)).toEqual([])
  })

  it('has no key names and no settings in clear text in its values', async () => {
    for (const { key, value } of await storage.scan('r/')) {
      const text = Buffer.from(value).toString('latin1')
      for (const word of ['latest_version', 'aes256-gcm96', 'transit', 'hash'])
        expect({ key, found: text.includes(word) }).toEqual({ key, found: false })
    }
  })
})

describe('the Haystack search', () => {
  it('finds a secret in every encoding that it supports', () => {
    const bytes = bytesOf(32, 99)
    const secret = [{ name: 's', bytes }]
    const buffer = Buffer.from(bytes)
    for (const leak of [
      buffer.toString('hex'),
      buffer.toString('base64'),
      buffer.toString('base64url'),
      `x${Buffer.concat([Buffer.from('a'), buffer]).toString('base64')}`,
      `x${Buffer.concat([Buffer.from('ab'), buffer, Buffer.from('c')]).toString('base64url')}`,
      buffer.toString('latin1'),
      bytes,
      [...bytes],
      { deep: { er: bytes } },
      new Error(`oops ${buffer.toString('hex')}`),
      new Error('oops', { cause: new Error(buffer.toString('base64')) }),
      JSON.stringify(bytes),
    ]) {
      const hay = new Haystack()
      hay.add('here', leak)
      expect(hay.find(secret).length).toBeGreaterThan(0)
    }
    expect(needlesOf(bytes).length).toBeGreaterThan(10)
    const clean = new Haystack()
    clean.add('here', bytesOf(3000, 98))
    expect(clean.find(secret)).toEqual([])
  })
})
