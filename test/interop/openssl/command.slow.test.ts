import '../../fixtures/loaded-curves.ts'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeEcdsaSignature, encodeEcdsaSignature } from '../../../src/core/crypto/ecdsa-der.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { decodePem, encodePem } from '../../../src/core/crypto/pem.ts'
import { maxPssSalt, RsaPrivateKey, RsaPublicKey } from '../../../src/core/crypto/rsa/index.ts'
import { ecSpkiPem } from '../../../src/core/crypto/spki.ts'
import { HASHES } from '../../unit/crypto/hashes.ts'
import { noise } from '../../unit/crypto/steps.ts'
import { unhex } from '../../vectors/load.ts'
import { OPENSSL, openSslTitle } from './command.ts'
import { RSA_SIZES, rsaKey } from './keys.ts'

const crypto = nobleCrypto()
const message = noise(100)

describe.skipIf(!OPENSSL)(openSslTitle('cryptographic primitives of the kernel'), () => {
  let folder: string
  const file = (name: string, content?: string | Uint8Array): string => {
    const path = join(folder, name)
    if (content !== undefined) writeFileSync(path, content)
    return path
  }
  const openssl = (...args: string[]): string =>
    execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  /** Whether the command accepts the signature, according to its exit status. */
  const accepts = (...args: string[]): boolean => {
    try {
      openssl(...args)
      return true
    } catch {
      return false
    }
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'strongroom-openssl-'))
    file('message', message)
    file('other', noise(99))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('sign and verify Ed25519 in the same way as openssl', () => {
    const prefix = unhex('302e020100300506032b657004220420')
    const seed = noise(32, 5)
    const key = crypto.ed25519Sign(seed)
    const secret = file('ed.pem', encodePem('PRIVATE KEY', Uint8Array.from([...prefix, ...seed])))
    openssl('pkeyutl', '-sign', '-rawin', '-in', file('message'), '-inkey', secret, '-out', file('ed.sig'))
    expect(new Uint8Array(readFileSync(file('ed.sig')))).toEqual(key.sign(message))
    openssl('pkey', '-in', secret, '-pubout', '-out', file('ed.pub'))
    const signatureFile = file('ed.ours', key.sign(message))
    expect(
      accepts(
        'pkeyutl',
        '-verify',
        '-rawin',
        '-in',
        file('message'),
        '-pubin',
        '-inkey',
        file('ed.pub'),
        '-sigfile',
        signatureFile,
      ),
    ).toBe(true)
    expect(
      accepts(
        'pkeyutl',
        '-verify',
        '-rawin',
        '-in',
        file('other'),
        '-pubin',
        '-inkey',
        file('ed.pub'),
        '-sigfile',
        signatureFile,
      ),
    ).toBe(false)
  })

  it.each([
    ['P-256', 'prime256v1', 32],
    ['P-384', 'secp384r1', 48],
    ['P-521', 'secp521r1', 66],
  ] as const)('sign and verify ECDSA %s with every hash in the same way as openssl', (curve, name, size) => {
    const secret = file(`${name}.pem`)
    openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', `ec_paramgen_curve:${name}`, '-out', secret)
    openssl('pkey', '-in', secret, '-pubout', '-out', file(`${name}.pub`))
    const spki = decodePem('PUBLIC KEY', readFileSync(file(`${name}.pub`), 'utf8'))
    const point = spki.slice(-(2 * size + 1))
    expect(ecSpkiPem(curve, point)).toBe(readFileSync(file(`${name}.pub`), 'utf8'))
    const own = crypto.ecdsaSign(
      curve,
      crypto.ecdsaGenerate(curve, (n) => noise(n, 9)),
    )
    const ownPublic = file(`${name}.own`, ecSpkiPem(curve, own.publicKey))
    for (const [hash, command] of HASHES) {
      const digest = crypto.hash(hash).digest(message)
      openssl('dgst', `-${command}`, '-sign', secret, '-out', file('ec.sig'), file('message'))
      const decoded = decodeEcdsaSignature(readFileSync(file('ec.sig')), size)
      expect(crypto.ecdsaVerify(curve, point).verifyDigest(decoded!, digest)).toBe(true)
      const signatureFile = file('ec.ours', encodeEcdsaSignature(own.signDigest(digest, noise(32))))
      expect(accepts('dgst', `-${command}`, '-verify', ownPublic, '-signature', signatureFile, file('message'))).toBe(true)
      expect(accepts('dgst', `-${command}`, '-verify', ownPublic, '-signature', signatureFile, file('other'))).toBe(false)
    }
  })

  it.each(RSA_SIZES)('sign, verify, encrypt and decrypt RSA %i in the same way as openssl', (bits) => {
    const key = rsaKey(bits)
    const secret = file(`${bits}.pem`, key.pkcs1Pem())
    const spki = file(`${bits}.pub`, key.publicKey.spkiPem())
    openssl('pkey', '-in', secret, '-pubout', '-out', file('rsa.pub'))
    expect(readFileSync(file('rsa.pub'), 'utf8')).toBe(key.publicKey.spkiPem())
    for (const [hash, command] of HASHES) {
      const digest = crypto.hash(hash).digest(message)
      openssl('dgst', `-${command}`, '-sign', secret, '-out', file('rsa.sig'), file('message'))
      expect(new Uint8Array(readFileSync(file('rsa.sig')))).toEqual(key.signPkcs1(hash, digest))
      for (const salt of [0, 11, digest.length, maxPssSalt(bits, hash)]) {
        const pss = ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', `rsa_pss_saltlen:${salt}`]
        const signatureFile = file('rsa.ours', key.signPss(hash, digest, salt, noise))
        expect(accepts('dgst', `-${command}`, ...pss, '-verify', spki, '-signature', signatureFile, file('message'))).toBe(true)
        if (salt !== 11) continue
        expect(accepts('dgst', `-${command}`, ...pss, '-verify', spki, '-signature', signatureFile, file('other'))).toBe(false)
        openssl('dgst', `-${command}`, ...pss, '-sign', secret, '-out', file('rsa.sig'), file('message'))
        expect(key.publicKey.verifyPss(hash, digest, readFileSync(file('rsa.sig')), salt)).toBe(true)
      }
    }
    const oaep = ['-pkeyopt', 'rsa_padding_mode:oaep', '-pkeyopt', 'rsa_oaep_md:sha256', '-pkeyopt', 'rsa_mgf1_md:sha256']
    const sealed = file('rsa.sealed', key.publicKey.encryptOaep(message))
    openssl('pkeyutl', '-decrypt', '-inkey', secret, ...oaep, '-in', sealed, '-out', file('rsa.opened'))
    expect(new Uint8Array(readFileSync(file('rsa.opened')))).toEqual(message)
    openssl('pkeyutl', '-encrypt', '-pubin', '-inkey', spki, ...oaep, '-in', file('message'), '-out', sealed)
    expect(key.decryptOaep(readFileSync(sealed))).toEqual(message)
  })

  it('read RSA keys that openssl has generated', () => {
    openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', file('made.pem'))
    openssl('pkey', '-in', file('made.pem'), '-pubout', '-out', file('made.pub'))
    const key = RsaPrivateKey.fromPkcs8(decodePem('PRIVATE KEY', readFileSync(file('made.pem'), 'utf8')))
    expect(key.isConsistent()).toBe(true)
    expect(key.publicKey.spkiPem()).toBe(RsaPublicKey.fromSpki(readFileSync(file('made.pub'), 'utf8')).spkiPem())
  })
})
