/**
 * The titles are the rows of a list of Vault's defects. Each case is a sequence of requests that a user could send.
 */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { element, sequence } from '../../src/core/crypto/asn1/der-writer.ts'
import { decodeEcdsaSignature, encodeEcdsaSignature } from '../../src/core/crypto/ecdsa-der.ts'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { certificate, extensionRequest, name as nameOf, request, spkiOf } from '../fixtures/certificates.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { RSA_PAIR_4096 } from '../fixtures/rsa-keys.ts'
import { describeWithShared, sharedUrl } from '../fixtures/shared-data.ts'
import { kernelWithWrappingKey } from '../fixtures/wrapping-kernel.ts'
import { ask, base64, bytesOf, utf8 } from '../property/support.ts'
import { importByPath, kwp, oaep, wrappingKey } from './import-blob.ts'

usePreparedRsaKeys()

const PUBLIC_PEM = RSA_PAIR_4096.publicKey.export({ type: 'spki', format: 'pem' }) as string

type Case = (kernel: Kernel) => Promise<void>

const X = base64(utf8('x'))

async function statuses(kernel: Kernel, calls: readonly (readonly [string, string, unknown?])[]): Promise<readonly number[]> {
  const found: number[] = []
  for (const [method, path, body] of calls) found.push((await ask(kernel, method, path, body)).status)
  return found
}

/** Returns a backup whose content was changed. */
async function blob(kernel: Kernel, change: (archive: { policy: Record<string, unknown> }) => unknown): Promise<string> {
  await ask(kernel, 'POST', 'keys/source', { exportable: true, allow_plaintext_backup: true })
  const { data } = await ask(kernel, 'GET', 'backup/source')
  const archive = JSON.parse(Buffer.from(data['backup'] as string, 'base64').toString()) as { policy: Record<string, unknown> }
  return base64(utf8(JSON.stringify(change(archive) ?? archive)))
}

const pemOf = (der: Uint8Array): string => `-----BEGIN PUBLIC KEY-----\n${base64(der)}\n-----END PUBLIC KEY-----\n`

async function publicPem(kernel: Kernel, name: string, version = 1): Promise<string> {
  const shown = ((await kernel.transit.readKey({ name })).keys[version] as { public_key: string }).public_key
  return shown.startsWith('-----') ? shown : pemOf(await spkiOf(kernel, name, version))
}

/** Creates a key `only` with the public half of a key `pair`, and imports a public key `for-them` as the export target. */
async function publicOnly(kernel: Kernel, type: string): Promise<void> {
  await kernel.transit.createKey({ name: 'pair', type: type as KeyTypeName })
  await kernel.transit.importKey({ name: 'only', type: type as KeyTypeName, public_key: await publicPem(kernel, 'pair') })
  await kernel.transit.configureKey({ name: 'only', exportable: true })
  await kernel.transit.importKey({ name: 'for-them', type: 'rsa-4096', public_key: PUBLIC_PEM })
}

const CASES: Readonly<Record<string, Case>> = {
  'Many caller mistakes answered 500 (marked `*`)': async (kernel) => {
    await ask(kernel, 'POST', 'keys/aes', {})
    await ask(kernel, 'POST', 'keys/rsa', { type: 'rsa-2048' })
    const calls: [string, string, unknown?][] = [
      ['POST', 'keys/k', { type: 'ecdsa-p256', derived: true }],
      ['POST', 'keys/k', { type: 'ed25519', derived: true, convergent_encryption: true }],
      ['POST', 'keys/k/import', { type: 'aes256-gcm96', ciphertext: X }],
      ['POST', 'keys/aes/import', { type: 'aes256-gcm96', ciphertext: X }],
      ['POST', 'keys/aes/import_version', { ciphertext: X }],
      ['POST', 'encrypt/aes', { plaintext: X, associated_data: '%' }],
      ['POST', 'encrypt/aes', { batch_input: [{ plaintext: 1 }] }],
      ['POST', 'encrypt/rsa', { plaintext: base64(new Uint8Array(400)) }],
      ['POST', 'decrypt/rsa', { ciphertext: `strongroom:v1:${base64(new Uint8Array(256))}` }],
      ['POST', 'sign/rsa', { input: X, signature_algorithm: 'rsa' }],
      ['POST', 'sign/rsa', { input: X, key_version: 9 }],
      ['POST', 'sign/rsa', { input: X, salt_length: '1000' }],
      ['GET', 'export/encryption-key/aes'],
      ['GET', 'export/public-key/aes'],
      ['GET', 'byok-export/aes/rsa'],
      ['GET', 'backup/aes'],
      ['POST', 'restore/k', { backup: '%' }],
      ['POST', 'derive-key/k', { base_key_name: 'aes', peer_public_key: 'x' }],
      ['POST', 'datakey/plaintext/aes', { associated_data: '%' }],
    ]
    expect(await statuses(kernel, calls)).toEqual(calls.map(() => 400))
  },

  '"already existed" warnings never shown': async (kernel) => {
    await kernel.transit.createKey({ name: 'k' })
    const { data, warnings } = await ask(kernel, 'POST', 'keys/k', { type: 'ed25519' })
    expect([data['type'], warnings]).toEqual(['aes256-gcm96', [expect.stringContaining('k')]])
  },

  'restore replaces the import wrapping key (8.24)': async (kernel) => {
    const before = await wrappingKey(kernel)
    const backup = await blob(kernel, ({ policy }) => {
      policy['name'] = 'import/wrapping-key'
    })
    expect(
      await statuses(kernel, [
        ['POST', 'restore', { backup }],
        ['POST', 'restore', { backup, force: true }],
      ]),
    ).toEqual([400, 400])
    expect(await wrappingKey(kernel)).toBe(before)
  },

  'restore takes blobs that cannot work (8.24), crashes on JSON without policy': async (kernel) => {
    const changes: ((archive: { policy: Record<string, unknown> }) => unknown)[] = [
      ({ policy }) => void Object.assign(policy, { type: 99 }),
      ({ policy }) => void Object.assign(policy, { latest_version: 7 }),
      ({ policy }) => void Object.assign((policy['keys'] as Record<string, object>)['1'] as object, { key: X }),
      () => ({ archived_keys: { keys: [] } }),
    ]
    for (const change of changes) {
      const backup = await blob(kernel, change)
      expect(await statuses(kernel, [['POST', 'restore/k', { backup }]])).toEqual([400])
    }
    expect((await kernel.transit.listKeys()).keys).toEqual(['source'])
  },

  'critical extensions of a CSR template are destroyed (8.25)': async (kernel) => {
    await kernel.transit.createKey({ name: 'k', type: 'ed25519' })
    const critical = sequence(
      element(0x06, Uint8Array.of(0x55, 0x1d, 0x0f)),
      element(0x01, Uint8Array.of(0xff)),
      element(0x04, Uint8Array.of(3, 2, 5, 160)),
    )
    const template = request(nameOf('subject'), [extensionRequest(critical)])
    const { csr } = await kernel.transit.signCsr({ name: 'k', csr: template })
    const attributes = '0603551d0f0101ff0404030205a0'
    expect(Buffer.from(csr.replace(/-----.*-----|\n/g, ''), 'base64').toString('hex')).toContain(attributes)
  },

  'derive-key adds versions to rings of other kinds (8.29)': async (kernel) => {
    await kernel.transit.createKey({ name: 'base', type: 'ecdsa-p256' })
    await kernel.transit.createKey({ name: 'aes' })
    await kernel.transit.createKey({ name: 'mac', type: 'hmac' })
    const peer_public_key = await publicPem(kernel, 'base')
    const derive = (name: string, more: object = {}) =>
      ask(kernel, 'POST', `derive-key/${name}`, { base_key_name: 'base', peer_public_key, ...more })
    expect((await derive('shared')).status).toBe(204)
    for (const name of ['aes', 'mac', 'base']) expect((await derive(name)).status).toBe(400)
    expect((await derive('shared', { derived_key_type: 'aes128-gcm96' })).status).toBe(400)
    expect((await derive('shared')).status).toBe(204)
    const versions = async (name: string) => (await kernel.transit.readKey({ name })).latest_version
    expect([await versions('aes'), await versions('mac'), await versions('base'), await versions('shared')]).toEqual([1, 1, 1, 2])
  },

  'import makes derived rings of types that cannot be derived; takes any auto_rotate_period (8.2)': async (kernel) => {
    const context = { derived: true, context: X }
    expect((await importByPath(kernel, 'mac', 'hmac', bytesOf(32, 1), context)).status).toBe(400)
    const hourly = { allow_rotation: true, auto_rotate_period: '59m' }
    expect((await importByPath(kernel, 'aes', 'aes256-gcm96', bytesOf(32, 1), hourly)).status).toBe(400)
    expect((await kernel.transit.listKeys()).keys).toEqual([])
  },

  'signature and hmac together pass as signature (8.20)': async (kernel) => {
    await kernel.transit.createKey({ name: 'k', type: 'ed25519' })
    const input = utf8('x')
    const { signature } = await kernel.transit.sign({ name: 'k', input })
    const { hmac } = await kernel.transit.hmac({ name: 'k', input })
    await expect(kernel.transit.verify({ name: 'k', input, signature, hmac } as never)).rejects.toMatchObject({ status: 400 })
  },

  'DER with more than two elements verifies (5.8)': async (kernel) => {
    await kernel.transit.createKey({ name: 'k', type: 'ecdsa-p256' })
    const input = utf8('x')
    const { signature } = await kernel.transit.sign({ name: 'k', input })
    const der = Buffer.from(signature.split(':')[2] as string, 'base64')
    const more = Uint8Array.from([0x30, der[1]! + 3, ...der.subarray(2), 2, 1, 1])
    const forged = `strongroom:v1:${base64(more)}`
    await expect(kernel.transit.verify({ name: 'k', input, signature: forged })).rejects.toMatchObject({ status: 400 })
  },

  'byok-export of a public-only source crashes (8.22)': async (kernel) => {
    for (const type of ['ed25519', 'ecdsa-p256']) {
      const own = await createDevKernel()
      await publicOnly(own, type)
      expect((await ask(own, 'GET', 'byok-export/for-them/only')).status).toBe(400)
      await own.close()
    }
    await publicOnly(kernel, 'rsa-2048')
    expect((await ask(kernel, 'GET', 'byok-export/for-them/only')).status).toBe(400)
  },

  'kdf 0 with imported aes128 / ed25519 derived': async (kernel) => {
    const derived = { derived: true, context: X }
    const seed = bytesOf(32, 5)
    const pkcs8 = Uint8Array.from([...Buffer.from('302e020100300506032b657004220420', 'hex'), ...seed])
    expect((await importByPath(kernel, 'aes', 'aes128-gcm96', bytesOf(16, 4), derived)).status).toBe(204)
    expect((await importByPath(kernel, 'ed', 'ed25519', pkcs8, derived)).status).toBe(204)
    const context = utf8('context')
    const { ciphertext } = await kernel.transit.encrypt({ name: 'aes', plaintext: utf8('x'), context })
    expect((await kernel.transit.decrypt({ name: 'aes', ciphertext, context })).plaintext).toEqual(utf8('x'))
    const { signature } = await kernel.transit.sign({ name: 'ed', input: utf8('x'), context })
    expect((await kernel.transit.verify({ name: 'ed', input: utf8('x'), context, signature })).valid).toBe(true)
    expect((await kernel.transit.readKey({ name: 'ed' })).kdf).toBe('hkdf_sha256')
  },

  'hmac without key_size fails': async (kernel) => {
    for (const [name, more] of [
      ['a', {}],
      ['b', { key_size: 0 }],
    ] as const) {
      expect((await ask(kernel, 'POST', `keys/${name}`, { type: 'hmac', ...more })).data['key_size']).toBe(32)
    }
  },

  'hash_algorithm none on hmac crashes; so does restore of the JSON texts `{}` and `null` (connection drops)': async (kernel) => {
    await kernel.transit.createKey({ name: 'k' })
    const calls: [string, string, unknown][] = [
      ['POST', 'hmac/k/none', { input: X }],
      ['POST', 'hmac/k', { input: X, algorithm: 'none' }],
      ...['{}', 'null', '[]', '1', '""'].map((json): [string, string, unknown] => [
        'POST',
        'restore/r',
        { backup: base64(utf8(json)) },
      ]),
    ]
    expect(await statuses(kernel, calls)).toEqual(calls.map(() => 400))
  },

  'a refused single upsert leaves a ring in the cache that is never stored: what it seals is lost (8.12)': async (kernel) => {
    for (const fault of [{ plaintext: '%' }, { plaintext: X, key_version: 2 }, { plaintext: X, associated_data: '%' }]) {
      expect((await ask(kernel, 'POST', 'encrypt/k', fault)).status).toBe(400)
      expect((await ask(kernel, 'GET', 'keys/k')).status).toBe(404)
      expect((await ask(kernel, 'POST', 'decrypt/k', { ciphertext: 'strongroom:v1:AAAA' })).status).toBe(400)
    }
    expect((await kernel.transit.listKeys()).keys).toEqual([])
  },

  'two rotations at once may fail with a storage conflict (500, stored ciphertext in the message)': async (kernel) => {
    await kernel.transit.createKey({ name: 'k' })
    await Promise.all(Array.from({ length: 8 }, () => kernel.transit.rotateKey({ name: 'k' })))
    expect((await kernel.transit.readKey({ name: 'k' })).latest_version).toBe(9)
  },

  'plaintext null encrypts nothing (7)': async (kernel) => {
    await kernel.transit.createKey({ name: 'k' })
    expect((await ask(kernel, 'POST', 'encrypt/k', { plaintext: null })).status).toBe(400)
    expect((await ask(kernel, 'POST', 'encrypt/k', { batch_input: [{ plaintext: null }] })).status).toBe(400)
  },

  'single verify with both signature and hmac: the intended refusal is never reached, the signature counts': async (kernel) => {
    await kernel.transit.createKey({ name: 'k', type: 'ed25519' })
    const { data } = await ask(kernel, 'POST', 'sign/k', { input: X })
    const both = { input: X, signature: data['signature'], hmac: 'strongroom:v1:AAAA' }
    expect((await ask(kernel, 'POST', 'verify/k', both)).status).toBe(400)
  },

  'random/-1 (8.16); status codes below 200 on request (9); a template without placeholder restores (5.2)': async (kernel) => {
    expect((await ask(kernel, 'POST', 'random/-1', {})).status).toBe(400)
    await kernel.transit.createKey({ name: 'k' })
    for (const partial_failure_response_code of [100, 199, 0, 600]) {
      const batch_input = [{ plaintext: X }, { plaintext: '%' }]
      expect((await ask(kernel, 'POST', 'encrypt/k', { batch_input, partial_failure_response_code })).status).toBe(400)
    }
    for (const version_template of ['no placeholder', 'v{{version}}{{version}}:']) {
      const backup = await blob(kernel, ({ policy }) => void Object.assign(policy, { version_template }))
      expect((await ask(kernel, 'POST', 'restore/r', { backup })).status).toBe(400)
    }
  },

  'algorithm name in the hmac "unsupported" message is printed as a number': async (kernel) => {
    await kernel.transit.createKey({ name: 'k' })
    const { errors } = await ask(kernel, 'POST', 'hmac/k/sha5', { input: X })
    expect(errors).toEqual([expect.stringMatching(/hash_algorithm: .*sha2-256/)])
  },

  'ciphertext plus public_key not detected': async (kernel) => {
    await kernel.transit.createKey({ name: 'pair', type: 'rsa-2048' })
    const body = { type: 'rsa-2048', ciphertext: X, public_key: await publicPem(kernel, 'pair') }
    const { status, errors } = await ask(kernel, 'POST', 'keys/k/import', body)
    expect([status, errors]).toEqual([400, [expect.stringContaining('not both')]])
  },

  'associated_data / padding item errors leave status 200': async (kernel) => {
    await kernel.transit.createKey({ name: 'rsa', type: 'rsa-2048' })
    for (const fault of [{ associated_data: X }, { padding_scheme: 'pkcs1v15' }]) {
      const { status, data } = await ask(kernel, 'POST', 'encrypt/rsa', {
        batch_input: [{ plaintext: X }, { plaintext: X, ...fault }],
      })
      expect([status, (data['batch_results'] as { error?: string }[]).map(({ error }) => error === undefined)]).toEqual([
        400,
        [true, false],
      ])
    }
  },

  'archive copy not updated by set-certificate and private-half import': async (kernel) => {
    const own = await createDevKernel()
    await own.transit.createKey({ name: 'k', type: 'ed25519' })
    const certificate_chain = certificate(await spkiOf(own, 'k'))
    await own.transit.setCertificate({ name: 'k', certificate_chain })
    await own.transit.rotateKey({ name: 'k' })
    for (const min_decryption_version of [2, 1]) await own.transit.configureKey({ name: 'k', min_decryption_version })
    const { keys } = await own.transit.readKey({ name: 'k' })
    expect((keys['1'] as { certificate_chain: string }).certificate_chain).toBe(certificate_chain.trimEnd())
    await own.close()

    const seed = bytesOf(32, 6)
    const pkcs8 = Uint8Array.from([...Buffer.from('302e020100300506032b657004220420', 'hex'), ...seed])
    expect((await importByPath(kernel, 'pair', 'ed25519', pkcs8)).status).toBe(204)
    await kernel.transit.importKey({ name: 'k', type: 'ed25519', public_key: await publicPem(kernel, 'pair') })
    const ephemeral = bytesOf(32, 7)
    const pem = await wrappingKey(kernel)
    const ciphertext = Uint8Array.from([...oaep(pem, ephemeral, 'SHA256'), ...kwp(ephemeral, pkcs8)])
    await kernel.transit.importKeyVersion({ name: 'k', ciphertext, version: 1 })
    await kernel.transit.importKeyVersion({ name: 'k', public_key: await publicPem(kernel, 'pair') })
    for (const min_decryption_version of [2, 1]) await kernel.transit.configureKey({ name: 'k', min_decryption_version })
    expect((await kernel.transit.sign({ name: 'k', input: utf8('x'), key_version: 1 })).key_version).toBe(1)
  },

  'public-only RSA: decrypt (Vault), byok-export and set-certificate crash': async (kernel) => {
    await publicOnly(kernel, 'rsa-2048')
    const { ciphertext } = await kernel.transit.encrypt({ name: 'only', plaintext: utf8('x') })
    await expect(kernel.transit.decrypt({ name: 'only', ciphertext })).rejects.toMatchObject({ status: 400 })
    expect((await ask(kernel, 'GET', 'byok-export/for-them/only')).status).toBe(400)
    const der = Buffer.from((await publicPem(kernel, 'pair')).replace(/-----.*-----|\n/g, ''), 'base64')
    const set = (certificate_chain: string) => ask(kernel, 'POST', 'keys/only/set-certificate', { certificate_chain })
    expect((await set(certificate(Uint8Array.from(der)))).status).toBe(200)
    await kernel.transit.rotateKey({ name: 'pair' })
    const other = Buffer.from((await publicPem(kernel, 'pair', 2)).replace(/-----.*-----|\n/g, ''), 'base64')
    expect((await set(certificate(Uint8Array.from(other)))).status).toBe(400)
  },

  'public-key export of derived ed25519 reveals half of the derivation input': async (kernel) => {
    await kernel.transit.createKey({ name: 'k', type: 'ed25519', derived: true, exportable: true })
    expect((await ask(kernel, 'GET', 'export/public-key/k')).status).toBe(400)
  },

  'config rollback forgets auto_rotate_period': async (kernel) => {
    await kernel.transit.createKey({ name: 'k', auto_rotate_period: '2h' })
    const fault = { auto_rotate_period: '5h', exportable: true, min_decryption_version: 9 }
    expect((await ask(kernel, 'POST', 'keys/k/config', fault)).status).toBe(400)
    expect(await kernel.transit.readKey({ name: 'k' })).toMatchObject({ auto_rotate_period: 7200, exportable: false })
  },

  '`import/` in key list': async (kernel) => {
    await wrappingKey(kernel)
    await kernel.transit.createKey({ name: 'k' })
    expect((await ask(kernel, 'LIST', 'keys')).data['keys']).toEqual(['k'])
  },

  'HMAC prefix is the literal `vault`, whatever the service’s prefix': async (kernel) => {
    await kernel.transit.createKey({ name: 'k' })
    expect((await kernel.transit.hmac({ name: 'k', input: utf8('x') })).hmac).toMatch(/^strongroom:v1:/)
    const named = await createDevKernel({ naming: { ciphertextPrefix: 'ours' } })
    await named.transit.createKey({ name: 'k' })
    const { hmac } = await named.transit.hmac({ name: 'k', input: utf8('x') })
    expect(hmac).toMatch(/^ours:v1:/)
    expect((await named.transit.verify({ name: 'k', input: utf8('x'), hmac })).valid).toBe(true)
    await named.close()
  },

  'salt_length 0 means auto': async (kernel) => {
    await kernel.transit.createKey({ name: 'k', type: 'rsa-2048' })
    const input = utf8('x')
    const { signature } = await kernel.transit.sign({ name: 'k', input, salt_length: '0' })
    const valid = async (salt_length: 'auto' | 'hash' | `${number}`) =>
      (await kernel.transit.verify({ name: 'k', input, signature, salt_length })).valid
    // The maximum salt length, which Vault uses and expects: 256 - 32 - 2 bytes.
    expect([await valid('222'), await valid('hash'), await valid('0')]).toEqual([true, false, true])
  },

  'jws ECDSA verify accepts any length': async (kernel) => {
    await kernel.transit.createKey({ name: 'k', type: 'ecdsa-p256' })
    const input = utf8('x')
    const { signature } = await kernel.transit.sign({ name: 'k', input, marshaling_algorithm: 'jws' })
    const raw = Buffer.from(signature.split(':')[2] as string, 'base64url')
    const wide = Buffer.concat([Buffer.alloc(1), raw.subarray(0, 32), Buffer.alloc(1), raw.subarray(32)])
    const verify = async (bytes: Buffer) =>
      (
        await kernel.transit.verify({
          name: 'k',
          input,
          signature: `strongroom:v1:${bytes.toString('base64url')}`,
          marshaling_algorithm: 'jws',
        })
      ).valid
    expect([await verify(raw), await verify(wide), await verify(raw.subarray(0, 63))]).toEqual([true, false, false])
    expect(decodeEcdsaSignature(encodeEcdsaSignature(raw), 32)).toEqual(Uint8Array.from(raw))
  },

  'soft-deleted rings can still sign CSRs and act as ECDH base (OpenBao)': async (kernel) => {
    await kernel.transit.createKey({ name: 'k', type: 'ecdsa-p256' })
    const peer_public_key = await publicPem(kernel, 'k')
    await kernel.transit.softDeleteKey({ name: 'k' })
    const calls: [string, string, unknown][] = [
      ['POST', 'keys/k/csr', {}],
      ['POST', 'derive-key/d', { base_key_name: 'k', peer_public_key }],
      ['POST', 'keys/k/set-certificate', { certificate_chain: certificate(await spkiFrom(peer_public_key)) }],
    ]
    expect(await statuses(kernel, calls)).toEqual([400, 400, 400])
    await kernel.transit.undeleteKey({ name: 'k' })
    expect(await statuses(kernel, calls)).toEqual([200, 204, 200])
  },

  'restore takes the ring name inside the blob unchecked': async (kernel) => {
    for (const name of ['', '..', 'a/b', 'a.', ' ', 'ä']) {
      const backup = await blob(kernel, ({ policy }) => void Object.assign(policy, { name }))
      expect((await ask(kernel, 'POST', 'restore', { backup })).status).toBe(400)
    }
    expect((await kernel.transit.listKeys()).keys).toEqual(['source'])
  },

  'an empty POST to config/keys re-enables upsert': async (kernel) => {
    await ask(kernel, 'POST', 'config/keys', { disable_upsert: true })
    expect((await ask(kernel, 'POST', 'encrypt/k', { plaintext: X })).status).toBe(400)
    expect((await ask(kernel, 'POST', 'config/keys', {})).data).toEqual({ disable_upsert: false })
    expect((await ask(kernel, 'POST', 'encrypt/k', { plaintext: X })).status).toBe(200)
  },
}

const spkiFrom = async (pem: string): Promise<Uint8Array> =>
  Uint8Array.from(Buffer.from(pem.replace(/-----.*-----|\n/g, ''), 'base64'))

describe('the transit engine', () => {
  it.each(Object.entries(CASES))('does not have this defect of Vault: %s', async (_, run) => {
    const kernel = await kernelWithWrappingKey()
    try {
      await run(kernel)
    } finally {
      await kernel.close()
    }
  })
})

const LIST = 'reference/transit.md'

describeWithShared(LIST, 'the list of Vault defects in the transit reference', () => {
  it('has one test case for each row', () => {
    const section = /\n## 12\..*?\n\n([\s\S]*?)\n\n/.exec(readFileSync(sharedUrl(LIST), 'utf8'))?.[1] ?? ''
    const rows = section
      .split('\n')
      .slice(2)
      .map((row) => (row.split('|')[1] ?? '').trim().replaceAll("'", '’'))
    expect(rows.length).toBeGreaterThan(20)
    expect(rows).toEqual(Object.keys(CASES))
  })
})
