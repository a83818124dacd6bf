/** Reads private keys that are given together with certificates. */
import { invalid } from '../../base/errors.ts'
import { encodeDer } from '../asn1/der-writer.ts'
import { sec1InEnvelope } from '../asn1/ec-keys.ts'
import { pkcs8 } from '../asn1/envelopes.ts'
import { NO_PARAMETERS, RSA_ENCRYPTION } from '../asn1/object-ids.ts'
import { decodeLabelledPems } from '../pem.ts'

/** Functions that convert a key to a new array in PKCS#8, keyed by the label of the PEM block that contains the key. */
const FORMS: Readonly<Record<string, (der: Uint8Array, what: string) => Uint8Array>> = {
  'PRIVATE KEY': (der) => der.slice(),
  'EC PRIVATE KEY': sec1InEnvelope,
  'RSA PRIVATE KEY': (der) => encodeDer(pkcs8(RSA_ENCRYPTION, NO_PARAMETERS, der)),
}

/**
 * Returns the key as PKCS#8. The caller owns and wipes it. PEM blocks with other labels, such as curve parameters, are skipped.
 * @throws KernelError 400 that names the parameter, if the text contains no key or more than one key
 */
export function readPrivateKey(pem: string, name: string): Uint8Array {
  const found = decodeLabelledPems(Object.keys(FORMS), pem, name)
  const [only] = found
  try {
    const inEnvelope = only && found.length === 1 ? FORMS[only.label] : undefined
    if (!only || !inEnvelope) throw invalid(`${name}: must be one unencrypted private key in PEM form`)
    return inEnvelope(only.bytes, name)
  } finally {
    for (const { bytes } of found) bytes.fill(0)
  }
}
