/** Every third Wycheproof vector, run by path. test/unit/crypto runs all vectors. */
import { everyNth } from '../../vectors/wycheproof.ts'
import { judgeEcdsa } from './judge-ecdsa.ts'
import { judgeRsaAndEd25519 } from './judge-rsa-and-ed25519.ts'
import { judgeSecretKeys } from './judge-secret-keys.ts'

judgeEcdsa(everyNth(3))
judgeRsaAndEd25519(everyNth(3))
judgeSecretKeys(everyNth(3))
