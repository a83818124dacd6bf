/**
 * The code of curves is loaded by the first call that needs it. Each case is a new process whose first such call is one operation, on keys
 * that another process has stored.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKernel, keySeal, memoryStorage } from '../../src/index.ts'
import { startChild } from '../fixtures/child.ts'
import { compiled } from '../fixtures/compiled.ts'
import { recordsOf } from '../fixtures/copied-store.ts'
import { bytesOf } from '../property/support.ts'
import type { FirstUse, Prepared } from './first-use.child.ts'

const INPUT = new TextEncoder().encode('what is signed')
const CONTEXT = new TextEncoder().encode('context')
const SEAL_KEY = bytesOf(32, 9)
const KEYS = {
  'ecdsa-p256': { type: 'ecdsa-p256' },
  'ecdsa-p384': { type: 'ecdsa-p384' },
  'ecdsa-p521': { type: 'ecdsa-p521' },
  ed25519: { type: 'ed25519' },
  derived: { type: 'ed25519', derived: true },
} as const

let folder: string
let file: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strongroom-first-use-'))
  file = join(folder, 'prepared.json')
  const storage = memoryStorage()
  const kernel = await createKernel({ storage, seal: keySeal(SEAL_KEY), initialize: true })
  await kernel.transit.createKey({ name: 'aes' })
  const keys: Record<string, Prepared['keys'][string]> = {}
  for (const [name, options] of Object.entries(KEYS)) {
    await kernel.transit.createKey({ name, exportable: true, allow_plaintext_backup: true, ...options })
    const context = name === 'derived' ? { context: CONTEXT } : {}
    const { signature } = await kernel.transit.sign({ name, input: INPUT, ...context })
    const { backup } = await kernel.transit.backupKey({ name })
    const [version] = Object.values((await kernel.transit.readKey({ name })).keys)
    keys[name] = { signature, backup, publicKey: pemOf((version as { readonly public_key?: string }).public_key) }
  }
  const records = (await recordsOf(storage)).map(({ key, value }) => [key, Buffer.from(value).toString('base64')] as const)
  const sealKey = Buffer.from(SEAL_KEY).toString('base64')
  const prepared: Prepared = { sealKey, token: kernel.rootToken ?? '', records, keys }
  await writeFile(file, JSON.stringify(prepared))
  await kernel.close()
})

afterAll(() => rm(folder, { recursive: true }))

/** Ed25519 keys are shown as base64, others as PEM. */
function pemOf(shown = ''): string {
  if (shown.startsWith('-----')) return shown
  const { publicKey } = generateKeyPairSync('ed25519')
  if (shown === '') return publicKey.export({ type: 'spki', format: 'pem' }) as string
  const key = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(shown, 'base64').toString('base64url') }
  return createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string
}

async function resultOf(given: Omit<FirstUse, 'file'>): Promise<unknown> {
  const child = startChild('test/engines/first-use.child.ts', { ...given, file })
  const results: unknown[] = []
  for await (const message of child.messages) results.push(message)
  await child.ended
  return results[0]
}

const RIGHT = { before: 0, isRight: true, after: 1 }

describe('the first use of curves in a process', () => {
  it.each([
    'create ecdsa-p256',
    'create ed25519',
    'createConcurrently ecdsa-p256',
    'sign ecdsa-p384',
    'signConcurrently ecdsa-p256',
    'signConcurrently derived',
    'verify ecdsa-p256',
    'verify ed25519',
    'signBatch ecdsa-p256',
    'signBatch derived',
    'verifyBatch ecdsa-p521',
    'verifyBatch ed25519',
    'path ecdsa-p256',
    'path derived',
    'handle ecdsa-p256',
    'handle ed25519',
    'handle derived',
    'rotate ed25519',
    'export ecdsa-p256',
    'backup ecdsa-p256',
    'restore ecdsa-p384',
    'restore ed25519',
    'importPublic ecdsa-p256',
    'importPublic ed25519',
    'derive ecdsa-p521',
    'csr ecdsa-p256',
    'csr ed25519',
    'readContext derived',
    'wrap jwt',
    'joinReplication x25519',
  ])('gives the right result: %s', async (use) => {
    expect(await resultOf({ use, backend: 'default', threads: undefined })).toEqual(RIGHT)
  })

  it.each([
    'create ecdsa-p256',
    'verify ed25519',
    'handle ecdsa-p256',
    'handle derived',
    'signBatch ed25519',
    'joinReplication x25519',
  ])('gives the right result on node:crypto: %s', async (use) => {
    expect(await resultOf({ use, backend: 'node', threads: undefined })).toEqual(RIGHT)
  })

  it.each(['signBatch ecdsa-p256', 'signBatch derived', 'verifyBatch ed25519', 'sign ecdsa-p521'])(
    'gives the right result in a worker thread: %s',
    async (use) => {
      const threads = compiled('src/adapters/workers-node/program.ts')
      expect(await resultOf({ use, backend: 'noble', threads })).toEqual({ ...RIGHT, inThread: true })
    },
  )
})
