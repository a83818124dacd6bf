export { type KeyCredentialRequest, type MadeCredential, makeKeyCredential } from './make.ts'
export { type CredentialEnvironment, mergeCredential } from './merge-credential.ts'
export {
  type ClientCertificateConfig,
  type CredentialInput,
  type CredentialSettings,
  type PasswordConfig,
  type RsaKeyConfig,
  redactedConfig,
} from './settings.ts'
