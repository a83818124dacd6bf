/**
 * A broad set of valid and invalid operations, for suites that inspect the output.
 */
import type { HashName } from '../../src/core/crypto/backend.ts'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import type { Kernel } from '../../src/index.ts'
import { backupText, encoded } from '../engines/hostile/refusals.ts'
import { wrapped } from '../engines/import-blob.ts'
import { ask, base64, bytesOf, flipBit, joined, partsOf } from '../property/support.ts'

export interface Operating {
  readonly note: (what: string, call: () => unknown) => Promise<unknown>
  readonly context: Uint8Array
  readonly plaintext: Uint8Array
  readonly rootToken: string
}

const SYMMETRIC = ['aes128-gcm96', 'aes256-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305']
const SIGNING = ['ed25519', 'ecdsa-p256', 'ecdsa-p384', 'ecdsa-p521', 'rsa-2048']

async function encryption(kernel: Kernel, name: string, { note, context, plaintext }: Operating): Promise<void> {
  const { transit } = kernel
  const made = (await note('encrypt', () => transit.encrypt({ name, plaintext, context }))) as { ciphertext: string }
  const { ciphertext } = made
  const { prefix, version, body } = partsOf(ciphertext)
  await note('rewrap', () => transit.rewrap({ name, ciphertext, context }))
  await note('encryptBatch', () => transit.encryptBatch({ name, batch_input: [{ plaintext, context }, { plaintext }] }))
  await note('decryptBatch', () =>
    transit.decryptBatch({
      name,
      batch_input: [
        { ciphertext, context },
        { ciphertext: 'x', context },
      ],
    }),
  )
  for (const forged of [
    joined(prefix, version, flipBit(body, 3)),
    joined(prefix, 99, body),
    joined(prefix, 0, body),
    joined(prefix, version, body.subarray(0, 5)),
    `${ciphertext}!`,
    'nothing',
    '',
  ]) {
    await note('decrypt something forged', () => transit.decrypt({ name, ciphertext: forged, context }))
    await note('rewrap something forged', () => transit.rewrap({ name, ciphertext: forged, context }))
  }
  await note('decrypt without a context', () => transit.decrypt({ name, ciphertext }))
  await note('encrypt by path', () => ask(kernel, 'POST', `encrypt/${name}`, { plaintext: 'not base64!', context: 5 }))
  await note('encrypt nothing by path', () => ask(kernel, 'POST', `encrypt/${name}`, {}))
  const body64 = { plaintext: base64(plaintext), context: base64(context), unknown: 1 }
  await note('encrypt with an unknown parameter', () => ask(kernel, 'POST', `encrypt/${name}`, body64))
}

async function signatures(kernel: Kernel, name: string, { note, context, plaintext: input }: Operating): Promise<void> {
  const { transit } = kernel
  const signed = (await note('sign', () => transit.sign({ name, input, context }))) as { signature: string }
  const { prefix, version, body } = partsOf(signed.signature)
  for (const signature of [
    signed.signature,
    joined(prefix, version, flipBit(body, 9)),
    joined(prefix, version, body.subarray(1)),
    joined(prefix, 7, body),
    'x',
  ]) {
    await note('verify', () => transit.verify({ name, input, context, signature }))
    await note('verifyBatch', () =>
      transit.verifyBatch({
        name,
        batch_input: [{ input, context, signature }, { input, context } as never],
      }),
    )
  }
  await note('sign with a wrong hash', () => transit.sign({ name, input, context, hash_algorithm: 'md5' as HashName }))
  await note('sign with a wrong form', () => transit.sign({ name, input, context, marshaling_algorithm: 'xml' as 'jws' }))
  await note('sign a wrong digest', () => transit.sign({ name, input, context, prehashed: true }))
  await note('sign with much salt', () => transit.sign({ name, input, context, salt_length: 100_000 }))
  await note('read with a context', () => transit.readKey({ name, context }))
}

async function tools(kernel: Kernel, { note, context, plaintext }: Operating): Promise<void> {
  const { transit } = kernel
  for (const name of ['aes256-gcm96', 'aes256-gcm96-derived', 'rsa-2048', 'hmac']) {
    await note('generateDataKey', () => transit.generateDataKey({ name, kind: 'wrapped', context }))
    await note('generateDataKey of no length', () => transit.generateDataKey({ name, kind: 'wrapped', bits: 7 }))
  }
  for (const name of ['ecdsa-p256', 'rsa-2048', 'ed25519', 'hmac']) {
    const { csr = '' } = ((await note('signCsr', () => transit.signCsr({ name }))) ?? {}) as { csr?: string }
    await note('signCsr from a template', () => transit.signCsr({ name, csr }))
    await note('signCsr from nothing', () => transit.signCsr({ name, csr: 'x' }))
    await note('setCertificate', () => transit.setCertificate({ name, certificate_chain: csr }))
    await note('softDeleteKey', () => transit.softDeleteKey({ name }))
    await note('use of what is soft-deleted', () => transit.sign({ name, input: plaintext, context }))
    await note('undeleteKey', () => transit.undeleteKey({ name }))
  }
  const shown = (await note('readKey', () => transit.readKey({ name: 'ecdsa-p256' }))) as {
    keys: Readonly<Record<string, { public_key: string }>>
  }
  const peer_public_key = shown.keys['1']?.public_key ?? ''
  for (const name of ['agreed', 'agreed', 'hmac'])
    await note('deriveKey', () => transit.deriveKey({ name, base_key_name: 'ecdsa-p256', peer_public_key }))
  await note('deriveKey with nobody', () => transit.deriveKey({ name: 'x', base_key_name: 'ecdsa-p256', peer_public_key: 'x' }))
  await note('use of an agreed key', () => transit.encrypt({ name: 'agreed', plaintext }))
  await note('hash', () => transit.hash({ input: plaintext }))
  await note('random', () => transit.random({ bytes: 0 }))
  await note('configureCache', () => transit.configureCache({ size: 3 }))
}

/** Import, export and backup with wrapped keys, and refused exports. Operations that return key bytes on purpose are left out. */
async function moves(kernel: Kernel, { note }: Operating): Promise<void> {
  const { transit } = kernel
  const secret = bytesOf(32, 4711)
  const { public_key } = (await note('readWrappingKey', () => transit.readWrappingKey())) as { public_key: string }
  const blob = wrapped(public_key, secret)
  await note('importKey', () => transit.importKey({ name: 'moved', type: 'aes256-gcm96', ciphertext: blob, exportable: true }))
  await note('importKeyVersion', () => transit.importKeyVersion({ name: 'moved', ciphertext: blob }))
  await note('importKey of a wrong length', () => transit.importKey({ name: 'x', type: 'aes128-gcm96', ciphertext: blob }))
  await note('importKey of a wrong kind', () => transit.importKey({ name: 'x', type: 'ecdsa-p256', ciphertext: blob }))
  await note('importKey with a wrong hash', () =>
    transit.importKey({ name: 'x', type: 'aes256-gcm96', ciphertext: blob, hash_function: 'SHA1' }),
  )
  await note('importKey cut', () => transit.importKey({ name: 'x', type: 'aes256-gcm96', ciphertext: blob.subarray(0, 530) }))
  await note('importKey of a public key', () => transit.importKey({ name: 'public', type: 'rsa-4096', public_key }))
  await note('exportWrappedKey', () => transit.exportWrappedKey({ destination: 'public', source: 'moved' }))
  await note('exportWrappedKey of what may not go', () => transit.exportWrappedKey({ destination: 'public', source: 'agreed' }))
  await note('exportKey of what may not go', () => transit.exportKey({ key_type: 'encryption-key', name: 'agreed' }))
  await note('exportKey in a wrong form', () => transit.exportKey({ key_type: 'encryption-key', name: 'moved', format: 'der' }))
  await note('exportKey of a public key', () => transit.exportKey({ key_type: 'public-key', name: 'public' }))
  await note('backupKey of what may not go', () => transit.backupKey({ name: 'moved' }))
  for (const spoilt of [
    { policy: { type: 99 } },
    { policy: { type: 8 } },
    { policy: { name: 'a/b' } },
    { policy: { latest_version: 5 } },
    { policy: { version_template: 'x' } },
    { version: { hmac_key: '%' } },
    { version: { certificate_chain: ['AAAA'] } },
  ]) {
    const text = backupText({ ...spoilt, version: { key: base64(secret), ...spoilt.version } })
    await note('restoreKey', () => transit.restoreKey({ backup: encoded(text) }))
    await note('restoreKey, cut', () => transit.restoreKey({ backup: encoded(text.slice(0, 150)) }))
  }
  const good = encoded(backupText({ version: { key: base64(secret) } }))
  await note('restoreKey', () => transit.restoreKey({ backup: good }))
  await note('restoreKey once more', () => transit.restoreKey({ backup: good }))
  await note('restoreKey by force', () => transit.restoreKey({ backup: good, force: true }))
  await note('trimKey', () => transit.trimKey({ name: 'moved', min_available_version: 2 }))
}

export async function operateOn(kernel: Kernel, how: Operating): Promise<void> {
  const { note, context, plaintext, rootToken } = how
  const { transit } = kernel
  for (const type of SYMMETRIC) {
    for (const [suffix, options] of [
      ['', {}],
      ['-derived', { derived: true }],
      ['-convergent', { derived: true, convergent_encryption: true }],
    ] as const) {
      const name = `${type}${suffix}`
      await note('createKey', () => transit.createKey({ name, type: type as KeyTypeName, auto_rotate_period: '1h', ...options }))
      await note('rotateKey', () => transit.rotateKey({ name }))
      await encryption(kernel, name, how)
    }
  }
  for (const type of SIGNING) {
    await note('createKey', () => transit.createKey({ name: type, type: type as KeyTypeName, derived: type === 'ed25519' }))
    await signatures(kernel, type, how)
  }
  await note('createKey', () => transit.createKey({ name: 'hmac', type: 'hmac', key_size: 64 }))
  for (const name of [...SYMMETRIC, ...SIGNING, 'hmac']) {
    const { hmac } = (await note('hmac', () => transit.hmac({ name, input: plaintext }))) as { hmac: string }
    await note('verify an hmac', () => transit.verify({ name, input: plaintext, hmac }))
    await note('verify a wrong hmac', () => transit.verify({ name, input: plaintext, hmac: `${hmac}*` }))
    await note('hmac with a wrong hash', () => transit.hmac({ name, input: plaintext, hash_algorithm: 'none' as HashName }))
    await note('encrypt under anything', () => transit.encrypt({ name, plaintext: bytesOf(1000, 1) }))
    await note('sign under anything', () => transit.sign({ name, input: plaintext }))
    await note('readKey', () => transit.readKey({ name }))
    await note('read by path', () => ask(kernel, 'GET', `keys/${name}`))
    await note('configureKey', () => transit.configureKey({ name, min_decryption_version: 9 }))
    await note('configureKey', () => transit.configureKey({ name, exportable: true, allow_plaintext_backup: true }))
    await note('deleteKey', () => transit.deleteKey({ name }))
  }
  await tools(kernel, how)
  await moves(kernel, how)
  await note('upsert', () => transit.encrypt({ name: 'upserted', plaintext, context }))
  await note('an existing key', () => transit.createKey({ name: 'hmac', type: 'hmac' }))
  await note('a missing key', () => transit.decrypt({ name: 'missing', ciphertext: 'strongroom:v1:AAAA' }))
  await note('a wrong name', () => transit.createKey({ name: 'no/name' }))
  await note('a wrong type', () => transit.createKey({ name: 'x', type: 'rot13' as KeyTypeName }))
  await note('a wrong JavaScript type', () => transit.encrypt({ name: 'hmac', plaintext: 'text' as unknown as Uint8Array }))
  await note('an unknown argument', () =>
    transit.encrypt({ name: 'hmac', plaintext, more: plaintext } as { name: string; plaintext: Uint8Array }),
  )
  await note('a missing mount', () => transit.at('nowhere/').listKeys({}))
  for (const request of [
    { method: 'POST', path: '/v1/transit/encrypt/x', body: '{"plaintext":' },
    { method: 'POST', path: '/v1/transit/encrypt/x', body: new Uint8Array([0xff, 0xfe]) },
    { method: 'GET', path: '/v1/transit/keys/%00' },
    { method: 'GET', path: '/v1/nowhere' },
    { method: 'TRACE', path: '/v1/transit/keys' },
    { method: 'PATCH', path: '/v1/transit/keys/x' },
    { method: 'LIST', path: '/v1/transit/keys/' },
  ]) {
    await note('a request without a token', () => kernel.handle(request))
    await note('a request with a wrong token', () =>
      kernel.handle({ ...request, headers: { 'X-Service-Token': `${rootToken}x` } }),
    )
    await note('a request', () => kernel.handle({ ...request, headers: { 'X-Service-Token': rootToken } }))
  }
}
