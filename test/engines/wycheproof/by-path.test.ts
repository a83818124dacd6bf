/** Every third Wycheproof vector, run by path. test/unit/crypto runs all vectors. */
import { everyNth } from '../../vectors/wycheproof.ts'
import { testEcdsa } from './test-ecdsa.ts'
import { testRsaAndEd25519 } from './test-rsa-and-ed25519.ts'
import { testSecretKeys } from './test-secret-keys.ts'

testEcdsa(everyNth(3))
testRsaAndEd25519(everyNth(3))
testSecretKeys(everyNth(3))
