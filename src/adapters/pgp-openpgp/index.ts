/**
 * `strongroom/pgp/openpgp`: shares and tokens encrypted to PGP keys.
 */
export { openpgp } from './openpgp.ts'
