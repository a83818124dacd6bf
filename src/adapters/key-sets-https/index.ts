/**
 * `strongroom/key-sets/https`: the key sets of identity providers, over HTTPS.
 */
export { type HttpsKeySetsOptions, httpsKeySets } from './key-sets.ts'
