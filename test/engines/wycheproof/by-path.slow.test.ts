/** The Wycheproof vectors that the quick tier leaves out, run by path. test/unit/crypto runs all vectors. */
import { exceptEveryNth } from '../../vectors/wycheproof.ts'
import { judgeEcdsa } from './judge-ecdsa.ts'
import { judgeRsaAndEd25519 } from './judge-rsa-and-ed25519.ts'
import { judgeSecretKeys } from './judge-secret-keys.ts'

judgeEcdsa(exceptEveryNth(3))
judgeRsaAndEd25519(exceptEveryNth(3))
judgeSecretKeys(exceptEveryNth(3))
