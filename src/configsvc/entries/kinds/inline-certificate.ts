/** inline-certificate: a certificate of a gateway with its private key. */
import { invalid } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { commonNameOf, dnsNamesOf } from '../../../core/crypto/asn1/certificate-names.ts'
import { readKeyPair } from '../../../core/crypto/certificate/index.ts'
import { withCurvesSteps } from '../../../core/crypto/curves/curve-code.ts'
import { MESH_ACCESS } from '../common/access.ts'
import { isCertificateName } from '../common/host-names.ts'
import { defineKind, type NormalizedEntryOf } from '../kind.ts'
import { quotedValue, text } from '../members/index.ts'
import { anyName } from '../names.ts'

const members = { Certificate: text(), PrivateKey: text() }

export type InlineCertificate = NormalizedEntryOf<typeof members>

const NAMES = { certificateName: 'Certificate', keyName: 'PrivateKey' }

function* checkCertificate({ Certificate = '', PrivateKey = '' }: InlineCertificate): Steps<void> {
  // The member `Certificate` does not count as a secret, so a private key in it would be exposed.
  if (Certificate.includes('PRIVATE KEY-----')) throw invalid('Certificate: must not contain a private key')
  // Reading the first key on a curve takes long, because code is loaded and tables are computed. So let other work run before and after it.
  yield
  const pems = { certificate: Certificate, key: PrivateKey, ...NAMES }
  const certificate = yield* withCurvesSteps(() => readKeyPair(pems))
  yield
  const common = commonNameOf(certificate, 'Certificate')
  if (!isCertificateName(common)) throw invalid(`Certificate: its common name must be a host name, not ${quotedValue(common)}`)
  const wrong = dnsNamesOf(certificate, 'Certificate').find((name) => !isCertificateName(name))
  if (wrong !== undefined) throw invalid(`Certificate: its DNS names must be host names, not ${quotedValue(wrong)}`)
}

export const inlineCertificate = defineKind({
  name: 'inline-certificate',
  members,
  nameOf: anyName,
  rule: checkCertificate,
  secrets: ['PrivateKey'],
  ...MESH_ACCESS,
})
