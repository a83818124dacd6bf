/**
 * Credentials of database users: how a role has them made, and making them.
 */
export { type CredentialEnvironment, mergeCredential } from './judge.ts'
export { type KeyWish, type MadeCredential, makeKeyCredential } from './make.ts'
export {
  type ClientCertificateConfig,
  type CredentialSettings,
  type GivenCredential,
  type PasswordConfig,
  type RsaKeyConfig,
  shownConfig,
} from './settings.ts'
