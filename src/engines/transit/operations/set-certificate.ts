import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { certifiableKey, readChain } from '../certificates.ts'
import { KEY_TYPE } from '../key-view.ts'
import { RING, withChain } from '../ring.ts'
import { ringNamed } from '../ring-keys.ts'
import { namedVersion } from '../versions.ts'

/**
 * @throws KernelError 400 if the key does not exist, if the key is soft-deleted, if keys of this type cannot have certificates, if the key
 *   is derived, if `version` does not exist or is below `min_decryption_version`, if the certificate chain cannot be read or is out of
 *   order, or if the first certificate is not for the public key of the version.
 */
export const setCertificate = operation({
  kind: 'write',
  verb: 'POST',
  path: '/keys/:name/set-certificate',
  forwardable: true,
  summary: 'Stores a certificate chain for a version of a key and replaces any earlier chain.',
  fields: {
    name: f.name('The name of the key.'),
    version: f.wordOrInt<'latest'>('A version of the key. The default is latest.').optional(),
    certificate_chain: f.text("PEM blocks, the key's certificate first. At most 131,072 characters."),
  },
  returns: {
    name: f.text('The name of the key.'),
    type: KEY_TYPE,
    certificate_chain: f.text('The certificate chain in PEM, exactly as in the request.'),
  },
  run: (tx, { name, version: requested, certificate_chain }) => {
    const ring = ringNamed(tx, name)
    const { spki } = certifiableKey(ring)
    const version = namedVersion(ring, requested)
    tx.put(RING, name, withChain(ring, version, readChain(certificate_chain, spki(version))))
    tx.event('key.configured', { name })
    return { name, type: ring.type, certificate_chain }
  },
})
