import { operation } from '../../../core/contract/operation.ts'
import { EMPTY_REQUEST, readCertificateRequest, requestInfo, signedRequest } from '../../../core/crypto/asn1/requests.ts'
import { decodeFirstPem, encodePem } from '../../../core/crypto/pem.ts'
import { f } from '../../../core/field/fields.ts'
import { certifiableKey } from '../certificates.ts'
import type { Signature } from '../key-types/key-type.ts'
import { signJob } from '../key-types/sign-job.ts'
import { KEY_TYPE } from '../key-view.ts'
import { ringInUse } from '../ring-keys.ts'
import { namedVersion } from '../versions.ts'

/**
 * @throws KernelError 400 if the key does not exist, if the key is soft-deleted, if keys of this type cannot have certificates, if the key
 *   is derived, if `version` does not exist or is below `min_decryption_version`, if only the public key of the version was imported, or if
 *   `csr` is not a certificate request.
 */
export const signCsr = operation({
  kind: 'read',
  verb: 'POST',
  path: '/keys/:name/csr',
  summary: 'Creates a certificate request for the public key of a version, signed with the private key.',
  fields: {
    name: f.name('The name of the key.'),
    version: f.wordOrInt<'latest'>('The version of the key to sign with; the default is `latest`.').optional(),
    csr: f
      .text(
        'A certificate request in PEM, from which the new request takes its subject and extensions. By default, both are empty.',
      )
      .default(''),
  },
  returns: {
    name: f.text('The name of the key.'),
    type: KEY_TYPE,
    version: f.int('The version that signed the request.'),
    csr: f.text('PEM.'),
  },
  run: (tx, { name, version: requested, csr }) => {
    const keys = ringInUse(tx, name)
    const { signer, x509, spki } = certifiableKey(keys.ring)
    const version = namedVersion(keys.ring, requested)
    const key = keys.version(version)
    const template = csr === '' ? EMPTY_REQUEST : readCertificateRequest(decodeFirstPem(csr, 'csr'), 'csr')
    if (template.otherAttributes) tx.warn('csr: all attributes except the extensions were dropped')
    const input = requestInfo(template, spki(version))
    const rules = { hash: x509.hash, prehashed: false, algorithm: 'pkcs1v15', salt: 'auto', marshaling: 'asn1' } as const
    // A certificate request is short, so sign it in one call, without pauses for the event loop.
    const { bytes } = signer.sign(tx.env, key, signJob(rules, input, undefined, true)) as Signature
    const request = signedRequest(input, x509.algorithm, bytes)
    return { name, type: keys.ring.type, version, csr: encodePem('CERTIFICATE REQUEST', request) }
  },
})
