/**
 * A workload that covers the life of transit keys, in steps whose effects can be distinguished after a crash.
 */

import { createECDH, generateKeyPairSync } from 'node:crypto'
import { encodePem } from '../../src/core/crypto/pem.ts'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import type { Kernel } from '../../src/index.ts'
import type { FakeClock } from '../../src/testing/index.ts'
import { wrapped } from '../engines/import-blob.ts'
import { certificate, spkiOf } from '../fixtures/certificates.ts'

export interface Made {
  readonly name: string
  readonly ciphertext: string
  readonly plaintext: Uint8Array
}

export interface World {
  readonly kernel: Kernel
  readonly clock: FakeClock
  /** Every returned ciphertext. */
  readonly made: Made[]
  /** Keys whose deletion was requested. Their ciphertexts may be lost. */
  readonly doomed: Set<string>
  /** The last backup. */
  backup?: string
}

export interface Step {
  readonly name: string
  run(world: World): Promise<unknown>
}

/** More versions than two commits of a deletion remove. */
export const MANY_VERSIONS = 70
export const HOUR = 3_600_000
/** Milliseconds that a kernel waits before it takes over the claim of a dead process. */
export const TAKEOVER = 31_000

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

async function encrypt({ kernel, made }: World, name: string, more: object = {}): Promise<void> {
  const plaintext = utf8(`plaintext ${made.length} of ${name}`)
  const { ciphertext } = await kernel.transit.encrypt({ name, plaintext, ...more })
  made.push({ name, ciphertext, plaintext })
}

async function encryptBatch({ kernel, made }: World, name: string, count: number): Promise<void> {
  const plaintexts = Array.from({ length: count }, (_, index) => utf8(`item ${index} of ${name}`))
  const { batch_results } = await kernel.transit.encryptBatch({
    name,
    batch_input: plaintexts.map((plaintext) => ({ plaintext })),
  })
  for (const [index, result] of batch_results.entries()) {
    if (result.error) throw result.error
    made.push({ name, ciphertext: result.ciphertext, plaintext: plaintexts[index]! })
  }
}

const create = (name: string, options: { type?: KeyTypeName; derived?: boolean; auto_rotate_period?: string } = {}): Step => ({
  name: `create ${name}`,
  run: ({ kernel }) => kernel.transit.createKey({ name, ...options }),
})
const rotate = (name: string): Step => ({ name: `rotate ${name}`, run: ({ kernel }) => kernel.transit.rotateKey({ name }) })
const use = (name: string): Step => ({ name: `encrypt under ${name}`, run: (world) => encrypt(world, name) })
const remove = (name: string): Step => ({
  name: `delete ${name}`,
  run: ({ kernel, doomed }) => {
    doomed.add(name)
    return kernel.transit.deleteKey({ name })
  },
})
export const TICK: Step = {
  name: 'tick',
  run: async ({ kernel }) => {
    const { failed } = await kernel.tick()
    if (failed[0]) throw failed[0].error
  },
}
/** The other party of a key agreement. */
const PEER = createECDH('prime256v1')
PEER.setPrivateKey(new Uint8Array(32).fill(9))
const PEER_SPKI = Buffer.concat([Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'), PEER.getPublicKey()])
const PEER_PEM = encodePem('PUBLIC KEY', PEER_SPKI)

const deriveAgreed: Step['run'] = ({ kernel }) =>
  kernel.transit.deriveKey({ name: 'agreed', base_key_name: 'curve', peer_public_key: PEER_PEM })

const pass = (ms: number): Step => ({ name: 'let time pass', run: ({ clock }) => clock.advance(ms) })

/** Imported key material. It is wrapped with random bytes, which no state shows. */
const MATERIAL = Uint8Array.from({ length: 32 }, (_, index) => index)
const PAIR = generateKeyPairSync('ed25519')
const wrappedFor = async ({ kernel }: World, material: Uint8Array) =>
  wrapped((await kernel.transit.readWrappingKey()).public_key, material)
const MOVES: readonly Step[] = [
  {
    name: 'import',
    run: async (world) => {
      const ciphertext = await wrappedFor(world, MATERIAL)
      const settings = { exportable: true, allow_plaintext_backup: true, allow_rotation: true, auto_rotate_period: '9h' }
      await world.kernel.transit.importKey({ name: 'imported', type: 'aes256-gcm96', ciphertext, ...settings })
    },
  },
  use('imported'),
  {
    name: 'import a version',
    run: async (world) => {
      const ciphertext = await wrappedFor(world, MATERIAL.toReversed())
      await world.kernel.transit.importKeyVersion({ name: 'imported', ciphertext })
    },
  },
  use('imported'),
  {
    name: 'import a public key',
    run: ({ kernel }) => {
      const public_key = PAIR.publicKey.export({ type: 'spki', format: 'pem' }) as string
      return kernel.transit.importKey({ name: 'pair', type: 'ed25519', public_key })
    },
  },
  {
    name: 'import its private half',
    run: async (world) => {
      const ciphertext = await wrappedFor(world, PAIR.privateKey.export({ type: 'pkcs8', format: 'der' }))
      await world.kernel.transit.importKeyVersion({ name: 'pair', ciphertext, version: 1 })
    },
  },
  { name: 'sign with it', run: ({ kernel }) => kernel.transit.sign({ name: 'pair', input: MATERIAL }) },
  {
    name: 'backup',
    run: async (world) => {
      world.backup = (await world.kernel.transit.backupKey({ name: 'imported' })).backup
    },
  },
  {
    name: 'restore',
    run: async (world) => {
      // A process that died after the backup has lost it.
      world.backup ??= (await world.kernel.transit.backupKey({ name: 'imported' })).backup
      await world.kernel.transit.restoreKey({ name: 'restored', backup: world.backup })
    },
  },
  use('restored'),
  rotate('restored'),
  use('restored'),
  {
    name: 'restore in place of it',
    run: ({ kernel, made, backup = '' }) => {
      // Restoring the key loses the ciphertexts of its replaced versions.
      made.splice(0, made.length, ...made.filter(({ name, ciphertext }) => name !== 'restored' || !ciphertext.includes(':v3:')))
      return kernel.transit.restoreKey({ name: 'restored', backup, force: true })
    },
  },
  {
    name: 'raise the bounds',
    run: ({ kernel, made }) => {
      made.splice(0, made.length, ...made.filter(({ name, ciphertext }) => name !== 'imported' || !ciphertext.includes(':v1:')))
      return kernel.transit.configureKey({ name: 'imported', min_encryption_version: 2, min_decryption_version: 2 })
    },
  },
  { name: 'trim', run: ({ kernel }) => kernel.transit.trimKey({ name: 'imported', min_available_version: 2 }) },
]

/**
 * Created before the work begins: a key with more versions than one commit can delete, and the wrapping key for imports, which is slow to
 * create.
 */
export const SETUP: readonly Step[] = [
  { name: 'wrapping key', run: ({ kernel }) => kernel.transit.readWrappingKey() },
  create('aged'),
  use('aged'),
  ...Array.from({ length: MANY_VERSIONS - 1 }, () => rotate('aged')),
  use('aged'),
  { name: 'allow', run: ({ kernel }) => kernel.transit.configureKey({ name: 'aged', deletion_allowed: true }) },
]

export const WORK: readonly Step[] = [
  create('aes'),
  create('chacha', { type: 'chacha20-poly1305', auto_rotate_period: '1h' }),
  create('signer', { type: 'ed25519' }),
  create('curve', { type: 'ecdsa-p256' }),
  create('mac', { type: 'hmac', auto_rotate_period: '1h' }),
  use('aes'),
  use('chacha'),
  rotate('aes'),
  use('aes'),
  rotate('signer'),
  {
    name: 'configure aes',
    run: ({ kernel }) => kernel.transit.configureKey({ name: 'aes', min_encryption_version: 2, auto_rotate_period: '2h' }),
  },
  use('made-at-once'),
  { name: 'a batch that makes its key', run: (world) => encryptBatch(world, 'made-by-batch', 5) },
  { name: 'settings', run: ({ kernel }) => kernel.transit.configureKeys({ disable_upsert: true }) },
  remove('aged'),
  TICK,
  pass(HOUR + HOUR / 6),
  TICK,
  use('chacha'),
  pass(HOUR),
  TICK,
  {
    name: 'configure chacha',
    run: ({ kernel }) => kernel.transit.configureKey({ name: 'chacha', deletion_allowed: true, auto_rotate_period: 0 }),
  },
  remove('chacha'),
  { name: 'create aged anew', run: ({ kernel }) => kernel.transit.createKey({ name: 'aged' }) },
  rotate('mac'),
  {
    name: 'a certificate for signer',
    run: async ({ kernel }) => {
      const certificate_chain = certificate(await spkiOf(kernel, 'signer', 2))
      return kernel.transit.setCertificate({ name: 'signer', certificate_chain })
    },
  },
  { name: 'derive agreed', run: deriveAgreed },
  { name: 'derive a version of agreed', run: deriveAgreed },
  use('agreed'),
  { name: 'soft-delete curve', run: ({ kernel }) => kernel.transit.softDeleteKey({ name: 'curve' }) },
  { name: 'restore curve', run: ({ kernel }) => kernel.transit.undeleteKey({ name: 'curve' }) },
  { name: 'cache size', run: ({ kernel }) => kernel.transit.configureCache({ size: 100 }) },
  ...MOVES,
]

/** The visible state of every key, without the times that a restart shifts. */
export async function snapshot(kernel: Kernel): Promise<Readonly<Record<string, unknown>>> {
  const { keys: names } = await kernel.transit.listKeys({})
  const settings = [await kernel.transit.readKeysConfig({}), await kernel.transit.readCacheConfig({})]
  const shown: Record<string, unknown> = { settings }
  for (const name of names) {
    // Encryption counts may be higher after a crash. Another test checks that they are never lower.
    const { keys, encryptions: _, backup_info, restore_info, ...record } = await kernel.transit.readKey({ name })
    // Certificates contain keys, which differ in every run, so compare only whether there is one.
    const versions = Object.entries(keys).map(([version, key]) => [
      version,
      typeof key === 'object' && key.certificate_chain !== '',
    ])
    shown[name] = { ...record, versions, backedUp: backup_info?.version, restored: restore_info?.version }
  }
  return shown
}
