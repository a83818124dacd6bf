/** RSA keys with `forgeRsa`, which works on every runtime. WebCrypto checks the results. */
import { type Check, refused, same, text, within } from './library.ts'

const utf8 = (letters: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(letters))
const unbase64 = (letters: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0))
const bodyOf = (versioned: string): Uint8Array<ArrayBuffer> => unbase64(versioned.split(':')[2] as string)
const derOf = (pem: string): Uint8Array<ArrayBuffer> => unbase64(pem.replaceAll(/-----[A-Z ]+-----|\n/g, ''))

export const forge: Readonly<Record<string, Check>> = {
  'an RSA key of forgeRsa encrypts, signs and verifies like the RSA of WebCrypto': ({ library, forge: rsa }) =>
    within(library.createDevKernel({ rsa }), async ({ transit }) => {
      await transit.createKey({ name: 'rsa', type: 'rsa-2048', exportable: true })
      const { keys } = await transit.exportKey({ key_type: 'public-key', name: 'rsa' })
      const read = (name: string, usage: 'encrypt' | 'verify') =>
        crypto.subtle.importKey('spki', derOf(keys['1'] as string), { name, hash: 'SHA-256' }, false, [usage])

      const { ciphertext } = await transit.encrypt({ name: 'rsa', plaintext: utf8('kept') })
      same(text((await transit.decrypt({ name: 'rsa', ciphertext })).plaintext), 'kept')
      const theirs = await crypto.subtle.encrypt('RSA-OAEP', await read('RSA-OAEP', 'encrypt'), utf8('theirs'))
      const sealed = `strongroom:v1:${btoa(String.fromCharCode(...new Uint8Array(theirs)))}`
      same(text((await transit.decrypt({ name: 'rsa', ciphertext: sealed })).plaintext), 'theirs')
      await refused(
        library,
        'ERR_DECRYPTION_FAILED',
        transit.decrypt({ name: 'rsa', ciphertext: sealed.replace(/v1:../, 'v1:AA') }),
      )

      const input = utf8('paid')
      for (const [signature_algorithm, name, parameters] of [
        ['pss', 'RSA-PSS', { name: 'RSA-PSS', saltLength: 32 }],
        ['pkcs1v15', 'RSASSA-PKCS1-v1_5', 'RSASSA-PKCS1-v1_5'],
      ] as const) {
        const rules = { name: 'rsa', input, signature_algorithm, salt_length: 'hash' } as const
        const { signature } = await transit.sign(rules)
        const verifyKey = await read(name, 'verify')
        same(await crypto.subtle.verify(parameters, verifyKey, bodyOf(signature), input), true)
        same((await transit.verify({ ...rules, signature })).valid, true)
        same((await transit.verify({ ...rules, signature, input: utf8('owed') })).valid, false)
        const digest = { ...rules, input: new Uint8Array(32).fill(1), prehashed: true }
        const prehashed = await transit.sign(digest)
        same((await transit.verify({ ...digest, signature: prehashed.signature })).valid, true)
      }
      for (const hash_algorithm of ['sha1', 'sha2-512', 'sha3-384'] as const) {
        const { signature } = await transit.sign({ name: 'rsa', input, hash_algorithm })
        same((await transit.verify({ name: 'rsa', input, hash_algorithm, signature })).valid, true)
      }
    }),

  'a wrapped RSA key is exported, imported and used with forgeRsa': ({ library, forge: rsa }) =>
    within(library.createDevKernel({ rsa }), async ({ transit }) => {
      await transit.createKey({ name: 'source', type: 'rsa-2048', exportable: true })
      const { public_key } = await transit.readWrappingKey()
      await transit.importKey({ name: 'recipient', type: 'rsa-4096', public_key })
      const { keys } = await transit.exportWrappedKey({ destination: 'recipient', source: 'source' })
      await transit.importKey({ name: 'copy', type: 'rsa-2048', ciphertext: unbase64(keys['1'] as string), exportable: true })
      const { ciphertext } = await transit.encrypt({ name: 'source', plaintext: utf8('kept') })
      same(text((await transit.decrypt({ name: 'copy', ciphertext })).plaintext), 'kept')
      const exported = async (name: string) => (await transit.exportKey({ key_type: 'encryption-key', name })).keys['1'] as string
      same(await exported('copy'), await exported('source'))
      same((await exported('copy')).startsWith('-----BEGIN RSA PRIVATE KEY-----'), true)
    }),

  'the generation of an RSA key by forgeRsa does not block timers': ({ library, forge: rsa }) =>
    within(library.createDevKernel({ rsa }), async ({ transit }) => {
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      await transit.createKey({ name: 'rsa', type: 'rsa-3072' }).finally(() => clearInterval(timer))
      same(turns > 2, true)
    }),
}
