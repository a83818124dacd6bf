/** The Wycheproof vectors that the quick tier leaves out, run by path. test/unit/crypto runs all vectors. */
import { exceptEveryNth } from '../../vectors/wycheproof.ts'
import { testEcdsa } from './test-ecdsa.ts'
import { testRsaAndEd25519 } from './test-rsa-and-ed25519.ts'
import { testSecretKeys } from './test-secret-keys.ts'

testEcdsa(exceptEveryNth(3))
testRsaAndEd25519(exceptEveryNth(3))
testSecretKeys(exceptEveryNth(3))
