/**
 * Requests are random, but member names, key names and values are mostly such that a request passes the first checks.
 */

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { certificate, spkiOf } from '../fixtures/certificates.ts'
import fc from '../fixtures/fast-check.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { runs } from '../fixtures/runs.ts'

usePreparedRsaKeys()

const RUNS = runs({ quick: 2000, soak: 60_000 })
const TYPES = [
  'aes128-gcm96',
  'aes256-gcm96',
  'chacha20-poly1305',
  'xchacha20-poly1305',
  'ed25519',
  'ecdsa-p256',
  'rsa-2048',
  'hmac',
]
const INPUT = Uint8Array.from([1, 2, 3])

let kernel: Kernel
/** Valid ciphertexts, signatures, HMACs, certificates and backups. */
const texts: string[] = []

beforeAll(async () => {
  kernel = await createDevKernel()
  for (const type of TYPES) {
    await kernel.transit.createKey({ name: type, type: type as KeyTypeName })
    const { supports_encryption, supports_signing } = await kernel.transit.rotateKey({ name: type })
    if (supports_encryption) texts.push((await kernel.transit.encrypt({ name: type, plaintext: INPUT })).ciphertext)
    if (supports_signing) texts.push((await kernel.transit.sign({ name: type, input: INPUT })).signature)
    texts.push((await kernel.transit.hmac({ name: type, input: INPUT })).hmac)
  }
  const { keys } = await kernel.transit.readKey({ name: 'ecdsa-p256' })
  texts.push((keys['1'] as { public_key: string }).public_key, (await kernel.transit.signCsr({ name: 'ecdsa-p256' })).csr)
  texts.push(certificate(await spkiOf(kernel, 'ed25519')), certificate(await spkiOf(kernel, 'ed25519', 2), { ca: false }))
  await kernel.transit.createKey({ name: 'backed-up', exportable: true, allow_plaintext_backup: true })
  texts.push((await kernel.transit.backupKey({ name: 'backed-up' })).backup)
  await kernel.transit.createKey({ name: 'derived', derived: true, convergent_encryption: true })
  await kernel.transit.createKey({ name: 'derived-signer', type: 'ed25519', derived: true })
})
afterAll(() => kernel.close())

const keyName = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...TYPES, 'derived', 'derived-signer') },
  { weight: 2, arbitrary: fc.constantFrom('a', 'b', '__proto__', 'constructor', 'k.', '-k', 'x'.repeat(300)) },
  { weight: 1, arbitrary: fc.string() },
)
const route = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom('encrypt', 'decrypt', 'rewrap', 'hmac', 'sign', 'verify', 'keys'), keyName)
      .map(([verb, name]) => `${verb}/${encodeURIComponent(name)}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        keyName,
        fc.constantFrom(
          'config',
          'rotate',
          'csr',
          'set-certificate',
          'soft-delete',
          'soft-delete-restore',
          'trim',
          'import',
          'import_version',
        ),
      )
      .map(([name, what]) => `keys/${encodeURIComponent(name)}/${what}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('hmac', 'sign', 'verify'),
        keyName,
        fc.constantFrom('sha1', 'sha2-512', 'sha3-256', 'none', 'md5', ''),
      )
      .map(([verb, name, hash]) => `${verb}/${encodeURIComponent(name)}/${hash}`),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          'datakey/plaintext/',
          'datakey/wrapped/',
          'derive-key/',
          'restore/',
          'backup/',
          'export/encryption-key/',
          'export/signing-key/',
          'export/hmac-key/',
          'export/public-key/',
          'byok-export/rsa-2048/',
          'random/',
          'random/all/',
          'hash/',
        ),
        keyName,
      )
      .map(([verb, name]) => `${verb}${encodeURIComponent(name)}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'config/keys',
      'cache-config',
      'restore',
      'keys',
      'keys/',
      '',
      'random',
      'hash',
      'export/signing-key/rsa-2048',
      'wrapping_key',
    ),
  },
  { weight: 1, arbitrary: fc.string() },
)

const member = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(
      'plaintext',
      'ciphertext',
      'input',
      'signature',
      'hmac',
      'context',
      'nonce',
      'associated_data',
      'key_version',
      'hash_algorithm',
      'algorithm',
      'signature_algorithm',
      'marshaling_algorithm',
      'salt_length',
      'prehashed',
      'reference',
      'padding_scheme',
      'partial_failure_response_code',
      'type',
      'derived',
      'convergent_encryption',
      'key_size',
      'auto_rotate_period',
      'min_decryption_version',
      'min_encryption_version',
      'deletion_allowed',
      'disable_upsert',
      'name',
      'csr',
      'certificate_chain',
      'version',
      'public_key',
      'peer_public_key',
      'base_key_name',
      'base_key_version',
      'derived_key_type',
      'key_derivation_algorithm',
      'hash_function',
      'backup',
      'force',
      'exportable',
      'allow_plaintext_backup',
      'min_available_version',
      'bits',
      'bytes',
      'source',
      'format',
      'size',
      'after',
      'limit',
    ),
  },
  { weight: 1, arbitrary: fc.string() },
)
const scalar = fc.oneof(
  fc.base64String({ maxLength: 200 }),
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.bigInt(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('sha2-256', 'none', 'pss', 'pkcs1v15', 'jws', 'asn1', 'auto', 'hash', '1h', '30d', '-1', 'oaep', '', ...TYPES),
  fc.constantFrom('latest', 'ecdh', 'SHA256', 'hex', 'base64', 'openbao', 'ecdsa-p256'),
  fc.nat(400).map((index) => texts[index % texts.length] ?? ''),
  fc.tuple(fc.nat(400), fc.nat(80)).map(([index, at]) => (texts[index % texts.length] ?? '').slice(0, at)),
)
const flat = fc.dictionary(member, scalar, { maxKeys: 8, noNullPrototype: false })
const body = fc.oneof(
  { weight: 6, arbitrary: flat },
  {
    weight: 4,
    arbitrary: fc
      .tuple(flat, fc.array(fc.oneof({ weight: 6, arbitrary: flat }, fc.jsonValue()), { maxLength: 6 }))
      .map(([top, batch_input]) => ({ ...top, batch_input })),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.string().map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.json().map((text) => Buffer.from(text)) },
)
const method = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('POST', 'PUT') },
  { weight: 3, arbitrary: fc.constantFrom('GET', 'LIST', 'DELETE', 'PATCH', 'HEAD') },
  { weight: 1, arbitrary: fc.string() },
)
const query = fc.option(
  fc.dictionary(
    fc.constantFrom('list', 'after', 'limit', 'context', 'help', 'format', 'hash', 'version'),
    fc.oneof(fc.string(), fc.constant('true')),
  ),
  {
    nil: undefined,
  },
)

/** A caller may choose the status of partially failed batches, even one above 499. */
const asksFor = (value: unknown, status: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Number((value as Record<string, unknown>)['partial_failure_response_code']) === status

it(`the transit engine answers ${RUNS} random requests with statuses below 500 and valid JSON`, async () => {
  const seen = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(method, route, body, query, async (verb, path, sent, parameters) => {
      const headers = { 'X-Service-Token': kernel.rootToken, 'Content-Type': 'application/merge-patch+json' }
      const answer = await kernel.handle({ method: verb, path: `/v1/transit/${path}`, headers, body: sent, query: parameters })
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
      expect(answer.status >= 200 && (answer.status < 500 || asksFor(sent, answer.status))).toBe(true)
      if (answer.body !== undefined) expect(JSON.parse(JSON.stringify(answer.body))).toEqual(answer.body)
      if (answer.status >= 400) expect((answer.body as { errors: unknown }).errors).toBeInstanceOf(Array)
    }),
    { numRuns: RUNS },
  )
  // The run is useful only if enough requests pass the first checks.
  expect(seen.get(200)).toBeGreaterThan(RUNS / 50)
  expect(seen.get(400)).toBeGreaterThan(RUNS / 20)
})
