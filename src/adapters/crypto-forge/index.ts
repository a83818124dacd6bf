/** `strongroom/crypto/forge`: RSA for platforms that have none, such as browsers. */
export type { RsaPort } from '../../core/crypto/rsa/arithmetic.ts'
export { forgeRsa } from './forge-rsa.ts'
