/** Decides which keys can have certificates, and which certificate chains a key accepts. The rules are Vault's. */
import { decodeBase64, encodeBase64 } from '../../core/base/base64.ts'
import { invalid } from '../../core/base/errors.ts'
import { readCertificate } from '../../core/crypto/asn1/certificates.ts'
import { sameElement } from '../../core/crypto/asn1/envelopes.ts'
import type { X509SignatureAlgorithm } from '../../core/crypto/asn1/signature-algorithms.ts'
import { decodePems } from '../../core/crypto/pem.ts'
import { keyType } from './key-types/index.ts'
import type { Signer } from './key-types/key-type.ts'
import type { Ring } from './ring.ts'

const LABELS = ['CERTIFICATE', 'X509 CERTIFICATE']
const PARAMETER = 'certificate_chain'

interface CertifiableKey {
  readonly signer: Signer
  readonly x509: X509SignatureAlgorithm
  /** Returns the SubjectPublicKeyInfo of a version. */
  readonly spki: (version: number) => Uint8Array
}

/** @throws KernelError 400 for keys that have no public key or cannot sign */
export function certifiableKey(ring: Ring): CertifiableKey {
  const { signer, x509, codec } = keyType(ring.type)
  if (!signer || !x509) throw invalid(`name: keys of type ${ring.type} cannot have certificates`)
  if (ring.derived) throw invalid('name: derived keys cannot have certificates, because every context has its own key')
  const spki = (version: number) =>
    decodeBase64(codec.publicKey?.toText(ring.versions[version]?.public_key ?? '', 'der') ?? '', 'public_key')
  return { signer, x509, spki }
}

/**
 * The certificates of a PEM chain as base64 of DER, which is how they are stored. Order, dates and signatures are not checked.
 * @param spki The public key that the first certificate must have.
 * @throws KernelError 400 if the text contains no certificates, or if {@link checkChain} refuses them
 */
export function readChain(text: string, spki: Uint8Array): readonly string[] {
  const chain = decodePems(LABELS, text, PARAMETER)
  if (chain.length === 0) throw invalid(`${PARAMETER}: must contain at least one certificate`)
  checkChain(chain, spki)
  return chain.map(encodeBase64)
}

/** @throws KernelError 400 if the order of the certificates or the first public key is wrong */
function checkChain(chain: readonly Uint8Array[], spki: Uint8Array): void {
  const [leaf, ...others] = chain.map((der) => readCertificate(der, PARAMETER))
  if (leaf?.ca) throw invalid(`${PARAMETER}: the first certificate must be the key's certificate, not that of an authority`)
  if (others.some(({ ca }) => !ca)) throw invalid(`${PARAMETER}: all certificates after the first must be of authorities`)
  if (leaf && !sameElement(leaf.spki, spki))
    throw invalid(`${PARAMETER}: the first certificate must be for the public key of this version`)
}
