/**
 * Vectors from the tests and documents of Vault and OpenBao. Keys are imported or restored, and operations are called by path, as a user
 * would.
 */
import { createPrivateKey } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { counterKdf } from '../../src/core/crypto/counter-kdf.ts'
import { unwrapKeyPadded } from '../../src/core/crypto/key-wrap.ts'
import { nobleCrypto } from '../../src/core/crypto/noble/index.ts'
import type { Kernel } from '../../src/index.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { describeWithShared, readSharedJson } from '../fixtures/shared-data.ts'
import { ask, base64 } from '../property/support.ts'
import { hex, unhex } from '../vectors/load.ts'
import { vaultKernelForImports } from './golden/load.ts'
import { backupText, encoded } from './hostile/refusals.ts'
import { importByPath } from './import-blob.ts'

usePreparedRsaKeys()

const FILE = 'reference/transit-vectors.json'

interface HmacVector {
  readonly id: string
  readonly algorithm: string
  readonly hmac_key_utf8: string
  readonly key_version: number
  readonly input_b64: string
  readonly expected: string
}

describeWithShared(FILE, 'the transit engine with test vectors of Vault and OpenBao', () => {
  // biome-ignore lint/suspicious/noExplicitAny: every entry of the document has another shape.
  const all = readSharedJson<any>(FILE)
  let kernel: Kernel
  let names = 0
  const post = (path: string, body: object) => ask(kernel, 'POST', path, body)
  const get = (path: string) => ask(kernel, 'GET', path)
  const utf8 = (text: string) => new TextEncoder().encode(text)

  beforeAll(async () => {
    kernel = await vaultKernelForImports()
  })
  afterAll(() => kernel.close())

  async function imported(type: string, material: Uint8Array, more: object = {}, status = 204): Promise<string> {
    const name = `v${names++}`
    expect(await importByPath(kernel, name, type, material, { exportable: true, ...more })).toMatchObject({ status })
    return name
  }

  it('computes and verifies the HMACs of the vectors', async () => {
    const vectors: readonly HmacVector[] = all.hmac
    expect(vectors.length).toBe(10)
    for (const { hmac_key_utf8, key_version, algorithm, input_b64: input, expected } of vectors) {
      const name = await imported('hmac', utf8(hmac_key_utf8))
      const keys: Record<number, string> = { 1: hmac_key_utf8, [key_version]: hmac_key_utf8 }
      for (let version = 2; version <= key_version; version++)
        await post(`keys/${name}/import_version`, { ciphertext: await blobOf(utf8(keys[version] ?? hmac_key_utf8)) })
      expect(await post(`hmac/${name}/${algorithm}`, { input, key_version })).toMatchObject({ data: { hmac: expected } })
      expect(await post(`verify/${name}/${algorithm}`, { input, hmac: expected })).toMatchObject({ data: { valid: true } })
    }
    const [flipped, tooOld] = all.hmac_verify_negative
    const name = await imported('hmac', utf8(flipped.hmac_key_utf8))
    const request = { input: flipped.input_b64, hmac: flipped.hmac }
    expect(await post(`verify/${name}`, request)).toMatchObject({ status: 200, data: { valid: false } })
    await post(`keys/${name}/import_version`, { ciphertext: await blobOf(utf8(flipped.hmac_key_utf8)) })
    await post(`keys/${name}/config`, { min_decryption_version: 2 })
    expect((await post(`verify/${name}`, { input: flipped.input_b64, hmac: tooOld.hmac })).status).toBe(400)
  })

  async function blobOf(material: Uint8Array): Promise<string> {
    const { wrapped, wrappingKey } = await import('./import-blob.ts')
    return base64(wrapped(await wrappingKey(kernel), material))
  }

  it('computes a batch of HMACs as in the vectors', async () => {
    const { hmac_key_utf8, algorithm, batch_input, batch_results, status } = all.hmac_batch
    const name = await imported('hmac', utf8(hmac_key_utf8))
    const answer = await post(`hmac/${name}`, { algorithm, batch_input })
    expect(answer.status).toBe(status)
    for (const [index, { hmac, reference, error_meaning }] of batch_results.entries()) {
      const shown = (answer.data['batch_results'] as readonly Record<string, unknown>[])[index]
      expect(shown).toMatchObject(error_meaning ? { reference, error: expect.any(String) } : { reference, hmac })
    }
  })

  it('computes hashes as in the vectors', async () => {
    for (const { algorithm, format, input_b64: input, expected } of all.hash)
      expect(await post(`hash/${algorithm}`, { input, format })).toMatchObject({ data: { sum: expected } })
  })

  it.each(all.ecdsa_verify as readonly Record<string, string>[])(
    'verifies the ECDSA signature $id and exports the key unchanged',
    async (v) => {
      const [d, x, y] = ['d_hex', 'x_hex', 'y_hex'].map((name) => String(v[name]))
      const size = { 'ecdsa-p256': 32, 'ecdsa-p384': 48, 'ecdsa-p521': 66 }[v['type'] as 'ecdsa-p256']
      const url = (text: string | undefined) => Buffer.from(String(text).padStart(2 * size, '0'), 'hex').toString('base64url')
      const crv = `P-${String(v['type']).slice(-3)}`
      const jwk = { kty: 'EC', crv, d: url(d), x: url(x), y: url(y) }
      const der = createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs8', format: 'der' })
      const name = await imported(String(v['type']), der)
      const body = { input: v['input_b64'], signature: v['signature'], marshaling_algorithm: v['marshaling_algorithm'] }
      expect(await post(`verify/${name}/${v['hash_algorithm']}`, body)).toMatchObject({ data: { valid: v['valid'] } })
      const exported = (await get(`export/signing-key/${name}`)).data['keys'] as Record<string, string>
      if (v['private_key_sec1_pem']) expect(exported['1']).toBe(v['private_key_sec1_pem'])
    },
  )

  it('verifies Ed25519 signatures of derived keys with the public keys of the vectors', async () => {
    expect(all.ed25519_derived_verify.length).toBe(4)
    for (const { public_key_b64, input_b64: input, signature, valid } of all.ed25519_derived_verify) {
      const name = `v${names++}`
      const spki = base64(Buffer.concat([unhex('302a300506032b6570032100'), Buffer.from(public_key_b64, 'base64')]))
      const public_key = `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`
      expect(await post(`keys/${name}/import`, { type: 'ed25519', public_key })).toMatchObject({ status: 204 })
      expect(await post(`verify/${name}`, { input, signature })).toMatchObject({ status: 200, data: { valid } })
    }
  })

  it('verifies the RSA signature that it has made over unhashed input', async () => {
    const { input_b64: input, parameters } = all.rsa_hash_none_input
    await post('keys/none', { type: 'rsa-2048' })
    const { data } = await post('sign/none', { input, ...parameters })
    expect(await post('verify/none', { input, signature: data['signature'], ...parameters })).toMatchObject({
      data: { valid: true },
    })
  })

  it('imports private keys in the formats of NSS and RSA-PSS', async () => {
    const [nss, pss] = all.import_key_formats
    const name = await imported(nss.type, Buffer.from(nss.pkcs8_der_b64, 'base64'))
    const exported = (await get(`export/signing-key/${name}`)).data['keys'] as Record<string, string>
    expect(Buffer.from(exported['1'] as string, 'base64').toString('hex')).toBe(
      nss.expected.seed_hex + nss.expected.public_key_hex,
    )
    // A warning says that the restriction to PSS is not kept.
    const plain = await imported(pss.type, Buffer.from(pss.pkcs8_der_b64, 'base64'), {}, 200)
    const shown = (await get(`export/public-key/${plain}`)).data['keys'] as Record<string, string>
    const der = Buffer.from((shown['1'] as string).replaceAll(/-----.*-----|\n/g, ''), 'base64').toString('hex')
    expect(der).toContain(pss.expected.modulus_prefix_hex)
    const { data } = await post(`encrypt/${plain}`, { plaintext: 'eA==' })
    expect(await post(`decrypt/${plain}`, { ciphertext: data['ciphertext'] })).toMatchObject({ data: { plaintext: 'eA==' } })
  })

  it('restores a Vault backup from 2017, and a backup that was written by hand', async () => {
    const [old, made] = all.backup_blobs
    expect(await post('restore/from-2017', { backup: old.backup_b64 })).toMatchObject({ status: 204 })
    const { latest_version, min_decryption_version, min_encryption_version, derived, exportable, keys } = old.expected
    const record = await get('keys/from-2017')
    expect(record.data).toMatchObject({ latest_version, min_decryption_version, min_encryption_version, derived, exportable })
    expect(record.data['keys']).toEqual({ 1: keys['1'].creation_time })
    await post('keys/from-2017/config', { exportable: true })
    expect(await get('export/encryption-key/from-2017')).toMatchObject({ data: { keys: { 1: keys['1'].key_b64 } } })
    expect(await get('export/hmac-key/from-2017')).toMatchObject({ data: { keys: { 1: keys['1'].hmac_key_b64 } } })

    const { policy_fragment } = made
    const ring = { ...policy_fragment, latest_version: 1, min_decryption_version: 1 }
    expect(await post('restore', { backup: encoded(JSON.stringify({ policy: ring })) })).toMatchObject({ status: 204 })
    const [plain] = all.aead_decrypt
    const opened = await post(`decrypt/${policy_fragment.name}`, { ciphertext: plain.ciphertext })
    expect(opened).toMatchObject({ status: 200, data: { plaintext: plain.plaintext_b64 } })
    expect((await post(`hmac/${policy_fragment.name}`, { input: '' })).status).toBe(200)
  })

  it('decrypts a ciphertext of a derived key only if the context is given', async () => {
    const [, derived] = all.aead_decrypt
    const policy = { name: 'derived', derived: true, kdf: 1 }
    await post('restore', { backup: encoded(backupText({ policy, version: { key: derived.key_b64 } })) })
    const { ciphertext, context_b64: context, plaintext_b64: plaintext } = derived
    expect(await post('decrypt/derived', { ciphertext, context })).toMatchObject({ data: { plaintext } })
    expect((await post('decrypt/derived', { ciphertext })).status).toBe(all.aead_decrypt_errors[0].status)
  })

  it.each([1, 2, 3])('encrypts convergently with version %i of convergent encryption', async (convergent_version) => {
    const { plaintext_b64: plaintext, contexts_b64, v1_nonces_b64, v1_bad_nonce_b64 } = all.convergent_test_inputs
    const name = `convergent-${convergent_version}`
    const policy = { name, derived: true, kdf: 1, convergent_encryption: true, convergent_version }
    expect(await post('restore', { backup: encoded(backupText({ policy })) })).toMatchObject({ status: 204 })
    const [context, , other] = contexts_b64
    const nonce = convergent_version === 1 ? { nonce: v1_nonces_b64[0] } : {}
    const seal = async (body: object) => (await post(`encrypt/${name}`, { ...nonce, ...body })).data['ciphertext']
    const sealed = await seal({ plaintext, context })
    expect(await seal({ plaintext, context })).toBe(sealed)
    expect(await seal({ plaintext, context: other })).not.toBe(sealed)
    expect(await seal({ plaintext: '', context })).toBe(await seal({ plaintext: '', context }))
    expect((await post(`encrypt/${name}`, { ...nonce, context })).status).toBe(400)
    expect(await post(`decrypt/${name}`, { ciphertext: sealed, context, ...nonce })).toMatchObject({ data: { plaintext } })
    const refused = convergent_version === 1 ? [{}, { nonce: v1_bad_nonce_b64 }] : [{ nonce: v1_nonces_b64[0] }]
    for (const wrong of refused) expect((await post(`encrypt/${name}`, { plaintext, context, ...wrong })).status).toBe(400)
  })

  it('returns the documented results and statuses for batches', async () => {
    const shapes = Object.fromEntries((all.batch_shapes as { id: string }[]).map((shape) => [shape.id, shape])) as typeof all
    await post('keys/batch', {})
    const { plaintexts_b64, references, batch_results_json } = shapes['decrypt-batch-json']
    const sealed = await post('encrypt/batch', { batch_input: plaintexts_b64.map((plaintext: string) => ({ plaintext })) })
    const ciphertexts = (sealed.data['batch_results'] as { ciphertext: string }[]).map(({ ciphertext }) => ciphertext)
    const batch_input = ciphertexts.map((ciphertext, index) => ({ ciphertext, reference: references[index] }))
    expect(JSON.stringify((await post('decrypt/batch', { batch_input })).data['batch_results'])).toBe(batch_results_json)

    await post('keys/batch-derived', { derived: true })
    for (const id of ['encrypt-batch-mixed-context', 'encrypt-batch-not-a-map'])
      expect(await post('encrypt/batch-derived', { batch_input: shapes[id].batch_input })).toMatchObject({
        status: 400,
        data: {},
      })
    const bad = await post('encrypt/batch-derived', { batch_input: shapes['encrypt-batch-bad-context'].batch_input })
    expect(bad.data['batch_results']).toMatchObject([{ ciphertext: expect.any(String) }, { error: expect.any(String) }])

    const right = {
      context: 'eA==',
      ciphertext: (await post('encrypt/batch-derived', { plaintext: 'eA==', context: 'eA==' })).data['ciphertext'],
    }
    const wrong = { ...right, context: 'eQ==' }
    const open = (items: readonly object[], more: object = {}) => post('decrypt/batch-derived', { batch_input: items, ...more })
    expect((await open([{ ...right, ciphertext: 'xxx' }])).status).toBe(shapes['decrypt-derived-invalid-ciphertext'].status)
    expect((await open([wrong])).status).toBe(shapes['decrypt-derived-wrong-context'].status)
    expect((await open([wrong, right])).status).toBe(shapes['decrypt-partial'].status)
    for (const [id, items] of [
      ['decrypt-partial-overridden', [wrong, right]],
      ['decrypt-full-failure-overridden', [wrong, wrong]],
    ] as const)
      expect((await open(items, shapes[id].parameters)).status).toBe(shapes[id].status)
    expect((await open([])).status).toBe(shapes['decrypt-empty-list'].status)
  })

  it('trims key versions with the documented results', async () => {
    expect(all.trim_scenario.steps.length).toBe(10)
    await post('keys/trimmed', { exportable: true, allow_plaintext_backup: true })
    const rotate = async (times: number) => {
      for (let time = 0; time < times; time++) expect((await post('keys/trimmed/rotate', {})).status).toBe(200)
    }
    const config = async (body: object) => (await post('keys/trimmed/config', body)).status
    const trim = async (min_available_version: unknown) => (await post('keys/trimmed/trim', { min_available_version })).status
    const archived = async () => {
      const { data } = await get('backup/trimmed')
      return JSON.parse(Buffer.from(String(data['backup']), 'base64').toString()).archived_keys.keys.length
    }
    const shown = async () => Object.keys((await get('keys/trimmed')).data['keys'] as object).length
    await rotate(4)
    expect(await archived()).toBe(6)
    expect([await trim(1), await trim(null)]).toEqual([400, 400])
    expect(await config({ min_encryption_version: 4, min_decryption_version: 3 })).toBe(200)
    for (const version of [5, 4, -1, 0]) expect(await trim(version)).toBe(400)
    expect(await trim(3)).toBe(200)
    expect(await archived()).toBe(3)
    expect([await config({ min_decryption_version: 1 }), await config({ min_encryption_version: 2 })]).toEqual([400, 400])
    await rotate(5)
    expect(await archived()).toBe(8)
    expect([await config({ min_encryption_version: 7 }), await config({ min_decryption_version: 7 }), await trim(7)]).toEqual([
      200, 200, 200,
    ])
    expect([await archived(), await shown()]).toEqual([4, 4])
    await config({ min_encryption_version: 10 })
    await config({ min_decryption_version: 9 })
    await config({ min_decryption_version: 8 })
    await config({ min_encryption_version: 8 })
    expect([await shown(), await archived()]).toEqual([3, 4])
  })

  it('derives keys and unwraps AES-KWP keys with the results of the vectors', () => {
    const crypto = nobleCrypto()
    const [counter] = all.kdf_hmac_sha256_counter
    expect(hex(counterKdf(crypto.hmac('sha2-256', unhex(counter.key_hex)), utf8(counter.context_utf8)))).toBe(
      counter.expected_hex,
    )
    const [prf] = all.prf_hmac_sha256
    expect(hex(crypto.hmac('sha2-256', unhex(prf.key_hex)).mac(utf8(prf.data_utf8)))).toBe(prf.expected_hex)
    for (const { ikm_hex, info_hex, size, okm_hex } of all.hkdf_sha256_empty_salt.tests)
      expect(hex(crypto.hkdf('sha2-256', unhex(ikm_hex), undefined, unhex(info_hex), size))).toBe(okm_hex)
    expect(all.aes_kwp_256.tests.length).toBe(94)
    for (const { kek_hex, wrapped_hex, msg_hex, result } of all.aes_kwp_256.tests) {
      const opened = unwrapKeyPadded(unhex(kek_hex), unhex(wrapped_hex))
      expect(opened && hex(opened)).toBe(result === 'valid' ? msg_hex : undefined)
    }
  })
})
