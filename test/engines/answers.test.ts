/**
 * Expected values come from real servers and OpenSSL. The keys are created or imported, and the operations are called by path, as a user
 * would.
 */

import { createECDH } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readCertificateRequest } from '../../src/core/crypto/asn1/requests.ts'
import type { CurveName } from '../../src/core/crypto/backend.ts'
import { counterKdf } from '../../src/core/crypto/counter-kdf.ts'
import { nobleCrypto } from '../../src/core/crypto/noble/index.ts'
import { decodeFirstPem } from '../../src/core/crypto/pem.ts'
import { ecSpkiPem } from '../../src/core/crypto/spki.ts'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import type { Kernel } from '../../src/index.ts'
import { ed25519Spki } from '../fixtures/certificates.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { describeWithShared, readSharedJson } from '../fixtures/shared-data.ts'
import { kernelWithWrappingKey } from '../fixtures/wrapping-kernel.ts'
import { ask, base64, utf8 } from '../property/support.ts'
import { importByPath } from './import-blob.ts'

usePreparedRsaKeys()

const FILE = 'reference/transit-vectors.json'

type Vector = Readonly<Record<string, string>>
interface BatchVector {
  readonly hmac_key_utf8: string
  readonly batch_input: readonly object[]
  readonly batch_results: readonly Vector[]
}
interface Vectors {
  readonly hash: readonly Vector[]
  readonly hmac: readonly Vector[]
  readonly hmac_batch: BatchVector
  readonly kdf_hmac_sha256_counter: readonly Vector[]
  readonly ecdsa_verify: readonly Vector[]
  readonly ed25519_derived_verify: readonly Vector[]
  readonly rsa_hash_none_input: { readonly input_b64: string; readonly parameters: object }
  readonly csr_template: { readonly pem: string; readonly types: readonly string[]; readonly refused_types: readonly string[] }
  readonly batch_shapes: readonly Vector[]
}

const CURVES: Readonly<Record<string, readonly [CurveName, string]>> = {
  'ecdsa-p256': ['P-256', 'prime256v1'],
  'ecdsa-p384': ['P-384', 'secp384r1'],
  'ecdsa-p521': ['P-521', 'secp521r1'],
}
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'))

describeWithShared(FILE, 'the transit engine, compared with recorded answers', () => {
  const vectors = readSharedJson<Vectors>(FILE)
  let kernel: Kernel
  const post = (path: string, body: object) => ask(kernel, 'POST', path, body)

  beforeAll(async () => {
    kernel = await kernelWithWrappingKey({ naming: { ciphertextPrefix: 'vault' } })
  })
  afterAll(() => kernel.close())

  it('computes hashes as recorded', async () => {
    expect(vectors.hash.length).toBeGreaterThan(5)
    for (const { algorithm, format, input_b64: input, expected } of vectors.hash) {
      expect((await post(`hash/${algorithm}`, { input, format })).data['sum']).toBe(expected)
    }
  })

  it('computes and verifies HMACs of an imported key as recorded', async () => {
    const key = utf8(vectors.hmac_batch.hmac_key_utf8)
    expect((await importByPath(kernel, 'mac', 'hmac', key)).status).toBe(204)
    for (const { algorithm, hmac_key_utf8, key_version, input_b64: input, expected } of vectors.hmac) {
      if (hmac_key_utf8 !== vectors.hmac_batch.hmac_key_utf8 || Number(key_version) > 1) continue
      const known = algorithm?.startsWith('sha')
      const { status, data } = await post('hmac/mac', { input, algorithm })
      if (!known) expect(status).toBe(400)
      else {
        expect(data['hmac']).toBe(expected)
        expect((await post(`verify/mac/${algorithm}`, { input, hmac: expected })).data).toEqual({ valid: true })
        expect((await post(`verify/mac/${algorithm}`, { input: 'AAAA', hmac: expected })).data).toEqual({ valid: false })
      }
    }
  })

  it('computes a batch of HMACs as recorded', async () => {
    const { batch_input, batch_results } = vectors.hmac_batch
    const { status, data } = await post('hmac/mac', { batch_input })
    expect(status).toBe(200)
    const found = data['batch_results'] as readonly Vector[]
    for (const [index, { error_meaning, ...expected }] of batch_results.entries()) {
      expect(found[index]).toEqual(error_meaning ? { ...expected, error: expect.stringContaining('input') } : expected)
    }
  })

  it('derives keys as recorded with the counter KDF, which the oldest derived keys use', () => {
    const cases = vectors.kdf_hmac_sha256_counter.filter(({ expected_hex }) => expected_hex !== undefined)
    expect(cases.length).toBeGreaterThan(0)
    for (const { key_hex = '', context_utf8 = '', expected_hex = '' } of cases)
      expect(counterKdf(nobleCrypto().hmac('sha2-256', bytes(key_hex)), utf8(context_utf8))).toEqual(bytes(expected_hex))
  })

  it('verifies recorded ECDSA signatures of OpenSSL with imported public keys', async () => {
    expect(vectors.ecdsa_verify.length).toBe(3)
    for (const { type = '', input_b64: input, x_hex = '', y_hex = '', d_hex = '', signature } of vectors.ecdsa_verify) {
      const [curve, openssl] = CURVES[type] as readonly [CurveName, string]
      const size = { 'P-256': 64, 'P-384': 96, 'P-521': 132 }[curve]
      const point = bytes(`04${x_hex.padStart(size, '0')}${y_hex.padStart(size, '0')}`)
      const pair = createECDH(openssl)
      pair.setPrivateKey(d_hex.padStart(size, '0'), 'hex')
      expect(Uint8Array.from(pair.getPublicKey())).toEqual(point)
      expect((await post(`keys/${type}/import`, { type, public_key: ecSpkiPem(curve, point) })).status).toBe(204)
      expect((await post(`verify/${type}`, { input, signature })).data).toEqual({ valid: true })
      expect((await post(`verify/${type}`, { input: 'AAAA', signature })).data).toEqual({ valid: false })
    }
  })

  it('verifies recorded Ed25519 signatures of derived keys with their public keys', async () => {
    expect(vectors.ed25519_derived_verify.length).toBe(4)
    for (const [index, vector] of vectors.ed25519_derived_verify.entries()) {
      const { input_b64: input, public_key_b64 = '', signature, valid } = vector as Vector & { valid: unknown }
      const spki = ed25519Spki(Uint8Array.from(Buffer.from(public_key_b64, 'base64')))
      const public_key = `-----BEGIN PUBLIC KEY-----\n${base64(spki)}\n-----END PUBLIC KEY-----\n`
      expect((await post(`keys/ed-${index}/import`, { type: 'ed25519', public_key })).status).toBe(204)
      expect((await post(`verify/ed-${index}`, { input, signature })).data).toEqual({ valid })
    }
  })

  it('verifies the RSA signature that it has made over unhashed input', async () => {
    const { input_b64: input, parameters } = vectors.rsa_hash_none_input
    await kernel.transit.createKey({ name: 'rsa', type: 'rsa-2048' })
    const { data } = await post('sign/rsa', { input, ...parameters })
    expect((await post('verify/rsa', { input, ...parameters, signature: data['signature'] })).data).toEqual({ valid: true })
  })

  it('signs a certificate request template with every key type that can sign', async () => {
    const { pem, types, refused_types } = vectors.csr_template
    const template = readCertificateRequest(decodeFirstPem(pem, 'vector'), 'vector')
    expect(types).toHaveLength(7)
    for (const type of types) {
      await kernel.transit.createKey({ name: `csr-${type}`, type: type as KeyTypeName })
      const { data } = await post(`keys/csr-${type}/csr`, { csr: pem })
      expect(readCertificateRequest(decodeFirstPem(data['csr'] as string, 'ours'), 'ours')).toEqual(template)
    }
    for (const type of refused_types) {
      await kernel.transit.createKey({ name: `csr-${type}`, type: type as KeyTypeName })
      expect((await post(`keys/csr-${type}/csr`, { csr: pem })).status).toBe(400)
    }
  }, 60_000)

  it('encrypts and decrypts batches with the recorded results', async () => {
    const shape = (id: string) => vectors.batch_shapes.find((shape) => shape['id'] === id) as unknown as Record<string, unknown>
    const plain = shape('decrypt-batch-json')
    const references = plain['references'] as readonly string[]
    const sealed = await post('encrypt/shapes', {
      batch_input: (plain['plaintexts_b64'] as string[]).map((plaintext) => ({ plaintext })),
    })
    const made = sealed.data['batch_results'] as readonly { ciphertext: string }[]
    const batch_input = made.map(({ ciphertext }, index) => ({ ciphertext, reference: references[index] }))
    const opened = await post('decrypt/shapes', { batch_input })
    expect(opened.data['batch_results']).toEqual(JSON.parse(plain['batch_results_json'] as string))

    const mixed = await post('encrypt/mixed', { batch_input: shape('encrypt-batch-mixed-context')['batch_input'] })
    expect([mixed.status, mixed.data['batch_results']]).toEqual([400, undefined])
    const bad = await post('encrypt/derived', { batch_input: shape('encrypt-batch-bad-context')['batch_input'] })
    const results = bad.data['batch_results'] as readonly { error?: string; ciphertext?: string }[]
    expect([bad.status, results.map(({ error }) => error === undefined)]).toEqual([400, [true, false]])
    const odd = await post('encrypt/shapes', { batch_input: shape('encrypt-batch-not-a-map')['batch_input'] })
    expect([odd.status, odd.data['batch_results']]).toEqual([400, undefined])

    const context = 'dmlzaGFsCg=='
    const right = { ciphertext: results[0]?.ciphertext, context }
    const wrong = { ...right, context: 'AAAA' }
    const outcome = async (items: readonly object[], more: object = {}) => {
      const { status, data } = await post('decrypt/derived', { batch_input: items, ...more })
      return [status, (data['batch_results'] as { error?: string }[] | undefined)?.map(({ error }) => error === undefined)]
    }
    expect(await outcome([{ ciphertext: 'xxx', context }])).toEqual([400, [false]])
    expect(await outcome([wrong])).toEqual([400, [false]])
    expect(await outcome([wrong, right])).toEqual([400, [false, true]])
    expect(await outcome([wrong, right], { partial_failure_response_code: 202 })).toEqual([202, [false, true]])
    expect(await outcome([wrong, wrong], { partial_failure_response_code: 202 })).toEqual([400, [false, false]])
    expect(await outcome([])).toEqual([400, undefined])
  })
})
