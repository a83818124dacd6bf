/**
 * Keys are moved by export and import, by backup and restore, and wrapped for another kernel. Data from before the move must decrypt and
 * verify afterwards, for every key type and several versions.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { importByPath, wrapped, wrappingKey } from '../engines/import-blob.ts'
import fc from '../fixtures/fast-check.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { runs } from '../fixtures/runs.ts'
import { kernelWithWrappingKey } from '../fixtures/wrapping-kernel.ts'
import { ask, base64, bytesOf, FEW, RSA, SYMMETRIC, small, some } from './support.ts'

usePreparedRsaKeys()

const SIGNING = ['ed25519', 'ecdsa-p256', 'ecdsa-p384', 'ecdsa-p521'] as const
const RSA_TYPES = RSA.slice(0, runs({ quick: 1, soak: 3 }))
const TYPES = [...SYMMETRIC, ...SIGNING, ...RSA_TYPES, 'hmac'] as const
type Type = (typeof TYPES)[number]
const VERSIONS = 3

const ENCRYPTS: readonly string[] = [...SYMMETRIC, ...RSA_TYPES]
const SIGNS: readonly string[] = [...SIGNING, ...RSA_TYPES]

interface Made {
  readonly version: number
  readonly input: Uint8Array
  readonly bound: { readonly context?: Uint8Array }
  readonly ciphertext?: string
  readonly signature?: string
  readonly hmac?: string
}

/** Creates a ciphertext, a signature and an HMAC of one input, as far as the key type supports them. */
async function make(
  kernel: Kernel,
  name: string,
  type: Type,
  version: number,
  input: Uint8Array,
  context?: Uint8Array,
): Promise<Made> {
  const bound = context ? { context } : {}
  const at = { name, key_version: version }
  const { transit } = kernel
  return {
    version,
    input,
    bound,
    ...(ENCRYPTS.includes(type) ? { ciphertext: (await transit.encrypt({ ...at, ...bound, plaintext: input })).ciphertext } : {}),
    ...(SIGNS.includes(type) ? { signature: (await transit.sign({ ...at, ...bound, input })).signature } : {}),
    hmac: (await transit.hmac({ ...at, input })).hmac,
  }
}

/** @param withHmacs Backups contain HMAC keys; exports do so only for type hmac. */
async function check(kernel: Kernel, name: string, all: readonly Made[], withHmacs: boolean): Promise<void> {
  const { transit } = kernel
  for (const { input, bound, ciphertext, signature, hmac } of all) {
    if (ciphertext) expect((await transit.decrypt({ name, ciphertext, ...bound })).plaintext).toEqual(input)
    if (signature) expect((await transit.verify({ name, input, signature, ...bound })).valid).toBe(true)
    if (hmac && withHmacs) expect((await transit.verify({ name, input, hmac })).valid).toBe(true)
  }
}

const inputs = fc.array(small, { minLength: VERSIONS, maxLength: VERSIONS })

/** RSA cannot encrypt longer inputs. */
const cut = (input: Uint8Array): Uint8Array => input.subarray(0, 190)

let here: Kernel
let there: Kernel
let recipient: string
let moves = 0

async function original(type: Type, derived = false): Promise<string> {
  const name = `from-${moves++}`
  const key_size = type === 'hmac' ? 32 + (moves % 200) : 0
  await here.transit.createKey({ name, type, key_size, derived, exportable: true, allow_plaintext_backup: true })
  for (let version = 2; version <= VERSIONS; version++) await here.transit.rotateKey({ name })
  return name
}

const makeAll = (name: string, type: Type, from: readonly Uint8Array[], context?: Uint8Array) =>
  Promise.all(from.map((input, index) => make(here, name, type, index + 1, cut(input), context)))

beforeAll(async () => {
  here = await createDevKernel()
  there = await kernelWithWrappingKey()
  recipient = await wrappingKey(there)
  await here.transit.importKey({ name: 'the-other-kernel', type: 'rsa-4096', public_key: recipient })
})
afterAll(async () => {
  await here.close()
  await there.close()
})

/** Few runs, because each version is wrapped and unwrapped with an RSA key of 4,096 bits. */
const wrappedRuns = { numRuns: runs({ quick: 2, soak: FEW }) }
const kindOf = (type: Type) => (ENCRYPTS.includes(type) ? 'encryption-key' : SIGNS.includes(type) ? 'signing-key' : 'hmac-key')

describe.each(TYPES)('a transit key of type %s in another kernel', (type) => {
  it('decrypts and verifies data of the original key after export and import', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, async (from) => {
        const name = await original(type)
        const made = await makeAll(name, type, from)
        const raw = SIGNS.includes(type) ? '' : 'raw'
        const { keys } = await here.transit.exportKey({ key_type: kindOf(type), name, format: raw || 'der' })
        for (const [version, text] of Object.entries(keys)) {
          const ciphertext = wrapped(recipient, Buffer.from(text, 'base64'))
          if (version === '1') await there.transit.importKey({ name, type, ciphertext })
          else await there.transit.importKeyVersion({ name, ciphertext })
        }
        await check(there, name, made, type === 'hmac')
      }),
      wrappedRuns,
    )
  })

  it('decrypts and verifies data of the original key after an export wrapped for the other kernel', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, fc.constantFrom('SHA1', 'SHA224', 'SHA256', 'SHA384', 'SHA512'), async (from, hash) => {
        const name = await original(type)
        const made = await makeAll(name, type, from)
        const { keys } = await here.transit.exportWrappedKey({ destination: 'the-other-kernel', source: name, hash })
        for (const [version, text] of Object.entries(keys)) {
          const request = { name, ciphertext: Uint8Array.from(Buffer.from(text, 'base64')), hash_function: hash }
          if (version === '1') await there.transit.importKey({ ...request, type })
          else await there.transit.importKeyVersion(request)
        }
        await check(there, name, made, type === 'hmac')
      }),
      wrappedRuns,
    )
  })

  const forms = type === 'xchacha20-poly1305' ? (['openbao'] as const) : (['openbao', 'vault'] as const)
  const derivable = (SYMMETRIC as readonly string[]).includes(type) || type === 'ed25519'
  it('has the same settings after backup and restore, and decrypts and verifies data of the original key', async () => {
    const settings = fc.record({
      form: fc.constantFrom(...forms),
      derived: derivable ? fc.boolean() : fc.constant(false),
      context: some,
    })
    await fc.assert(
      fc.asyncProperty(inputs, settings, fc.boolean(), async (from, { form, derived, context }, twice) => {
        const name = await original(type, derived)
        const made = await makeAll(name, type, from, derived ? context : undefined)
        const first = await here.transit.backupKey({ name, form })
        await there.transit.restoreKey({ backup: first.backup })
        if (twice) await there.transit.restoreKey({ backup: (await there.transit.backupKey({ name, form })).backup, force: true })
        await check(there, name, made, true)
        const [from1, to] = [await here.transit.readKey({ name }), await there.transit.readKey({ name })]
        const { restore_info, backup_info, encryptions: _, ...shown } = to as unknown as Record<string, unknown>
        const { backup_info: backupInfo, encryptions: __, ...expected } = from1 as unknown as Record<string, unknown>
        expect(shown).toEqual(expected)
        expect([restore_info, backup_info, backupInfo]).toEqual(Array(3).fill(expect.objectContaining({ version: VERSIONS })))
      }),
      // Few runs for RSA, because generating a key takes longer than everything else.
      ENCRYPTS.includes(type) && SIGNS.includes(type) ? wrappedRuns : { numRuns: FEW },
    )
  })
})

describe('a convergent key restored in another kernel', () => {
  it.each(SYMMETRIC)('creates the same ciphertexts as the original key: type %s', async (type) => {
    await fc.assert(
      fc.asyncProperty(small, some, async (plaintext, context) => {
        const name = `convergent-${moves++}`
        await here.transit.createKey({
          name,
          type,
          derived: true,
          convergent_encryption: true,
          exportable: true,
          allow_plaintext_backup: true,
        })
        await here.transit.rotateKey({ name })
        const { backup } = await here.transit.backupKey({ name })
        await there.transit.restoreKey({ backup })
        for (const key_version of [1, 2]) {
          const request = { name, plaintext, context, key_version }
          expect((await there.transit.encrypt(request)).ciphertext).toBe((await here.transit.encrypt(request)).ciphertext)
        }
      }),
      { numRuns: FEW },
    )
  })
})

describe('a transit key backup', () => {
  it('contains all versions that were not trimmed, and no others', async () => {
    const name = 'aged'
    await here.transit.createKey({ name, exportable: true, allow_plaintext_backup: true })
    for (let version = 2; version <= 6; version++) await here.transit.rotateKey({ name })
    const made = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((version) => make(here, name, 'aes256-gcm96', version, bytesOf(10, version))),
    )
    await here.transit.configureKey({ name, min_encryption_version: 5, min_decryption_version: 5 })
    await here.transit.trimKey({ name, min_available_version: 3 })
    const { backup } = await here.transit.backupKey({ name })
    await there.transit.restoreKey({ backup })
    const known = async (version: number) => {
      const [outcome] = await Promise.allSettled([check(there, name, [made[version - 1] as Made], true)])
      return outcome.status === 'fulfilled'
    }
    const usable = async () => (await Promise.all([1, 2, 3, 4, 5, 6].map(known))).map(Number).join('')
    expect(await usable()).toBe('000011')
    await there.transit.configureKey({ name, min_decryption_version: 3 })
    expect(await usable()).toBe('001111')
    await expect(there.transit.configureKey({ name, min_decryption_version: 2 })).rejects.toMatchObject({ status: 400 })
  })

  it('contains the ciphertext prefix, so that a kernel with another prefix can decrypt after a restore', async () => {
    await here.transit.createKey({ name: 'own-form', exportable: true, allow_plaintext_backup: true })
    const { ciphertext } = await here.transit.encrypt({ name: 'own-form', plaintext: bytesOf(5, 5) })
    const { backup } = await here.transit.backupKey({ name: 'own-form' })
    expect(JSON.parse(Buffer.from(backup, 'base64').toString()).policy.version_template).toBe('strongroom:v{{version}}:')
    const vault = await createDevKernel({ naming: { ciphertextPrefix: 'vault', headerPrefix: 'X-Vault' } })
    await vault.transit.restoreKey({ backup })
    expect((await vault.transit.decrypt({ name: 'own-form', ciphertext })).plaintext).toEqual(bytesOf(5, 5))
    expect((await vault.transit.encrypt({ name: 'own-form', plaintext: bytesOf(5, 5) })).ciphertext).toMatch(/^strongroom:v1:/)
    await vault.close()
  })

  it('has the type number and the members of OpenBao or of Vault, whichever is requested', async () => {
    await here.transit.createKey({ name: 'numbered', type: 'hmac', exportable: true, allow_plaintext_backup: true })
    const policy = async (form: 'openbao' | 'vault') => {
      const { backup } = await here.transit.backupKey({ name: 'numbered', form })
      return JSON.parse(Buffer.from(backup, 'base64').toString()).policy
    }
    const [openbao, vault] = [await policy('openbao'), await policy('vault')]
    expect([openbao.type, openbao.soft_deleted]).toEqual([10, false])
    expect([vault.type, 'soft_deleted' in vault]).toEqual([11, false])
    for (const form of [openbao, vault])
      expect(form).toMatchObject({ key_size: 32, keys: { 1: { key: form.keys['1'].hmac_key } } })
  })

  it('is refused in the form of Vault if Vault lacks the key type', async () => {
    await here.transit.createKey({ name: 'x', type: 'xchacha20-poly1305', exportable: true, allow_plaintext_backup: true })
    await expect(here.transit.backupKey({ name: 'x', form: 'vault' })).rejects.toMatchObject({ status: 400 })
    await expect(here.transit.backupKey({ name: 'x' })).resolves.toBeDefined()
  })
})

describe('calls by path and typed calls', () => {
  it('import and export transit keys by the same rules', async () => {
    const material = bytesOf(32, 4)
    const by = { type: 'aes256-gcm96', exportable: true } as const
    await there.transit.importKey({ name: 'typed', ...by, ciphertext: wrapped(recipient, material) })
    expect(await importByPath(there, 'pathed', 'aes256-gcm96', material, { exportable: true })).toMatchObject({ status: 204 })
    const typed = await there.transit.exportKey({ key_type: 'encryption-key', name: 'typed' })
    const pathed = await ask(there, 'GET', 'export/encryption-key/pathed')
    expect([typed.keys, pathed.data['keys']]).toEqual([{ 1: base64(material) }, { 1: base64(material) }])
    await expect(there.transit.exportKey({ key_type: 'encryption-key', name: 'nowhere' })).rejects.toMatchObject({ status: 404 })
    await expect(there.transit.backupKey({ name: 'typed' })).rejects.toMatchObject({ status: 400 })
    await expect(
      there.transit.importKey({ name: 'k', ...by, ciphertext: 'text' as unknown as Uint8Array }),
    ).rejects.toBeInstanceOf(TypeError)
  })
})
