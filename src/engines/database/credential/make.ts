import {
  checkCommonName,
  issueClientCertificate,
  makeRsaSubjectKey,
  makeSubjectKey,
  subjectText,
} from '../../../core/crypto/certificate/index.ts'
import { withCurves } from '../../../core/crypto/curves/curve-code.ts'
import { encodePem } from '../../../core/crypto/pem.ts'
import { compileTemplate, type TemplateFields } from '../../../core/template/index.ts'
import type { DatabaseCredential } from '../port.ts'
import { type CredentialEnvironment, configParameter, openConfiguredAuthority } from './merge-credential.ts'
import type { ClientCertificateConfig, CredentialSettings, RsaKeyConfig } from './settings.ts'

export interface KeyCredentialRequest {
  readonly settings: Exclude<CredentialSettings, { readonly credential_type: 'password' }>
  /** The fields `DisplayName` and `RoleName` for the template of a certificate's common name. */
  readonly fields: TemplateFields
  /** Milliseconds since the Unix epoch: the start of a certificate's validity. */
  readonly now: number
  /** Milliseconds since the Unix epoch: the end of a certificate's validity. */
  readonly expiration: number
}

export interface MadeCredential {
  /** The part of the credential that the database stores. */
  readonly database: DatabaseCredential
  /** The part of the credential that the caller receives, as members of the answer. */
  readonly answer: Readonly<Record<string, string>>
}

/**
 * Generates a key pair, and a certificate for the key if the role has the type `client_certificate`. RSA keys take 0.1 to 2 seconds.
 * Private keys are PKCS#8 PEM.
 * @throws KernelError 400 if the template produces a common name that a certificate cannot contain.
 */
export const makeKeyCredential = (env: CredentialEnvironment, request: KeyCredentialRequest): Promise<MadeCredential> =>
  request.settings.credential_type === 'rsa_private_key'
    ? makeRsaKey(env, request.settings.credential_config)
    : makeCertificate(env, request.settings.credential_config, request)

async function makeRsaKey({ crypto }: CredentialEnvironment, { key_bits }: RsaKeyConfig): Promise<MadeCredential> {
  const { pkcs8, spki } = await makeRsaSubjectKey(crypto, key_bits)
  return {
    database: { type: 'rsa_private_key', public_key: encodePem('PUBLIC KEY', spki) },
    answer: { rsa_private_key: privatePem(pkcs8) },
  }
}

async function makeCertificate(
  env: CredentialEnvironment,
  config: ClientCertificateConfig,
  { fields, now, expiration }: KeyCredentialRequest,
): Promise<MadeCredential> {
  const { crypto, entropy } = env
  const nameOf = configParameter('common_name_template')
  const commonName = compileTemplate(config.common_name_template, nameOf).run({ fields, now, entropy })
  checkCommonName(commonName, nameOf)
  const { pkcs8, spki } = await makeSubjectKey(crypto, entropy, config.key_type, config.key_bits)
  const authority = await withCurves(() => openConfiguredAuthority(env, config))
  try {
    const request = { commonName, spki, now, notAfter: expiration }
    const certificate = issueClientCertificate(crypto, entropy, authority, request)
    return {
      database: { type: 'client_certificate', subject: subjectText(commonName) },
      answer: {
        client_certificate: encodePem('CERTIFICATE', certificate),
        private_key: privatePem(pkcs8),
        private_key_type: config.key_type,
      },
    }
  } finally {
    authority.wipe()
    pkcs8.fill(0)
  }
}

function privatePem(pkcs8: Uint8Array): string {
  const pem = encodePem('PRIVATE KEY', pkcs8)
  pkcs8.fill(0)
  return pem
}
