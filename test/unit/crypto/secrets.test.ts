import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { RsaPrivateKey } from '../../../src/core/crypto/rsa/index.ts'
import { BACKENDS } from '../../fixtures/backends.ts'
import { RSA_PAIR } from '../../fixtures/rsa-keys.ts'

/** A byte pattern that no public value contains; 0xb7 is 183. */
const SECRET = new Uint8Array(32).fill(0xb7)
const TRACES = [/b7b7/i, /183, ?183/, /t7e3/]
const rsa = RsaPrivateKey.fromPkcs8(RSA_PAIR.privateKey.export({ type: 'pkcs8', format: 'der' }))

describe.each(BACKENDS)('key objects of the backend $name', (crypto) => {
  const objects = () => ({
    'aes-gcm': crypto.aead('aes-gcm', SECRET),
    chacha20: crypto.aead('chacha20-poly1305', SECRET),
    xchacha20: crypto.aead('xchacha20-poly1305', SECRET),
    hmac: crypto.hmac('sha2-256', SECRET),
    'hmac sha3': crypto.hmac('sha3-256', SECRET),
    ed25519: crypto.ed25519Sign(SECRET),
    ecdsa: crypto.ecdsaSign('P-256', SECRET),
    x25519: crypto.x25519(SECRET),
  })

  it('reveal no key bytes when printed, before and after use', () => {
    for (const key of Object.values(objects())) {
      for (const use of [
        () => {},
        () => 'mac' in key && key.mac(SECRET.subarray(0, 1)),
        () => 'sign' in key && key.sign(new Uint8Array(1)),
      ]) {
        use()
        for (const shown of [JSON.stringify(key), inspect(key, { showHidden: true, depth: 9 }), String(key)]) {
          for (const trace of TRACES) expect(shown).not.toMatch(trace)
        }
      }
    }
  })

  it('have only the enumerable properties of their interface', () => {
    const shown = Object.fromEntries(Object.entries(objects()).map(([name, key]) => [name, Object.keys(key).sort()]))
    expect(shown).toEqual({
      'aes-gcm': ['nonceBytes', 'shortBytes'],
      chacha20: ['nonceBytes', 'shortBytes'],
      xchacha20: ['nonceBytes', 'shortBytes'],
      hmac: [],
      'hmac sha3': [],
      ed25519: ['publicKey'],
      ecdsa: ['publicKey', 'shortBytes'],
      x25519: ['publicKey'],
    })
  })

  it('reveal no key bytes when an encryption in steps is printed', () => {
    const key = crypto.aead('aes-gcm', SECRET)
    const steps = key.sealSteps(
      new Uint8Array(12),
      new Uint8Array(3_000_000),
      SECRET.subarray(0, 1),
      new Uint8Array(3_000_016),
      0,
    )
    steps.next()
    expect(inspect(steps, { showHidden: true, depth: 9 })).toBe(
      "Object [Generator] { [Symbol(Symbol.toStringTag)]: 'Generator' }",
    )
  })
})

describe('RSA key objects', () => {
  it('reveal only the modulus size when printed', () => {
    expect(JSON.parse(JSON.stringify(rsa))).toEqual({ publicKey: { modulusBits: 2048, modulusBytes: 256 } })
    const der = inspect(rsa, { showHidden: true, depth: 9 })
    expect(der).not.toMatch(/PrivateKeyObject|handle|BEGIN/)
  })
})
