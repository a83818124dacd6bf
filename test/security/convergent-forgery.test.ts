/**
 * Two convergent ciphertexts of one plaintext with different associated data, as a reader of a database finds them. Vault and OpenBao give
 * both the same nonce, which reveals enough to forge a third ciphertext. Ciphertexts of strongroom have different nonces.
 */
import { createHmac, hkdfSync } from 'node:crypto'
import { gcm } from '@noble/ciphers/aes.js'
import { chacha20poly1305, xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { backupText, restoreText } from '../engines/hostile/refusals.ts'
import { ask, base64, bytesOf, joined, partsOf, utf8 } from '../property/support.ts'
import type { Forge, Tagged } from './forge.ts'
import { forgeGcm } from './forge-gcm.ts'
import { forgePoly1305 } from './forge-poly1305.ts'

interface Row {
  readonly name: string
  readonly id: number
  readonly keyBytes: number
  readonly nonceBytes: number
  readonly seal: (key: Uint8Array, nonce: Uint8Array, data: Uint8Array, plaintext: Uint8Array) => Uint8Array
  readonly forge: Forge
}

const TYPES: readonly Row[] = [
  {
    name: 'aes128-gcm96',
    id: 8,
    keyBytes: 16,
    nonceBytes: 12,
    seal: (k, n, d, p) => gcm(k, n, d).encrypt(p),
    forge: forgeGcm,
  },
  {
    name: 'aes256-gcm96',
    id: 0,
    keyBytes: 32,
    nonceBytes: 12,
    seal: (k, n, d, p) => gcm(k, n, d).encrypt(p),
    forge: forgeGcm,
  },
  {
    name: 'chacha20-poly1305',
    id: 5,
    keyBytes: 32,
    nonceBytes: 12,
    seal: (k, n, d, p) => chacha20poly1305(k, n, d).encrypt(p),
    forge: forgePoly1305,
  },
  {
    name: 'xchacha20-poly1305',
    id: 11,
    keyBytes: 32,
    nonceBytes: 24,
    seal: (k, n, d, p) => xchacha20poly1305(k, n, d).encrypt(p),
    forge: forgePoly1305,
  },
]

/** The rule for nonces of a ring, and its key derivation. */
const FORMS = [
  { convergent_version: 3, kdf: 1 },
  { convergent_version: 2, kdf: 1 },
  { convergent_version: 2, kdf: 0 },
] as const
type Form = (typeof FORMS)[number]

const CASES = TYPES.flatMap((type) => FORMS.map((form) => ({ what: nameOf(type, form), type, form })))

function nameOf({ name }: Row, { convergent_version, kdf }: Form): string {
  return `${name}-${convergent_version}-${kdf}`
}

const CONTEXT = utf8('tenant 7')
const [ONE, TWO, THIRD] = ['account: 1000001', 'account: 1000002', 'account: 9999999'].map(utf8) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const PLAINTEXT = utf8('role=user;limit=00000000000100.0')
const WANTED = utf8('role=root;limit=99999999999999.9')

const key = ({ keyBytes }: Row): Uint8Array => bytesOf(keyBytes, 1)

/** A ciphertext as Vault and OpenBao create it. */
function formerly(type: Row, { convergent_version, kdf }: Form, associatedData: Uint8Array): string {
  const { keyBytes, nonceBytes, seal } = type
  const bits = Uint8Array.of(0, 0, 1, 0)
  const derived =
    kdf === 1
      ? new Uint8Array(hkdfSync('sha256', key(type), '', CONTEXT, keyBytes + 32))
      : createHmac('sha256', key(type)).update(new Uint8Array(4)).update(CONTEXT).update(bits).digest()
  const nonceKey = convergent_version === 2 ? CONTEXT : derived.subarray(keyBytes)
  const nonce = createHmac('sha256', nonceKey).update(PLAINTEXT).digest().subarray(0, nonceBytes)
  const sealed = seal(Uint8Array.from(derived.subarray(0, keyBytes)), Uint8Array.from(nonce), associatedData, PLAINTEXT)
  return joined('strongroom', 1, Buffer.concat([nonce, sealed]))
}

function parseTagged(
  { nonceBytes }: Row,
  ciphertext: string,
  associatedData: Uint8Array,
): Tagged & { readonly nonce: Uint8Array } {
  const { body } = partsOf(ciphertext)
  return {
    nonce: body.subarray(0, nonceBytes),
    associatedData,
    text: body.subarray(nonceBytes, -16),
    tag: body.subarray(-16),
  }
}

/** Ciphertexts that were created without the key. */
function forged(type: Row, first: string, second: string): readonly string[] {
  const [one, two] = [parseTagged(type, first, ONE), parseTagged(type, second, TWO)]
  const text = one.text.map((byte, at) => byte ^ (PLAINTEXT[at] as number) ^ (WANTED[at] as number))
  const tags = type.forge(one, two, { associatedData: THIRD, text })
  return tags.map((tag) => joined('strongroom', 1, Buffer.concat([one.nonce, text, tag])))
}

let kernel: Kernel

beforeAll(async () => {
  kernel = await createDevKernel()
  for (const { what: name, type, form } of CASES) {
    const policy = { name, type: type.id, derived: true, convergent_encryption: true, ...form }
    const version = { key: base64(key(type)), convergent_version: form.convergent_version }
    expect(await restoreText(kernel, backupText({ policy, version }))).toMatchObject({ status: 204 })
  }
})
afterAll(() => kernel.close())

const seal = (name: string, associated_data: Uint8Array) =>
  kernel.transit.encrypt({ name, plaintext: PLAINTEXT, context: CONTEXT, associated_data })

/** The plaintext of each ciphertext; undefined for refused ones. */
async function opened(name: string, ciphertexts: readonly string[], data: Uint8Array): Promise<(Uint8Array | undefined)[]> {
  const batch_input = ciphertexts.map((ciphertext) => ({ ciphertext, context: CONTEXT, associated_data: data }))
  const { batch_results } = await kernel.transit.decryptBatch({ name, batch_input })
  return batch_results.map((result) => (result.error ? undefined : result.plaintext))
}

describe.each(CASES)('convergent encryption with $what', ({ what, type, form }) => {
  it('decrypts ciphertexts of Vault and OpenBao, even one that was forged from two others', async () => {
    const [first, second] = [formerly(type, form, ONE), formerly(type, form, TWO)]
    expect(await opened(what, [first], ONE)).toEqual([PLAINTEXT])
    expect(await opened(what, [second], TWO)).toEqual([PLAINTEXT])
    expect(await opened(what, forged(type, first, second), THIRD)).toContainEqual(WANTED)
  })

  it('creates no two ciphertexts from which a third one can be forged', async () => {
    const [first, second] = [await seal(what, ONE), await seal(what, TWO)]
    expect(parseTagged(type, first.ciphertext, ONE).nonce).not.toEqual(parseTagged(type, second.ciphertext, TWO).nonce)
    const forgeries = forged(type, first.ciphertext, second.ciphertext)
    expect((await opened(what, [first.ciphertext, ...forgeries], THIRD)).filter((plaintext) => plaintext)).toEqual([])
  })

  it('rewraps a ciphertext of Vault or OpenBao to one whose nonce depends on the associated data', async () => {
    const batch_input = [ONE, TWO].map((associated_data) => ({
      ciphertext: formerly(type, form, associated_data),
      context: CONTEXT,
      associated_data,
    }))
    const { batch_results } = await kernel.transit.rewrapBatch({ name: what, batch_input })
    const newCiphertexts = batch_results.map((result) => (result.error ? '' : result.ciphertext))
    expect(newCiphertexts).toEqual([(await seal(what, ONE)).ciphertext, (await seal(what, TWO)).ciphertext])
    expect(newCiphertexts).not.toContain(batch_input[0]?.ciphertext)
  })

  it('creates the same ciphertext as Vault and OpenBao if there are no associated data', async () => {
    const { ciphertext } = await seal(what, new Uint8Array(0))
    expect(ciphertext).toBe(formerly(type, form, new Uint8Array(0)))
    const wire = { plaintext: base64(PLAINTEXT), context: base64(CONTEXT) }
    expect((await ask(kernel, 'POST', `encrypt/${what}`, wire)).data['ciphertext']).toBe(ciphertext)
  })
})
