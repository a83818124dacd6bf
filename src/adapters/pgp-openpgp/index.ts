/**
 * `strongroom/pgp/openpgp`: encrypts key shares and tokens to PGP keys.
 */
export { openpgp } from './openpgp.ts'
