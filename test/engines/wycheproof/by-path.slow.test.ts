/** The other vectors of Wycheproof the way a user takes: import the vector's key, call the operation by path. The primitives judge all of them in test/unit/crypto. */
import { exceptEveryNth } from '../../vectors/wycheproof.ts'
import { judgeEcdsa } from './judge-ecdsa.ts'
import { judgeRsaAndEd25519 } from './judge-rsa-and-ed25519.ts'
import { judgeSecretKeys } from './judge-secret-keys.ts'

judgeEcdsa(exceptEveryNth(3))
judgeRsaAndEd25519(exceptEveryNth(3))
judgeSecretKeys(exceptEveryNth(3))
