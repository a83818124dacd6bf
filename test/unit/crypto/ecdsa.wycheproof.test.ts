/** All vectors with OpenSSL, which is fast. The slower backends try every third vector on P-256 and every ninth on larger curves. */
import { everyNth } from '../../vectors/wycheproof.ts'
import { testEcdsa } from './test-ecdsa.ts'

testEcdsa((isFast, curve) => (isFast ? undefined : everyNth(curve === 'P-256' ? 3 : 9)))
