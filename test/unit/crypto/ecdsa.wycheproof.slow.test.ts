/** The vectors that the quick tier excludes. */
import { exceptEveryNth } from '../../vectors/wycheproof.ts'
import { testEcdsa } from './test-ecdsa.ts'

testEcdsa((isFast, curve) => (isFast ? 'all' : exceptEveryNth(curve === 'P-256' ? 3 : 9)))
