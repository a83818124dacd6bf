import { base64, type Check, hex, refused, same, text, unhex, utf8, within } from './library.ts'

const CIPHERS = ['aes128-gcm96', 'aes256-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305'] as const
const ECDSA = ['ecdsa-p256', 'ecdsa-p384', 'ecdsa-p521'] as const
const SIGNERS = ['ed25519', ...ECDSA] as const
const HASHES = ['sha2-224', 'sha2-256', 'sha2-384', 'sha2-512', 'sha3-224', 'sha3-256', 'sha3-384', 'sha3-512'] as const
const ABC = utf8('abc')
/** FIPS 180-4; `transit.hash` does not support SHA-1. */
const SHA1_OF_ABC = unhex('a9993e364706816aba3e25717850c26c9cd0d89d')

/** @throws The item's error. */
function good<T extends object>(result: T): Exclude<T, { readonly error: Error }> {
  if ('error' in result) throw result.error
  return result as Exclude<T, { readonly error: Error }>
}

export const keys: Readonly<Record<string, Check>> = {
  'every cipher decrypts its ciphertexts, and only with the same associated data': ({ library }) =>
    within(library.createDevKernel(), async ({ transit }) => {
      for (const type of CIPHERS) {
        await transit.createKey({ name: type, type })
        const plaintext = utf8('4111 1111 1111 1111 \u{1f511}')
        const associated_data = utf8('card/17')
        const { ciphertext } = await transit.encrypt({ name: type, plaintext, associated_data })
        const opened = await transit.decrypt({ name: type, ciphertext, associated_data })
        same(text(opened.plaintext), '4111 1111 1111 1111 \u{1f511}')
        const moved = transit.decrypt({ name: type, ciphertext, associated_data: utf8('card/18') })
        await refused(library, 'ERR_DECRYPTION_FAILED', moved)
      }
    }),

  'hashes and HMACs of long values are those of noble': ({ library }) =>
    within(library.createDevKernel(), (own) =>
      within(library.createDevKernel({ crypto: library.nobleCrypto({ accelerate: false }) }), async (noble) => {
        await own.transit.createKey({ name: 'long', type: 'hmac', exportable: true, allow_plaintext_backup: true })
        await noble.transit.restoreKey(await own.transit.backupKey({ name: 'long' }))
        for (const algorithm of HASHES)
          for (const size of [200, 2_000, 50_000]) {
            const input = new Uint8Array(size).fill(7)
            const { sum } = await own.transit.hash({ algorithm, input })
            same(hex(sum), hex((await noble.transit.hash({ algorithm, input })).sum))
            const { hmac } = await own.transit.hmac({ name: 'long', algorithm, input })
            same(hmac, (await noble.transit.hmac({ name: 'long', algorithm, input })).hmac)
          }
      }),
    ),

  'every signature and HMAC verifies for its input only': ({ library }) =>
    within(library.createDevKernel(), async ({ transit }) => {
      for (const type of SIGNERS) {
        await transit.createKey({ name: type, type })
        const { signature } = await transit.sign({ name: type, input: utf8('17: paid') })
        same((await transit.verify({ name: type, input: utf8('17: paid'), signature })).valid, true)
        same((await transit.verify({ name: type, input: utf8('18: paid'), signature })).valid, false)
      }
      await transit.createKey({ name: 'index', type: 'hmac' })
      const { hmac } = await transit.hmac({ name: 'index', input: utf8('ada') })
      same((await transit.hmac({ name: 'index', input: utf8('ada') })).hmac, hmac)
      same((await transit.verify({ name: 'index', input: utf8('ada'), hmac })).valid, true)
      same((await transit.verify({ name: 'index', input: utf8('bob'), hmac })).valid, false)
    }),

  'an ECDSA signature of a message with any hash is a signature of its digest, and the reverse': ({ library }) =>
    within(library.createDevKernel(), async ({ transit }) => {
      for (const name of ECDSA) {
        await transit.createKey({ name, type: name })
        for (const hash_algorithm of ['sha1', ...HASHES] as const) {
          const sum =
            hash_algorithm === 'sha1' ? SHA1_OF_ABC : (await transit.hash({ input: ABC, algorithm: hash_algorithm })).sum
          const message = { name, input: ABC, hash_algorithm }
          const digest = { name, input: sum, hash_algorithm, prehashed: true }
          for (const [signed, verified] of [
            [message, digest],
            [digest, message],
          ] as const) {
            const { signature } = await transit.sign(signed)
            same((await transit.verify({ ...verified, signature })).valid, true)
            same((await transit.verify({ ...verified, input: utf8('18: paid'), signature })).valid, false)
          }
        }
      }
    }),

  'derived keys depend on the context, and convergent encryption is deterministic': ({ library }) =>
    within(library.createDevKernel(), async ({ transit }) => {
      await transit.createKey({ name: 'column', derived: true, convergent_encryption: true })
      const seal = async (context: string) =>
        (await transit.encrypt({ name: 'column', plaintext: utf8('ada'), context: utf8(context) })).ciphertext
      same(await seal('a'), await seal('a'))
      same((await seal('a')) === (await seal('b')), false)
    }),

  'a batch returns one result per item, and rewrapAll uses the rotated key': ({ library }) =>
    within(library.createDevKernel(), async ({ transit }) => {
      await transit.createKey({ name: 'rows' })
      const batch_input = Array.from({ length: 300 }, (_, index) => ({ plaintext: utf8(`row ${index}`), reference: `${index}` }))
      const sealed = (await transit.encryptBatch({ name: 'rows', batch_input })).batch_results
      await transit.rotateKey({ name: 'rows' })
      const items = sealed.map((result) => ({ ciphertext: good(result).ciphertext, reference: result.reference as string }))
      const rewrapped: { ciphertext: string }[] = []
      for await (const result of transit.rewrapAll({ name: 'rows', items })) {
        rewrapped.push({ ciphertext: good(result).ciphertext })
      }
      same(
        rewrapped.map(({ ciphertext }) => ciphertext.slice(0, 14)).every((head) => head === 'strongroom:v2:'),
        true,
      )
      const broken = { ciphertext: 'strongroom:v2:AAAA' }
      const opened = (await transit.decryptBatch({ name: 'rows', batch_input: [...rewrapped, broken] })).batch_results
      same(
        opened.slice(0, 300).map((result) => text(good(result).plaintext)),
        batch_input.map(({ plaintext }) => text(plaintext)),
      )
      same(typeof opened[300]?.error, 'object')
    }),

  'long values do not block timers': ({ library }) =>
    within(library.createDevKernel(), async ({ transit }) => {
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      try {
        const plaintext = Uint8Array.from({ length: 2_000_003 }, (_, index) => index % 251)
        // AES-256-GCM is computed by the platform, in one piece and off the event loop; ChaCha20-Poly1305 is computed by noble.
        for (const type of ['aes256-gcm96', 'chacha20-poly1305'] as const) {
          await transit.createKey({ name: type, type })
          const { ciphertext } = await transit.encrypt({ name: type, plaintext })
          const opened = await transit.decrypt({ name: type, ciphertext })
          same(opened.plaintext.length, plaintext.length)
          same(
            opened.plaintext.every((byte, index) => byte === index % 251),
            true,
          )
        }
      } finally {
        clearInterval(timer)
      }
      same(turns > 2, true)
    }),

  'backups, exports, random bytes and hashes are correct': ({ library }) =>
    within(library.createDevKernel(), async ({ transit }) => {
      await transit.createKey({ name: 'out', exportable: true, allow_plaintext_backup: true })
      const { ciphertext } = await transit.encrypt({ name: 'out', plaintext: utf8('kept') })
      const { backup } = await transit.backupKey({ name: 'out' })
      await transit.restoreKey({ name: 'again', backup })
      same(text((await transit.decrypt({ name: 'again', ciphertext })).plaintext), 'kept')
      const { keys: exported } = await transit.exportKey({ key_type: 'encryption-key', name: 'out' })
      same(atob(exported['1'] as string).length, 32)
      same((await transit.random({ bytes: 40 })).random_bytes.length, 40)
      // RFC 6234: SHA-256 of "abc".
      const { sum } = await transit.hash({ input: utf8('abc'), algorithm: 'sha2-256' })
      same(hex(sum), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    }),

  'an RSA key supports the operations of the platform and refuses others with a reason': ({ library, rsa }) =>
    within(library.createDevKernel(), async ({ transit }) => {
      const lacking = async (what: string, work: Promise<unknown>) =>
        same((await refused(library, 'ERR_INVALID_REQUEST', work)).includes(`RSA: this platform has no ${what}`), true)
      const created = transit.createKey({ name: 'rsa', type: 'rsa-2048' })
      if (rsa === 'none') {
        await lacking('RSA arithmetic', created)
        return lacking('RSA arithmetic', transit.readWrappingKey())
      }
      await created
      const { ciphertext } = await transit.encrypt({ name: 'rsa', plaintext: utf8('kept') })
      same(text((await transit.decrypt({ name: 'rsa', ciphertext })).plaintext), 'kept')
      for (const signature_algorithm of ['pss', 'pkcs1v15'] as const) {
        const verify = async (input: string, signature: string, salt_length: 'auto' | 'hash' | `${number}`) =>
          (await transit.verify({ name: 'rsa', input: utf8(input), signature_algorithm, signature, salt_length })).valid
        for (const salt_length of ['auto', 'hash', '20'] as const) {
          const { signature } = await transit.sign({ name: 'rsa', input: utf8('paid'), signature_algorithm, salt_length })
          same(await verify('paid', signature, salt_length), true)
          same(await verify('paid', signature, 'auto'), true)
          same(await verify('paid', signature, '31'), signature_algorithm === 'pkcs1v15')
          same(await verify('owed', signature, salt_length), false)
        }
        const input = new Uint8Array(32).fill(1)
        const signed = transit.sign({ name: 'rsa', input, prehashed: true, signature_algorithm })
        if (rsa === 'whole messages') await lacking('RSA operation without padding', signed)
        else {
          const { signature } = await signed
          const request = { name: 'rsa', input, prehashed: true, signature_algorithm, signature }
          same((await transit.verify(request)).valid, true)
        }
      }
    }),

  'base64 in calls by path is decoded and encoded correctly': ({ library }) =>
    within(library.createDevKernel(), async (kernel) => {
      await kernel.transit.createKey({ name: 'k' })
      const headers = { 'X-Service-Token': kernel.rootToken as string }
      const ask = async (path: string, body: Record<string, string>) =>
        (await kernel.handle({ method: 'POST', path: `/v1/transit/${path}/k`, headers, body })).body as unknown as {
          data: { ciphertext: string; plaintext: string }
        }
      for (const size of [0, 1, 2, 3, 5000]) {
        const plaintext = base64(Uint8Array.from({ length: size }, (_, index) => (index * 7) % 256))
        const { ciphertext } = (await ask('encrypt', { plaintext })).data
        same((await ask('decrypt', { ciphertext })).data.plaintext, plaintext)
      }
    }),
}
