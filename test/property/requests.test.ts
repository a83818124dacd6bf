import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DerReader, SEQUENCE } from '../../src/core/crypto/asn1/der-reader.ts'
import { type DerElement, element, encodeDer, octets, sequence } from '../../src/core/crypto/asn1/der-writer.ts'
import { readCertificateRequest } from '../../src/core/crypto/asn1/requests.ts'
import { decodeFirstPem } from '../../src/core/crypto/pem.ts'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { extensionRequest, request } from '../fixtures/certificates.ts'
import fc from '../fixtures/fast-check.ts'
import { RUNS } from './support.ts'

const HASHES: Readonly<Record<string, string | null>> = {
  ed25519: null,
  'ecdsa-p256': 'sha256',
  'ecdsa-p384': 'sha384',
  'ecdsa-p521': 'sha512',
  'rsa-2048': 'sha256',
}

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
  for (const type of Object.keys(HASHES)) await kernel.transit.createKey({ name: type, type: type as KeyTypeName })
}, 60_000)
afterAll(() => kernel.close())

const bytes = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength })
const oid = bytes(1, 12).map((id) => element(0x06, id))
const value = fc
  .tuple(fc.constantFrom(0x0c, 0x13, 0x16, 0x1e, 0x04), bytes(0, 300))
  .map(([tag, content]) => element(tag, content))
const part = fc
  .array(fc.tuple(oid, value), { minLength: 1, maxLength: 3 })
  .map((pairs) => element(0x31, ...pairs.map((pair) => sequence(...pair))))
const name = fc.array(part, { maxLength: 6 }).map((parts) => sequence(...parts))
const extensions = fc
  .uniqueArray(fc.tuple(bytes(1, 12), fc.boolean(), bytes(0, 500)), {
    minLength: 1,
    maxLength: 8,
    selector: ([id]) => Buffer.from(id).toString('hex'),
  })
  .map((all) =>
    all.map(([id, critical, content]): DerElement => {
      const mark = critical ? [element(0x01, Uint8Array.of(0xff))] : []
      return sequence(element(0x06, id), ...mark, octets(content))
    }),
  )

/** The signed part, the public key in it, and the signature. */
function partsOf(der: Uint8Array): readonly [Uint8Array, Uint8Array, Uint8Array] {
  const outer = new DerReader(der, 'request').next(SEQUENCE)
  const info = outer.rest()
  outer.rest()
  const signature = outer.next(0x03).bytes.subarray(1)
  const inner = new DerReader(info, 'info').next(SEQUENCE)
  inner.rest()
  inner.rest()
  return [info, inner.rest(), signature]
}

describe('transit.signCsr', () => {
  it('returns a request with the subject and extensions of the template, signed with the key that the request contains', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(HASHES)),
        name,
        fc.option(extensions, { nil: undefined }),
        async (type, subject, extensions) => {
          const template = request(subject, extensions ? [extensionRequest(...extensions)] : [])
          const { csr, version } = await kernel.transit.signCsr({ name: type, csr: template })
          const der = decodeFirstPem(csr, 'ours')
          const found = readCertificateRequest(der, 'ours')
          expect(found.subject).toEqual(encodeDer(subject))
          expect(found.extensions).toEqual(extensions && encodeDer(sequence(...extensions)))
          const [info, spki, signature] = partsOf(der)
          const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
          expect([version, verify(HASHES[type], info, key, signature)]).toEqual([1, true])
        },
      ),
      { numRuns: RUNS * 3 },
    )
  })
})
