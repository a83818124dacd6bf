/** Opens a store in a new process, whose first use of curves is one call, and sends whether the result is right. */
import { readFileSync } from 'node:fs'
import { nodeCrypto } from '../../src/adapters/crypto-node/index.ts'
import { Pool } from '../../src/adapters/workers-node/pool.ts'
import { CURVE_25519, CurvesNotLoadedError, NIST_CURVES } from '../../src/core/crypto/curves/curve-code.ts'
import { createKernel, type Entry, type Kernel, keySeal, nobleCrypto } from '../../src/index.ts'
import { childArguments, send } from '../fixtures/child-side.ts'
import { copyOfRecords } from '../fixtures/copied-store.ts'
import { watchedWorkers } from '../fixtures/workers.ts'

export interface FirstUse {
  readonly use: string
  readonly backend: 'default' | 'noble' | 'node'
  /** The URL of the program of worker threads; undefined for none. */
  readonly threads: string | undefined
  readonly file: string
}

/** The content of the file. */
export interface Prepared {
  readonly sealKey: string
  readonly token: string
  readonly records: readonly (readonly [string, string])[]
  /** A signature of `INPUT` by each key, its backup, and its public key as PEM. */
  readonly keys: Readonly<Record<string, { readonly signature: string; readonly backup: string; readonly publicKey: string }>>
}

export const INPUT = new TextEncoder().encode('what is signed')
export const CONTEXT = new TextEncoder().encode('context')

const BACKENDS = {
  default: () => nobleCrypto(),
  noble: () => nobleCrypto({ accelerate: false }),
  node: nodeCrypto,
}

const { use, backend, threads, file } = childArguments<FirstUse>()
const [action = '', name = ''] = use.split(' ')
const { sealKey, token, records, keys } = JSON.parse(readFileSync(file, 'utf8')) as Prepared
const known = keys[name] ?? { signature: '', backup: '', publicKey: '' }
const context = name === 'derived' ? { context: CONTEXT } : {}
const crypto = BACKENDS[backend]()

const loaded = (): number => [NIST_CURVES, CURVE_25519].filter((curves) => !isMissing(() => curves.assertLoaded())).length

function isMissing(work: () => void): boolean {
  try {
    work()
    return false
  } catch (thrown) {
    if (thrown instanceof CurvesNotLoadedError) return true
    throw thrown
  }
}

const isGood = async (kernel: Kernel, signature: string, of = name): Promise<boolean> =>
  (await kernel.transit.verify({ name: of, input: INPUT, signature, ...context })).valid

const ACTIONS: Readonly<Record<string, (kernel: Kernel) => Promise<boolean>>> = {
  async create(kernel) {
    await kernel.transit.createKey({ name: 'new', type: name as 'ed25519' })
    return isGood(kernel, (await kernel.transit.sign({ name: 'new', input: INPUT })).signature, 'new')
  },
  async createConcurrently(kernel) {
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.map((one) => kernel.transit.createKey({ name: one, type: name as 'ed25519' })))
    const signatures = await Promise.all(names.map((one) => kernel.transit.sign({ name: one, input: INPUT })))
    const verdicts = await Promise.all(names.map((one, i) => isGood(kernel, signatures[i]?.signature ?? '', one)))
    return verdicts.every(Boolean)
  },
  async sign(kernel) {
    return isGood(kernel, (await kernel.transit.sign({ name, input: INPUT, ...context })).signature)
  },
  async signConcurrently(kernel) {
    const signed = await Promise.all([1, 2, 3].map(() => kernel.transit.sign({ name, input: INPUT, ...context })))
    return (await Promise.all(signed.map(({ signature }) => isGood(kernel, signature)))).every(Boolean)
  },
  verify: (kernel) => isGood(kernel, known.signature),
  async signBatch(kernel) {
    const batch_input = Array.from({ length: 40 }, () => ({ input: INPUT, ...context }))
    const { batch_results } = await kernel.transit.signBatch({ name, batch_input })
    const signatures = batch_results.map((one) => ('signature' in one ? one.signature : ''))
    return (await Promise.all(signatures.map((one) => isGood(kernel, one)))).every(Boolean)
  },
  async verifyBatch(kernel) {
    const batch_input = Array.from({ length: 40 }, () => ({ input: INPUT, signature: known.signature, ...context }))
    const { batch_results } = await kernel.transit.verifyBatch({ name, batch_input })
    return batch_results.every((one) => 'valid' in one && one.valid)
  },
  async path(kernel) {
    const body = {
      input: Buffer.from(INPUT).toString('base64'),
      ...(name === 'derived' && { context: Buffer.from(CONTEXT).toString('base64') }),
    }
    const answer = await kernel.handle({
      method: 'POST',
      path: `/v1/transit/sign/${name}`,
      headers: { 'X-Service-Token': token },
      body,
    } as never)
    const { data } = answer.body as { data?: { signature: string } }
    return isGood(kernel, data?.signature ?? '')
  },
  async handle(kernel) {
    const handle = await kernel.transit.keyHandle(name)
    try {
      const signature = handle.signSync(INPUT, context)
      return (
        handle.verifySync(INPUT, { signature, ...context }) &&
        handle.verifySync(INPUT, { signature: known.signature, ...context })
      )
    } finally {
      handle.close()
    }
  },
  async rotate(kernel) {
    await kernel.transit.rotateKey({ name })
    return isGood(kernel, known.signature)
  },
  async export(kernel) {
    const { keys: exported } = await kernel.transit.exportKey({ key_type: 'signing-key', name })
    return Object.keys(exported).length === 1
  },
  async backup(kernel) {
    return (await kernel.transit.backupKey({ name })).backup.length > 0
  },
  async restore(kernel) {
    await kernel.transit.restoreKey({ name: 'restored', backup: known.backup })
    return isGood(kernel, known.signature, 'restored')
  },
  async importPublic(kernel) {
    const type = name as 'ed25519'
    await kernel.transit.importKey({ name: 'imported', type, public_key: known.publicKey })
    return isGood(kernel, known.signature, 'imported')
  },
  async derive(kernel) {
    const request = { base_key_name: name, peer_public_key: known.publicKey, derived_key_type: 'aes256-gcm96' } as const
    await kernel.transit.deriveKey({ name: 'agreed', ...request })
    const { ciphertext } = await kernel.transit.encrypt({ name: 'agreed', plaintext: INPUT })
    return (await kernel.transit.decrypt({ name: 'agreed', ciphertext })).plaintext.length === INPUT.length
  },
  async csr(kernel) {
    return (await kernel.transit.signCsr({ name })).csr.startsWith('-----BEGIN CERTIFICATE REQUEST')
  },
  async readContext(kernel) {
    const { keys: versions } = await kernel.transit.readKey({ name, context: CONTEXT })
    return Object.keys(versions).length === 1
  },
  async wrap(kernel) {
    const headers = { 'X-Service-Token': token, 'X-Service-Wrap-TTL': '60s', 'X-Service-Wrap-Format': 'jwt' }
    const answer = await kernel.handle({ method: 'GET', path: `/v1/transit/keys/aes`, headers } as never)
    const { wrap_info } = answer.body as { wrap_info?: { token: string } }
    return wrap_info?.token.split('.').length === 3
  },
  async joinReplication(kernel) {
    const { secondary_public_key } = await kernel.replication.generatePublicKey()
    return Buffer.from(secondary_public_key, 'base64').length === 32
  },
}

const storage = await copyOfRecords(
  records.map(([key, value]): Entry => ({ key, value: Buffer.from(value, 'base64'), version: 1 }) as never),
)
const watched = threads === undefined ? undefined : watchedWorkers(new Pool(new URL(threads), 1, 60_000))
const kernel = await createKernel({
  storage,
  crypto,
  seal: keySeal(Buffer.from(sealKey, 'base64')),
  ...(watched && { workers: watched.port }),
})
await kernel.transit.encrypt({ name: 'aes', plaintext: INPUT })
const before = loaded()
const isRight = await (ACTIONS[action] as (kernel: Kernel) => Promise<boolean>)(kernel)
send({ before, isRight, after: loaded(), inThread: watched && watched.answered > 0 && watched.undone === 0 })
await kernel.close()
