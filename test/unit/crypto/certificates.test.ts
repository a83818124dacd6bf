import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { readCertificate } from '../../../src/core/crypto/asn1/certificates.ts'
import { decodePems } from '../../../src/core/crypto/pem.ts'

describe('the root certificates of Node.js', () => {
  it('are parsed with the same public key and CA flag as by OpenSSL', () => {
    expect(rootCertificates.length).toBeGreaterThan(100)
    let authorities = 0
    for (const pem of rootCertificates) {
      const [der] = decodePems(['CERTIFICATE'], pem, 'root') as [Uint8Array]
      const parsed = readCertificate(der, 'root')
      const nodeCertificate = new X509Certificate(der)
      expect(Buffer.from(parsed.spki).equals(nodeCertificate.publicKey.export({ type: 'spki', format: 'der' }))).toBe(true)
      // OpenSSL treats the oldest roots as authorities although they have no basic constraints.
      if (parsed.ca !== undefined) expect(parsed.ca).toBe(nodeCertificate.ca)
      if (parsed.ca) authorities++
    }
    expect(authorities).toBeGreaterThan(100)
  })

  it('are parsed as one PEM chain if text is between them, but refused if text follows the last one', () => {
    const some = rootCertificates.slice(0, 20)
    expect(decodePems(['CERTIFICATE'], some.join('\nsome words\n'), 'chain')).toHaveLength(20)
    expect(decodePems(['CERTIFICATE'], `${some.join('\r\n').replaceAll('\n', '\r\n')}\r\n`, 'chain')).toHaveLength(20)
    expect(() => decodePems(['CERTIFICATE'], `${some.join('\n')}\nsome words`, 'chain')).toThrow('chain: ')
  })
})
