/**
 * Malicious certificate request templates, certificate chains and public keys. Each is refused with 400 and changes nothing. A measured
 * file also bounds the time of a refusal.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DerElement, element, encodeDer, sequence } from '../../src/core/crypto/asn1/der-writer.ts'
import { encodePem } from '../../src/core/crypto/pem.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { certificate, ed25519Spki, extension, extensionRequest, int, name, request, spkiOf } from '../fixtures/certificates.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'

const NONE = new Uint8Array(0)

const RUNS = { numRuns: runs({ quick: 100, slow: 300 }) }

/** Sends one request. A measured run bounds its processor time. */
export type Attempt = <T>(send: () => Promise<T>) => Promise<T>

export function describeMaliciousCertificates(attempt: Attempt): void {
  let kernel: Kernel
  let spki: Uint8Array
  let good: string
  let goodRequest: string

  beforeAll(async () => {
    kernel = await createDevKernel()
    await kernel.transit.createKey({ name: 'k', type: 'ed25519' })
    await kernel.transit.createKey({ name: 'ec', type: 'ecdsa-p256' })
    spki = await spkiOf(kernel, 'k')
    good = certificate(spki, { ca: false })
    goodRequest = request(name('subject'), [extensionRequest(extension('551d0f', Uint8Array.of(3, 2, 5, 160)))])
  })
  afterAll(() => kernel.close())

  const post = (path: string, body: object) => {
    const headers = { 'X-Service-Token': kernel.rootToken }
    return attempt(() => kernel.handle({ method: 'POST', path: `/v1/transit/${path}`, headers, body }))
  }
  const csr = (template: string) => post('keys/k/csr', { csr: template })
  const chain = (text: string) => post('keys/k/set-certificate', { certificate_chain: text })

  async function refused(answer: ReturnType<typeof post>): Promise<void> {
    const { status, body } = await answer
    expect({ status, errors: (body as { errors?: string[] }).errors }).toEqual({
      status: 400,
      errors: [expect.stringMatching(/^[a-z_]+: /)],
    })
  }

  const bytesOf = (pem: string): Uint8Array => Uint8Array.from(Buffer.from(pem.split('\n').slice(1, -2).join(''), 'base64'))
  const pem = (label: string, der: Uint8Array): string => encodePem(label, der)
  const asRequest = (der: Uint8Array): string => pem('CERTIFICATE REQUEST', der)
  const asCertificate = (der: Uint8Array): string => pem('CERTIFICATE', der)

  /** `depth` nested sequences around no content. */
  function nested(depth: number): Uint8Array {
    let inner: Uint8Array | DerElement = NONE
    for (let level = 0; level < depth; level++) inner = encodeDer(sequence(inner))
    return inner
  }

  /** A sequence with a declared length of one gigabyte. */
  const HUGE_LENGTH = Uint8Array.of(0x30, 0x84, 0x40, 0, 0, 0, 2, 1, 0)

  describe('a certificate request template', () => {
    it('is accepted if it is valid', async () => {
      expect((await csr(goodRequest)).status).toBe(200)
    })

    it('is refused if it is truncated at any byte', async () => {
      const whole = bytesOf(goodRequest)
      for (let length = 0; length < whole.length; length++) await refused(csr(asRequest(whole.subarray(0, length))))
    })

    it('is refused with an extra byte at the end', () => refused(csr(asRequest(Uint8Array.from([...bytesOf(goodRequest), 0])))))

    it.each<[string, () => string]>([
      ['text that is not PEM', () => 'garbage'],
      ['a PEM block without an end', () => goodRequest.slice(0, -12)],
      ['an empty PEM block', () => '-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n'],
      ['invalid base64', () => goodRequest.replace('MII', 'M*I').replace('MIG', 'M*G')],
      ['a subject of 60,000 characters', () => request(name('x'.repeat(60_000)), [])],
      ['a declared length of one gigabyte', () => asRequest(HUGE_LENGTH)],
      ['an indefinite length', () => asRequest(Uint8Array.of(0x30, 0x80, 0, 0))],
      ['ten thousand nested sequences', () => asRequest(nested(10_000))],
      ['a subject of nested sequences', () => request(element(0x30, nested(5_000)), [])],
      ['a subject that is not a name', () => request(int(1), [])],
      ['a name with an empty part', () => request(sequence(element(0x31)), [])],
      ['an unknown version', () => request(name('x'), [], 1)],
      ['extensions of nested sequences', () => request(name('x'), [extensionRequest(element(0x30, nested(5_000)))])],
      [
        'an extension without a value',
        () => request(name('x'), [extensionRequest(sequence(element(0x06, Uint8Array.of(0x55))))]),
      ],
      [
        'the same extension twice',
        () => request(name('x'), [extensionRequest(extension('551d0f', NONE), extension('551d0f', NONE))]),
      ],
      [
        'two requests for extensions',
        () => request(name('x'), [extensionRequest(extension('551d0f', NONE)), extensionRequest(extension('551d11', NONE))]),
      ],
      ['a certificate instead of a request', () => good],
    ])('is refused with %s', (_, make) => refused(csr(make())))

    it('is answered with 200 or 400 if it has 4,000 tiny name parts', async () => {
      const part = element(0x31, sequence(element(0x06, Uint8Array.of(0x55)), element(0x0c, NONE)))
      const { status } = await csr(request(sequence(...Array.from({ length: 4_000 }, () => part)), []))
      expect([200, 400]).toContain(status)
    })

    it('is answered with 200 or 400 if any byte is changed', async () => {
      const whole = bytesOf(goodRequest)
      await fc.assert(
        fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
          const changed = whole.slice()
          changed[at] = (changed[at] as number) ^ flip
          const { status } = await csr(asRequest(changed))
          expect([200, 400]).toContain(status)
        }),
        RUNS,
      )
    })
  })

  describe('a certificate chain', () => {
    it('is accepted if it is valid', async () => {
      expect((await chain(good)).status).toBe(200)
      expect((await chain(good + certificate(ed25519Spki(new Uint8Array(32)), { ca: true }))).status).toBe(200)
      expect((await chain(certificate(spki))).status).toBe(200)
    })

    it('is refused if its certificate is truncated at any byte', async () => {
      const whole = bytesOf(good)
      for (let length = 0; length < whole.length; length++) await refused(chain(asCertificate(whole.subarray(0, length))))
    })

    it.each<[string, () => string]>([
      ['text that is not PEM', () => 'garbage'],
      ['an empty text', () => ''],
      ['blocks of another kind', () => goodRequest],
      ['text after the last block', () => `${good}more`],
      ['a PEM block without an end', () => good.slice(0, -12)],
      ['600 certificates', () => good.repeat(600)],
      ['a declared length of one gigabyte', () => asCertificate(HUGE_LENGTH)],
      ['ten thousand nested sequences', () => asCertificate(nested(10_000))],
      ['bytes after a certificate', () => asCertificate(Uint8Array.from([...bytesOf(good), 5, 0]))],
      ['a CA certificate as the first', () => certificate(spki, { ca: true })],
      ['a certificate of another key', () => certificate(ed25519Spki(new Uint8Array(32).fill(1)), { ca: false })],
      [
        'a certificate of another key type',
        () => certificate(sequence(sequence(element(0x06, Uint8Array.of(0x55))), element(0x03, NONE))),
      ],
      ['a malformed key', () => certificate(int(1))],
      ['a second certificate that is not of a CA', () => good + good],
      ['a second certificate without basic constraints', () => good + certificate(spki)],
      ['malformed extensions', () => certificate(spki, { extensions: sequence(int(1)) })],
      [
        'basic constraints twice',
        () => {
          const twice = extension('551d13', encodeDer(sequence()))
          return certificate(spki, { extensions: sequence(twice, twice) })
        },
      ],
      [
        'basic constraints with an invalid boolean',
        () =>
          certificate(spki, { extensions: sequence(extension('551d13', encodeDer(sequence(element(0x01, Uint8Array.of(1)))))) }),
      ],
    ])('is refused with %s', (_, make) => refused(chain(make())))

    it('is refused with thousands of short blocks', async () => {
      await refused(chain('-----BEGIN A-----\nAAAA\n-----END A-----\n'.repeat(3_000)))
      await refused(chain('-----BEGIN A-----\n'.repeat(7_000)))
      await refused(chain('\n'.repeat(131_000)))
    })

    it('is answered with 200 or 400 if any byte is changed', async () => {
      const whole = bytesOf(good)
      await fc.assert(
        fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
          const changed = whole.slice()
          changed[at] = (changed[at] as number) ^ flip
          const { status } = await chain(asCertificate(changed))
          expect([200, 400]).toContain(status)
        }),
        RUNS,
      )
    })

    it('does not replace the previous chain if it was refused', async () => {
      await chain(good)
      await refused(chain(certificate(spki, { ca: true })))
      const shown = (await kernel.transit.readKey({ name: 'k' })).keys['1'] as { certificate_chain: string }
      expect(`${shown.certificate_chain}\n`).toBe(good)
    })
  })

  describe('a peer public key for key agreement', () => {
    const derive = (peer: string) => post('derive-key/shared', { base_key_name: 'ec', peer_public_key: peer })
    const point = (bytes: Uint8Array) =>
      pem(
        'PUBLIC KEY',
        Uint8Array.from([...Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'), ...bytes]),
      )

    it.each<[string, () => string]>([
      ['not on the curve', () => point(new Uint8Array(65).fill(4))],
      ['at infinity', () => point(new Uint8Array(65))],
      ['truncated', () => point(new Uint8Array(30).fill(4))],
      ['of another kind', () => pem('PUBLIC KEY', ed25519Spki(new Uint8Array(32)))],
      ['a certificate', () => good],
      ['of nested sequences', () => pem('PUBLIC KEY', nested(10_000))],
      ['60,000 bytes long', () => pem('PUBLIC KEY', new Uint8Array(60_000))],
      ['not PEM', () => 'x'],
    ])('is refused if it is %s', async (_, make) => {
      await refused(derive(make()))
      expect((await kernel.transit.listKeys()).keys).toEqual(['ec', 'k'])
    })
  })
}
